#include "app/frame/crash_handler.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "app/session/command_trail.h"
#include "core/base/version.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class CrashHandlerDeath : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef HEADSCOPE_SANITIZED
    GTEST_SKIP() << "a sanitizer ends the program itself when a signal comes";
#endif
  }
};

TEST_F(CrashHandlerDeath, tells_the_signal_the_commands_and_where_and_ends_the_program_all_the_same) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/last-crash.txt";
  const auto crash = [&](int number) {
    install_crash_handler(path);
    for (int k = 0; k < 25; ++k) note_command("Command " + std::to_string(k));
    std::raise(number);
  };
  EXPECT_EXIT(crash(SIGSEGV), ::testing::KilledBySignal(SIGSEGV), "");
  const std::string said = text_of(path);
  EXPECT_NE(said.find(kVersion), std::string::npos);
  EXPECT_NE(said.find("by SIGSEGV"), std::string::npos) << said;
  EXPECT_NE(said.find("  Command 5\n"), std::string::npos) << said;
  EXPECT_EQ(said.find("  Command 4\n"), std::string::npos) << "only the last twenty";
  EXPECT_NE(said.find("  Command 24\nbacktrace:\n"), std::string::npos) << said;
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  EXPECT_EXIT(crash(SIGABRT), ::testing::KilledBySignal(SIGABRT), "");
  EXPECT_NE(text_of(path).find("by SIGABRT"), std::string::npos) << "the newest counts";
}

TEST_F(CrashHandlerDeath, a_place_that_cannot_be_written_changes_nothing) {
  EXPECT_EXIT(
      {
        install_crash_handler("/nonexistent/last-crash.txt");
        std::raise(SIGSEGV);
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace headscope
