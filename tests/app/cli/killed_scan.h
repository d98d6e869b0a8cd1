// A scan that is ended from outside.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/app/cli/command.h"

namespace headscope {

// Starts a scan into x.hsagg, and kills it so many milliseconds after its state has appeared, or changed; its exit
// code, or 128 + the signal.
inline int killed_after(const std::vector<std::string>& words, const std::string& folder, int milliseconds,
                        int signal_number) {
  const std::string state = folder + "/x.hsagg.part";
  std::error_code error;
  const auto before = std::filesystem::last_write_time(state, error);
  const pid_t child = fork();
  if (child == 0) {
    const int nothing = open("/dev/null", O_RDWR);
    if (dup2(nothing, 1) < 0 || dup2(nothing, 2) < 0) _exit(99);
    setenv("HEADSCOPE_SCAN_KEEP_SECONDS", "0", 1);
    become_cli(words, folder);
  }
  int status = 0;
  for (int k = 0; k < 2000 && waitpid(child, &status, WNOHANG) == 0; ++k) {
    const auto now = std::filesystem::last_write_time(state, error);
    if (!error && now != before) {
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      kill(child, signal_number);
      waitpid(child, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return exit_code(status);
}

}  // namespace headscope
