#include "app/session/desktop_programs.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "core/base/error.h"
#include "core/io/atomic_file.h"

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

// What plays sound files; null: nothing.
const char* player() {
  for (const char* const program : {"pw-play", "paplay", "aplay"}) {
    if (is_installed(program)) return program;
  }
  return nullptr;
}

// Of this process alone.
std::string sound_path() {
  const char* const own = std::getenv("XDG_RUNTIME_DIR");
  const std::filesystem::path folder = own != nullptr && *own == '/' ? own : std::filesystem::temp_directory_path();
  return folder / ("headscope-row-" + std::to_string(::getpid()) + ".wav");
}

// The sound that plays now, or played last; it ends with the program. A player that ended is waited for when the next
// one starts: until then its number is nobody else's.
class Sound {
 public:
  Sound() = default;
  Sound(const Sound&) = delete;
  Sound& operator=(const Sound&) = delete;
  ~Sound() { stop(); }

  void stop() {
    if (process_ == 0) return;
    ::kill(process_, SIGTERM);
    ::waitpid(process_, nullptr, 0);
    ::unlink(path_.c_str());
    process_ = 0;
  }

  // After stop(). `path` is removed when the sound is stopped.
  void start(std::string program, const std::string& path) {
    path_ = path;
    posix_spawn_file_actions_t quiet;
    if (::posix_spawn_file_actions_init(&quiet) != 0) return;
    for (const int stream : {0, 1, 2}) {
      ::posix_spawn_file_actions_addopen(&quiet, stream, "/dev/null", stream == 0 ? O_RDONLY : O_WRONLY, 0);
    }
    std::array<char*, 3> words = {program.data(), path_.data(), nullptr};
    if (::posix_spawnp(&process_, program.c_str(), &quiet, nullptr, words.data(), environ) != 0) process_ = 0;
    ::posix_spawn_file_actions_destroy(&quiet);
  }

 private:
  pid_t process_ = 0;
  std::string path_;
};

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

const char* why_no_opener() {
  return "Needs xdg-open.";
}

bool can_copy_image() {
  return on_wayland() || is_installed("xclip");
}

void copy_image(const std::string& png_path) {
  start(on_wayland() ? "exec wl-copy --type image/png <\"$1\""
                     : "exec xclip -selection clipboard -t image/png -i \"$1\" </dev/null",
        png_path);
}

const char* why_no_image_copier() {
  return "Needs wl-copy (Wayland) or xclip.";
}

bool can_say() {
  return is_installed("spd-say");
}

void say(const std::string& text) {
  start("spd-say -C; exec spd-say -l en -- \"$1\" </dev/null", text);
}

bool can_play() {
  return player() != nullptr;
}

void play(const std::string& wav) {
  const char* const program = player();
  if (program == nullptr) return;
  static Sound sound;
  sound.stop();
  try {
    const std::string path = sound_path();
    write_file_atomically(path, [&](std::ostream& out) { out << wav; });
    sound.start(program, path);
  } catch (const Error&) {  // a full disk: nothing of the user's is lost
  }
}

}  // namespace headscope
