#include "app/session/desktop_programs.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>

extern char** environ;  // POSIX: declared by nobody else

namespace headscope {

namespace {

bool is_installed(const char* program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && ::access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// Starts a line of the shell, in which "$1" is `argument`, beside this program.
void start(const std::string& line, std::string argument) {
  std::string shell = "sh", option = "-c", script = line + " >/dev/null 2>&1 &";
  std::array<char*, 6> words = {shell.data(), option.data(), script.data(), shell.data(), argument.data(), nullptr};
  pid_t process = 0;
  if (::posix_spawnp(&process, "sh", nullptr, nullptr, words.data(), environ) == 0) {
    ::waitpid(process, nullptr, 0);  // the shell alone, which ends at once
  }
}

bool on_wayland() {
  const char* const display = std::getenv("WAYLAND_DISPLAY");
  return display != nullptr && *display != '\0' && is_installed("wl-copy");
}

}  // namespace

bool can_open() {
  return is_installed("xdg-open");
}

void open_with_desktop(const std::string& path) {
  start("exec xdg-open \"$1\" </dev/null", path);
}

bool can_copy_image() {
  return on_wayland() || is_installed("xclip");
}

void copy_image(const std::string& png_path) {
  start(on_wayland() ? "exec wl-copy --type image/png <\"$1\""
                     : "exec xclip -selection clipboard -t image/png -i \"$1\" </dev/null",
        png_path);
}

}  // namespace headscope
