#include "core/io/atomic_file.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "core/base/cancel.h"
#include "core/io/mapped_file.h"
#include "tests/core/io/io_helpers.h"

namespace headscope {
namespace {

using namespace test;
namespace fs = std::filesystem;

void write_text(const std::string& path, const std::string& text) {
  write_file_atomically(path, [&](std::ostream& out) { out << text; });
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 0777;
}

TEST(AtomicFile, AppearsWholeAndAlone) {
  const IoFolder folder;
  write_text(folder.file("a.txt"), "hello\n");
  EXPECT_EQ(read_bytes(folder.file("a.txt")), "hello\n");
  write_text(folder.file("a.txt"), "");
  EXPECT_EQ(read_bytes(folder.file("a.txt")), "");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.txt"}));
}

TEST(AtomicFile, LargeAndSmallWritesKeepTheirOrder) {
  const IoFolder folder;
  std::string expected;
  write_file_atomically(folder.file("a"), [&](std::ostream& out) {
    for (int i = 0; i < 300; ++i) {
      const std::string piece(static_cast<std::size_t>(i * 37 % 5000 + (i % 50 == 0 ? 400000 : 0)),
                              static_cast<char>('a' + i % 26));
      out << piece;
      out.put('\n');
      expected += piece + '\n';
      EXPECT_EQ(static_cast<std::size_t>(out.tellp()), expected.size());
    }
  });
  EXPECT_TRUE(read_bytes(folder.file("a")) == expected);
}

TEST(AtomicFile, AnExceptionLeavesTheOldFileAndNothingElse) {
  const IoFolder folder;
  write_text(folder.file("a"), "old");
  EXPECT_THROW(write_file_atomically(folder.file("a"),
                                     [](std::ostream& out) {
                                       out << std::string(1000000, 'x');
                                       throw Cancelled();
                                     }),
               Cancelled);
  EXPECT_EQ(refusal_of([&] { write_file_atomically(folder.file("b"), [](std::ostream&) { throw Error("no"); }); }),
            "no");
  EXPECT_EQ(read_bytes(folder.file("a")), "old");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a"}));
}

TEST(AtomicFile, AStreamThatTheWriterBrokeIsAnError) {
  const IoFolder folder;
  EXPECT_ANY_THROW(write_file_atomically(folder.file("a"), [](std::ostream& out) { out.setstate(std::ios::badbit); }));
  EXPECT_TRUE(folder.names().empty());
}

TEST(AtomicFile, AFullDiskIsNamedAndStopsTheWriterAtOnce) {
  int blocks = 0;
  const std::string sentence = refusal_of([&] {
    write_file_atomically("/dev/full", [&](std::ostream& out) {
      for (; blocks < 1000; ++blocks) out << std::string(1 << 20, 'x');
    });
  });
  EXPECT_EQ(sentence, "/dev/full: No space left on device");
  EXPECT_LT(blocks, 3);
}

TEST(AtomicFile, AFullFileSystemLeavesTheOldFileAndNothingElse) {
  const IoFolder folder;
  const std::string disk = folder.file("disk");
  fs::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=256k") != 0) GTEST_SKIP() << "mounting is not allowed here";
  write_text(disk + "/a", "old");
  const std::string sentence = refusal_of([&] { write_text(disk + "/a", std::string(1 << 20, 'x')); });
  const std::string kept = read_bytes(disk + "/a");
  const auto entries = std::distance(fs::directory_iterator(disk), fs::directory_iterator());
  ::umount(disk.c_str());
  EXPECT_TRUE(contains(sentence, "No space left on device")) << sentence;
  EXPECT_EQ(kept, "old");
  EXPECT_EQ(entries, 1);
}

TEST(AtomicFile, FoldersAndMissingFoldersAreRefused) {
  const IoFolder folder;
  EXPECT_TRUE(contains(refusal_of([&] { write_text(folder.path(), "x"); }), "folder"));
  EXPECT_TRUE(contains(refusal_of([&] { write_text(folder.file("none/a"), "x"); }), "No such file"));
  EXPECT_TRUE(contains(refusal_of([&] { write_text(folder.file("a/"), "x"); }), "folder"));
  EXPECT_THROW(write_text("", "x"), Error);
  EXPECT_THROW(write_text(std::string("a\0b", 3), "x"), Error);
  EXPECT_TRUE(contains(refusal_of([&] { write_text(folder.file(std::string(300, 'n')), "x"); }), "name too long"));
  EXPECT_TRUE(folder.names().empty());
}

TEST(AtomicFile, ANameOfTheGreatestLengthIsPossible) {
  const IoFolder folder;
  write_text(folder.file(std::string(255, 'n')), "x");
  EXPECT_EQ(read_bytes(folder.file(std::string(255, 'n'))), "x");
}

TEST(AtomicFile, NewFilesFollowTheUmaskAndReplacedOnesKeepTheirMode) {
  const IoFolder folder;
  const mode_t before = ::umask(027);
  write_text(folder.file("new"), "x");
  ::umask(before);
  EXPECT_EQ(mode_of(folder.file("new")), 0640u);
  ::chmod(folder.file("new").c_str(), 0600);
  write_text(folder.file("new"), "y");
  EXPECT_EQ(mode_of(folder.file("new")), 0600u);
}

TEST(AtomicFile, ALinkStaysALinkAndItsTargetIsReplaced) {
  const IoFolder folder;
  fs::create_directory(folder.file("real"));
  write_text(folder.file("real/a"), "old");
  fs::create_symlink("real/a", folder.file("link"));
  fs::create_symlink("link", folder.file("link2"));
  write_text(folder.file("link2"), "new");
  EXPECT_TRUE(fs::is_symlink(folder.file("link2")));
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(read_bytes(folder.file("real/a")), "new");
  fs::create_symlink("real/b", folder.file("dangling"));
  write_text(folder.file("dangling"), "made");
  EXPECT_EQ(read_bytes(folder.file("real/b")), "made");
  fs::create_symlink("round", folder.file("round"));
  EXPECT_THROW(write_text(folder.file("round"), "x"), Error);
}

TEST(AtomicFile, DevicesAreWrittenToAndStayWhatTheyAre) {
  write_text("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(AtomicFile, APipeThatNobodyReadsIsRefusedWithoutWaiting) {
  const IoFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_THROW(write_text(folder.file("pipe"), "x"), Error);
  std::string got;
  std::thread reader([&] { got = read_bytes(folder.file("pipe")); });
  for (int tries = 0; tries < 1000; ++tries) {
    try {
      write_text(folder.file("pipe"), "through");
      break;
    } catch (const Error&) {  // the reader has not opened it yet
      ::usleep(1000);
    }
  }
  reader.join();
  EXPECT_EQ(got, "through");
}

TEST(FilesTogether, NoneAppearsBeforeAllAreWritten) {
  const IoFolder folder;
  write_text(folder.file("a"), "old");
  {
    FilesTogether files;
    files.add(folder.file("a"), [](std::ostream& out) { out << "new"; });
    files.add(folder.file("b"), [](std::ostream& out) { out << "b"; });
    EXPECT_EQ(read_bytes(folder.file("a")), "old");
    EXPECT_FALSE(fs::exists(folder.file("b")));
  }
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a"})) << "what was not committed is gone";
  FilesTogether files;
  for (int i = 0; i < 40; ++i) {
    files.add(folder.file("f" + std::to_string(i)), [i](std::ostream& out) { out << i; });
  }
  files.add(folder.file("a"), [](std::ostream& out) { out << "new"; });
  files.commit();
  EXPECT_EQ(read_bytes(folder.file("a")), "new");
  EXPECT_EQ(read_bytes(folder.file("f39")), "39");
  EXPECT_EQ(folder.names().size(), 41u);
}

TEST(FilesTogether, ARenameThatFailsPutsTheOthersBack) {
  const IoFolder folder;
  write_text(folder.file("a"), "old");
  FilesTogether files;
  files.add(folder.file("a"), [](std::ostream& out) { out << "new"; });
  files.add(folder.file("b"), [](std::ostream& out) { out << "new"; });
  files.add(folder.file("c"), [](std::ostream& out) { out << "new"; });
  fs::create_directories(folder.file("c/inside"));  // in the way of the third
  EXPECT_THROW(files.commit(), Error);
  EXPECT_EQ(read_bytes(folder.file("a")), "old");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a", "c"}));
}

TEST(MakeFolder, MakesParentsAndSaysWhichAreNew) {
  const IoFolder folder;
  EXPECT_EQ(make_folder(folder.file("a/b")), (std::vector<std::string>{folder.file("a"), folder.file("a/b")}));
  EXPECT_TRUE(make_folder(folder.file("a/b")).empty());
  EXPECT_TRUE(make_folder(folder.file("a/b/")).empty());
  write_text(folder.file("file"), "x");
  EXPECT_THROW(make_folder(folder.file("file")), Error);
  EXPECT_THROW(make_folder(folder.file("file/sub")), Error);
  EXPECT_THROW(make_folder(""), Error);
}

TEST(SmallFile, IsReadWholeUpToItsLimit) {
  const IoFolder folder;
  write_bytes(folder.file("a"), std::string("a\0b\r\n", 5));
  EXPECT_EQ(read_small_file(folder.file("a"), 5), std::string("a\0b\r\n", 5));
  EXPECT_TRUE(contains(refusal_of([&] { read_small_file(folder.file("a"), 4); }), "at most 4"));
  EXPECT_TRUE(contains(refusal_of([&] { read_small_file(folder.path(), 100); }), "folder"));
  EXPECT_TRUE(contains(refusal_of([&] { read_small_file("/dev/zero", 100); }), "device"));
  EXPECT_TRUE(contains(refusal_of([&] { read_small_file(folder.file("none"), 100); }), "No such file"));
  write_bytes(folder.file("empty"), "");
  EXPECT_EQ(read_small_file(folder.file("empty"), 100), "");
}

TEST(SmallFile, APipeIsReadToItsEndAndOneWithoutAWriterIsEmpty) {
  const IoFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_small_file(folder.file("pipe"), 100), "");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::thread writer([&] {
    EXPECT_EQ(::write(ends[1], "one ", 4), 4);
    ::usleep(20000);
    EXPECT_EQ(::write(ends[1], "two", 3), 3);
    ::close(ends[1]);
  });
  EXPECT_EQ(read_small_file("/proc/self/fd/" + std::to_string(ends[0]), 100), "one two");
  writer.join();
  ::close(ends[0]);
}

TEST(MappedFile, GivesTheBytesAndRefusesWhatIsNoFile) {
  const IoFolder folder;
  write_bytes(folder.file("a"), "abc");
  const auto file = MappedFile::open(folder.file("a"));
  EXPECT_EQ(file->bytes().size(), 3u);
  EXPECT_EQ(file->path(), folder.file("a"));
  write_bytes(folder.file("empty"), "");
  EXPECT_TRUE(MappedFile::open(folder.file("empty"))->bytes().empty());
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(contains(refusal_of([&] { MappedFile::open(folder.file("pipe")); }), "pipe"));
  EXPECT_TRUE(contains(refusal_of([&] { MappedFile::open("/dev/zero"); }), "device"));
  EXPECT_TRUE(contains(refusal_of([&] { MappedFile::open(folder.path()); }), "folder"));
  EXPECT_TRUE(contains(refusal_of([&] { MappedFile::open(folder.file("none")); }), folder.file("none")));
  EXPECT_THROW(MappedFile::open(std::string("a\0", 2)), Error);
}

TEST(DescribeBytes, KnowsWhatUsersHandIn) {
  const auto describe = [](std::string_view text) { return describe_bytes(bytes_of(text)); };
  EXPECT_EQ(describe(""), "empty");
  EXPECT_TRUE(contains(describe("version https://git-lfs.github.com/spec/v1\noid"), "git lfs pull"));
  EXPECT_EQ(describe("  <!doctype HTML>"), "an HTML page");
  EXPECT_TRUE(contains(describe(std::string_view("PK\x03\x04.......", 11)), "zip"));
  EXPECT_TRUE(contains(describe("\x1f\x8b\x08"), "gzip"));
  EXPECT_EQ(describe("\x89PNG\r\n\x1a\n"), "a PNG picture");
  EXPECT_EQ(describe("{\"a\": 1}"), "JSON text");
  EXPECT_EQ(describe("\x93NUMPY\x01"), "a NumPy .npy array");
  EXPECT_TRUE(contains(describe(std::string_view("\0\0\0\0\0\0\0\0\0\0", 10)), "zero"));
  EXPECT_EQ(describe(std::string_view("\x10\0\0\0\0\0\0\0{\"a\":", 13)), "a safetensors file");
  EXPECT_EQ(describe(std::string_view("<\0\0\0\0\0\0\0{\"a\":", 13)), "a safetensors file") << "its length is a '<'";
  EXPECT_EQ(describe(std::string_view("\x80\x02\0\0\0\0\0\0{\"a\":", 13)), "a safetensors file");
  for (const std::string_view utf16 :
       {std::string_view("\xff\xfe{\0", 4), std::string_view("\xfe\xff\0{", 4),
        std::string_view("{\0\"\0a\0\"\0:\0", 10), std::string_view("\0{\0\n\0\"\0a", 8)}) {
    EXPECT_EQ(describe(utf16), "UTF-16 text (save it as UTF-8)");
  }
  EXPECT_EQ(describe(std::string_view("a\0b\0c\0\0\0", 8)), "");
  EXPECT_EQ(describe("1,2,3\n"), "");
  EXPECT_EQ(describe("just words"), "");
}

}  // namespace
}  // namespace headscope
