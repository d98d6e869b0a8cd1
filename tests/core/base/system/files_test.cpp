#include "core/base/system/files.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/base/system/machine.h"
#include "core/base/system/memory_map.h"

namespace headscope::system {
namespace {

namespace fs = std::filesystem;

class SystemFiles : public testing::Test {
 protected:
  SystemFiles() { fs::create_directories(folder_); }
  ~SystemFiles() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string text(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  fs::path folder_ = fs::path(testing::TempDir()) / ("headscope files " + std::to_string(process_number()));
};

TEST_F(SystemFiles, CreatesWhatIsNotThereAndNothingElse) {
  const int file = open_file(path("größe"), Opening::create);
  ASSERT_GE(file, 0);
  EXPECT_EQ(write_some(file, "a\nb", 3), 3);
  EXPECT_EQ(sync_file(file), 0);
  EXPECT_EQ(close_file(file), 0);
  EXPECT_EQ(text("größe"), "a\nb");
  errno = 0;
  EXPECT_EQ(open_file(path("größe"), Opening::create), -1);
  EXPECT_EQ(errno, EEXIST);
  errno = 0;
  EXPECT_EQ(open_file(path("none"), Opening::read), -1);
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(SystemFiles, TellsWhatIsThere) {
  write("file", "12345");
  EXPECT_EQ(facts_of(path("file"))->kind, EntryKind::regular);
  EXPECT_EQ(facts_of(path("file"))->size, 5U);
  EXPECT_TRUE(facts_of(path("file"))->is_ours);
  EXPECT_EQ(facts_of(path(""))->kind, EntryKind::folder);
  EXPECT_FALSE(facts_of(path("none")).has_value());
  fs::create_symlink(path("file"), path("link"));
  EXPECT_EQ(facts_of(path("link"))->kind, EntryKind::regular);
  EXPECT_EQ(facts_of_entry(path("link"))->kind, EntryKind::other);
  const int file = open_file(path("file"), Opening::read);
  EXPECT_EQ(facts_of(file)->size, 5U);
  EXPECT_EQ(facts_of(file)->seconds, facts_of(path("file"))->seconds);
  close_file(file);
}

TEST_F(SystemFiles, RenamesOverAndLinksAndRemoves) {
  write("new", "new");
  write("old", "old");
  EXPECT_TRUE(link_file(path("old"), path("backup")));
  EXPECT_TRUE(rename_file(path("new"), path("old")));
  EXPECT_EQ(text("old"), "new");
  EXPECT_EQ(text("backup"), "old");
  EXPECT_TRUE(empty_file(path("backup")));
  EXPECT_EQ(facts_of(path("backup"))->size, 0U);
  EXPECT_TRUE(remove_file(path("backup")));
  errno = 0;
  EXPECT_FALSE(remove_file(path("backup")));
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(SystemFiles, LocksOnce) {
  const int one = open_file(path("lock"), Opening::create_or_keep),
            other = open_file(path("lock"), Opening::create_or_keep);
  EXPECT_TRUE(lock_file(one));
  EXPECT_FALSE(lock_file(other));
  close_file(one);
  EXPECT_TRUE(lock_file(other));
  close_file(other);
}

TEST_F(SystemFiles, MapsWhatIsThere) {
  write("file", "12345");
  const int file = open_file(path("file"), Opening::read);
  const auto* const bytes = static_cast<const char*>(map_file(file, 5));
  ASSERT_NE(bytes, nullptr);
  EXPECT_EQ(std::string(bytes, 5), "12345");
  const int guarded = guard_pages(bytes, 5);
  ASSERT_GE(guarded, 0);
  EXPECT_FALSE(pages_were_lost(guarded));
  forget_pages(guarded);
  EXPECT_EQ(next_stored(file, 2, 5), 2U);
  unmap_file(bytes, 5);
  close_file(file);
}

TEST_F(SystemFiles, BytesWithoutANameAreReadBack) {
  const int file = unnamed_file("test");
  ASSERT_GE(file, 0);
  EXPECT_EQ(write_some(file, "held", 4), 4);
  EXPECT_TRUE(to_beginning(file));
  std::array<char, 8> read{};
  EXPECT_EQ(read_some(file, read.data(), read.size()), 4);
  EXPECT_STREQ(read.data(), "held");
  close_file(file);
  const std::string bytes = "of a font", shown = path_of_bytes("test", bytes);
  std::ifstream again(fs::path(shown), std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(again), {}), bytes);
}

TEST(SystemMachine, KnowsItself) {
  EXPECT_TRUE(process_runs(process_number()));
  EXPECT_FALSE(process_runs(0));
  EXPECT_FALSE(process_runs(-1));
  EXPECT_GT(memory_of_machine(), 1e8);
  EXPECT_GE(memory_of_machine(), free_memory());
  EXPECT_TRUE(fs::exists(program_path()));
  EXPECT_FALSE(environment("HEADSCOPE_NO_SUCH_VARIABLE").has_value());
  EXPECT_TRUE(leads_elsewhere("../up"));
  EXPECT_FALSE(leads_elsewhere("plain name"));
}

}  // namespace
}  // namespace headscope::system
