// What becomes of our own files that cannot be used.
#include "app/session/kept_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>

#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

TEST(KeptFile, ABrokenOneIsPutAsideAndNamed) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/settings.json";
  std::ofstream(path) << "{}";
  std::string notice;
  const auto refuse = [](const std::string&) { throw std::runtime_error("no settings"); };
  EXPECT_FALSE(load_kept_file(path, refuse, notice));
  EXPECT_NE(notice.find("settings.json.broken"), std::string::npos) << notice;
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(KeptFile, WithoutMemoryItStaysWhereItIs) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/session.json";
  std::ofstream(path) << "{}";
  std::string notice;
  const auto no_memory = [](const std::string&) { throw std::bad_alloc(); };
  EXPECT_THROW(load_kept_file(path, no_memory, notice), std::bad_alloc);
  EXPECT_TRUE(std::filesystem::exists(path)) << "nothing is wrong with it";
  EXPECT_EQ(notice, "");
}

}  // namespace
}  // namespace headscope
