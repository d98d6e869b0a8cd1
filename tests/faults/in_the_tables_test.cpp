// Every reader and writer of the tree is in a table of readers.h or writers.h, or in not_in_the_tables.txt with a
// reason; every row of readers.h names a fuzz target.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "tests/app/session/temporary_folder.h"
#include "tests/faults/readers.h"
#include "tests/faults/source_scan.h"
#include "tests/faults/writers.h"

namespace headscope::test {
namespace {

std::set<std::string> words_of(const char* text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

template <typename Rows>
std::set<std::string> covered_by(const Rows& rows) {
  std::set<std::string> names;
  for (const auto& row : rows) names.merge(words_of(row.covers));
  return names;
}

// Name -> reason; a line is "NAME: REASON", '#' begins a comment.
std::map<std::string, std::string> excused() {
  std::map<std::string, std::string> reasons;
  std::ifstream file(HEADSCOPE_SOURCE_DIR "/tests/faults/not_in_the_tables.txt");
  for (std::string line; std::getline(file, line);) {
    const std::size_t end = line.find(": ");
    if (line.empty() || line[0] == '#' || end == std::string::npos) continue;
    reasons[line.substr(0, end)] = line.substr(end + 2);
  }
  return reasons;
}

void expect_covered(const std::set<std::string>& found, const std::set<std::string>& covered, const char* table) {
  const auto reasons = excused();
  for (const std::string& name : found) {
    EXPECT_TRUE(covered.contains(name) || reasons.contains(name))
        << name << " is in no row of " << table << ", nor in tests/faults/not_in_the_tables.txt with a reason";
  }
}

FileUsers users() {
  return file_users(HEADSCOPE_SOURCE_DIR);
}

TEST(InTheTables, EveryReaderOfTheTree) {
  const FileUsers found = users();
  EXPECT_GT(found.readers.size(), 40U);
  expect_covered(found.readers, covered_by(readers()), "tests/faults/readers.h");
}

TEST(InTheTables, EveryWriterOfTheTree) {
  const FileUsers found = users();
  EXPECT_GT(found.writers.size(), 25U);
  expect_covered(found.writers, covered_by(writers()), "tests/faults/writers.h");
}

TEST(InTheTables, NoReasonIsLeftOver) {
  const FileUsers found = users();
  const std::set<std::string> read = covered_by(readers()), written = covered_by(writers());
  for (const auto& [name, reason] : excused()) {
    const bool needed = (found.readers.contains(name) && !read.contains(name)) ||
                        (found.writers.contains(name) && !written.contains(name));
    EXPECT_TRUE(needed) << name << " needs no reason any more";
    EXPECT_GE(reason.size(), 15U) << name;
  }
}

TEST(InTheTables, NoTwoRowsHaveOneName) {
  std::set<std::string> names;
  for (const Reader& row : readers()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
  names.clear();
  for (const Writer& row : writers()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
}

// The names before _fuzz.cpp in tests/fuzz.
std::set<std::string> fuzz_targets() {
  constexpr std::string_view kEnd = "_fuzz.cpp";
  std::set<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(HEADSCOPE_SOURCE_DIR "/tests/fuzz")) {
    const std::string name = file.path().filename().string();
    if (name.ends_with(kEnd)) names.insert(name.substr(0, name.size() - kEnd.size()));
  }
  return names;
}

TEST(InTheTables, EveryReaderIsBehindAFuzzTarget) {
  const std::set<std::string> targets = fuzz_targets();
  std::set<std::string> named;
  for (const Reader& row : readers()) {
    EXPECT_NE(std::string(row.fuzz), "") << "row " << row.name
                                         << ": name the targets of tests/fuzz that read such files";
    for (const std::string& target : words_of(row.fuzz)) {
      EXPECT_TRUE(targets.contains(target)) << "row " << row.name << ": no tests/fuzz/" << target << "_fuzz.cpp";
      named.insert(target);
    }
  }
  for (const std::string& target : targets) {
    EXPECT_TRUE(!target.ends_with("_files") || named.contains(target)) << target << " gives its files to no row";
  }
}

TEST(InTheTables, ANewReaderOrWriterIsFound) {
  const TemporaryFolder tree;
  tree.write("core/io/new.h", R"(
// read_commented(const std::string& path)
Tensor read_new(const std::string& path, int more = 0);
std::vector<Thing> parse_many(std::span<const std::byte> bytes,
                              const std::string& what);
int parse_whole(std::string_view text);
void write_new(std::ostream& out, const Tensor& tensor);
class NewFile {
 public:
  static NewFile open(const std::string& path);
  bool open() const;
};
)");
  tree.write("core/io/mapped.cpp", "auto file = MappedFile::open(path);");
  tree.write("core/io/small.cpp", "read_small_file(path, 12)");
  tree.write("core/io/stream.cpp", "std::ifstream in(path);  // std::ofstream");
  tree.write("core/io/calls.cpp", "::open(path, O_RDONLY | O_CLOEXEC)");
  tree.write("app/atomic.cpp", "write_file_atomically(path, f);");
  tree.write("app/together.cpp", "FilesTogether files;");
  tree.write("app/both.cpp", "FILE* f = fopen(path, mode);");
  tree.write("app/neither.cpp", "FilesTogether::add(x); list.open(); // fopen(");
  const FileUsers found = file_users(tree.path());
  EXPECT_EQ(found.readers,
            (std::set<std::string>{"NewFile::open", "app/both.cpp", "core/io/calls.cpp", "core/io/mapped.cpp",
                                   "core/io/small.cpp", "core/io/stream.cpp", "parse_many", "read_new"}));
  EXPECT_EQ(found.writers, (std::set<std::string>{"app/atomic.cpp", "app/both.cpp", "app/together.cpp", "write_new"}));
}

}  // namespace
}  // namespace headscope::test
