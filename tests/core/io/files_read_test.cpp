// What was read is replaced by no writer, whatever name leads to it.
#include "core/io/files_read.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/io/mapped_file.h"
#include "tests/core/io/io_helpers.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

class FilesRead : public testing::Test {
 protected:
  FilesRead() { forget_files_read(); }
  ~FilesRead() override { forget_files_read(); }
  // "" when it was written.
  static std::string refusal_of(const std::string& path, Replaces replaces = Replaces::nothing_read) {
    bool asked = false;
    try {
      write_file_atomically(
          path,
          [&](std::ostream& out) {
            asked = true;
            out << "new";
          },
          replaces);
    } catch (const UsageError& error) {
      EXPECT_FALSE(asked) << "nothing is made before";
      return error.what();
    }
    return "";
  }
  std::string written(const std::string& name) const {
    const std::string path = folder_.file(name);
    std::ofstream(path, std::ios::binary) << "old";
    return path;
  }
  static std::string text_of(const std::string& path) { return read_small_file(path, 100); }

  test::IoFolder folder_;
};

TEST_F(FilesRead, WhatWasMappedOrReadIsRefusedByName) {
  const std::string mapped = written("mapped.npy"), small = written("small.json"), other = written("other");
  MappedFile::open(mapped);
  read_small_file(small, 100);
  EXPECT_EQ(refusal_of(mapped),
            mapped + ": is read here, and would be replaced; expected another name or folder for what is written");
  EXPECT_NE(refusal_of(small).find("small.json: is read here"), std::string::npos);
  EXPECT_EQ(refusal_of(other), "");
  EXPECT_EQ(text_of(mapped), "old");
  EXPECT_EQ(text_of(other), "new");
  EXPECT_EQ(refusal_of(folder_.file("nothing there")), "");
}

TEST_F(FilesRead, OtherNamesOfTheSameFileAreTheSameFile) {
  const std::string path = written("input.npy");
  const std::string link = folder_.file("link.npy"), hard = folder_.file("hard.npy");
  fs::create_symlink(path, link);
  fs::create_hard_link(path, hard);
  MappedFile::open(link);
  EXPECT_NE(refusal_of(path).find("input.npy: is read here as " + link), std::string::npos) << refusal_of(path);
  EXPECT_NE(refusal_of(hard), "");
  EXPECT_NE(refusal_of(link), "");
  EXPECT_NE(
      refusal_of(folder_.file("./../") + fs::path(folder_.file("")).parent_path().filename().string() + "/input.npy"),
      "");
}

TEST_F(FilesRead, OfSeveralFilesOneIsEnoughAndNoneIsWritten) {
  const std::string input = written("b"), first = written("a");
  MappedFile::open(input);
  FilesTogether files;
  files.add(first, [](std::ostream& out) { out << "new"; });
  EXPECT_THROW(files.add(input, [](std::ostream& out) { out << "new"; }), UsageError);
  EXPECT_EQ(text_of(first), "old");
}

TEST_F(FilesRead, AFileThatTookThePlaceOfTheOneThatWasReadIsAnotherOne) {
  const std::string path = written("data");
  MappedFile::open(path);
  fs::rename(written("newer"), path);
  EXPECT_EQ(refusal_of(path), "");
  // The system may give the number of a file that is gone to the next one.
  const std::string gone = written("gone");
  struct stat facts {};
  ASSERT_EQ(::stat(gone.c_str(), &facts), 0);
  MappedFile::open(gone);
  fs::remove(gone);
  for (int k = 0; k < 20; ++k) {
    const std::string next = folder_.file("next" + std::to_string(k));
    std::ofstream(next) << "of another length";
    EXPECT_EQ(refusal_of(next), "") << k;
  }
}

TEST_F(FilesRead, AnInputThatWasRenamedOrWrittenOnIsStillTheInput) {
  const std::string path = written("data"), moved = folder_.file("moved");
  MappedFile::open(path);
  fs::rename(path, moved);
  EXPECT_NE(refusal_of(moved).find("moved: is read here as "), std::string::npos);
  const std::string log = written("log");
  MappedFile::open(log);
  std::ofstream(log, std::ios::app) << "more";
  EXPECT_NE(refusal_of(log), "");
}

TEST_F(FilesRead, ADocumentIsSavedOverByItsOwnKindOfWriterAlone) {
  const std::string session = written("session.json"), mask = written("mask.npy"), both = written("both.json");
  {
    const ReadingAs reading(ReadAs::session);
    MappedFile::open(session);
    MappedFile::open(both);
  }
  {
    const ReadingAs reading(ReadAs::mask);
    MappedFile::open(mask);
  }
  MappedFile::open(both);  // as the session of --patch-from
  EXPECT_NE(refusal_of(session), "");
  EXPECT_NE(refusal_of(session, Replaces::masks), "");
  EXPECT_EQ(refusal_of(session, Replaces::sessions), "");
  EXPECT_NE(refusal_of(mask, Replaces::sessions), "");
  EXPECT_EQ(refusal_of(mask, Replaces::masks), "");
  EXPECT_NE(refusal_of(both, Replaces::sessions), "") << "an input, too";
  EXPECT_EQ(refusal_of(both, Replaces::own_files), "");
}

TEST_F(FilesRead, LookingIsNotReading) {
  const std::string path = written("data");
  {
    const ReadingAs looking(ReadAs::passing);
    MappedFile::open(path);
  }
  EXPECT_EQ(refusal_of(path), "");
}

TEST_F(FilesRead, DevicesAreNoFiles) {
  EXPECT_THROW(read_small_file("/dev/null", 10), Error);
  EXPECT_EQ(refusal_of("/dev/null"), "");
}

}  // namespace
}  // namespace headscope
