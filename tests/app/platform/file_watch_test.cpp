#include "app/platform/file_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

class FileWatching : public ::testing::Test {
 protected:
  void watch(const std::string& path) {
    watch_ = watch_file(path, [this] { ++wakes_; });
  }
  // Until a change is told; false after ten seconds without one.
  bool told() {
    for (int k = 0; k < 1000; ++k) {
      if (watch_->take_change()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  bool stays_silent() {
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    return !watch_->take_change();
  }
  void replace(const std::string& name, const std::string& text) {
    folder_.write("part", text);
    fs::rename(folder_ / "part", folder_ / name);
  }

  TemporaryFolder folder_;
  std::atomic<int> wakes_ = 0;
  std::unique_ptr<FileWatch> watch_;
};

TEST_F(FileWatching, TellsOfEveryWayToWriteAFile) {
  folder_.write("x", "one");
  watch(folder_ / "x");
  EXPECT_TRUE(stays_silent());
  replace("x", "another");
  EXPECT_TRUE(told());
  EXPECT_GE(wakes_, 1);
  std::ofstream(folder_ / "x", std::ios::app) << "more";
  EXPECT_TRUE(told());
  fs::remove(folder_ / "x");
  EXPECT_TRUE(told()) << "it is gone";
  folder_.write("x", "again");
  EXPECT_TRUE(told());
  EXPECT_TRUE(stays_silent()) << "each is told once";
}

TEST_F(FileWatching, OtherFilesAreNotItsBusiness) {
  folder_.write("x", "one");
  watch(folder_ / "x");
  replace("y", "another");
  EXPECT_TRUE(stays_silent());
  EXPECT_EQ(wakes_, 0);
}

TEST_F(FileWatching, AFolderChangesWithItsFiles) {
  fs::create_directory(folder_ / "model");
  watch(folder_ / "model");
  replace("model/config.json", "{}");
  EXPECT_TRUE(told());
  std::ofstream(folder_ / "model/config.json") << "{ }";
  EXPECT_TRUE(told());
}

TEST_F(FileWatching, WaitsForAFolderThatIsNotThereYet) {
  watch(folder_ / "later/x");
  fs::create_directory(folder_ / "later");
  folder_.write("later/x", "one");
  EXPECT_TRUE(told());
}

}  // namespace
}  // namespace headscope
