#include "app/session/native_dialog.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <vector>

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace headscope {
namespace {

bool is_on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  if (path == nullptr) return false;
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::vector<std::string> arguments_of(const std::string& program, NativeDialog::Kind kind, const std::string& title,
                                      const std::string& folder) {
  const bool open = kind == NativeDialog::Kind::open_file;
  if (program == "zenity") {
    std::vector<std::string> arguments = {program, "--file-selection", "--title=" + title,
                                          "--filename=" + folder + "/"};
    if (!open) arguments.push_back("--directory");
    return arguments;
  }
  return {program, "--title", title, open ? "--getopenfilename" : "--getexistingdirectory", folder};
}

}  // namespace

std::string native_dialog_program() {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return "";
  for (const char* program : {"zenity", "kdialog"}) {
    if (is_on_path(program)) return program;
  }
  return "";
}

std::unique_ptr<NativeDialog> NativeDialog::start(Kind kind, const std::string& title, const std::string& folder) {
  const std::string program = native_dialog_program();
  if (program.empty()) return nullptr;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return nullptr;
  std::vector<std::string> arguments = arguments_of(program, kind, title, folder);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t process = -1;
  const int refused = posix_spawnp(&process, program.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (refused != 0) {
    close(ends[0]);
    return nullptr;
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  std::unique_ptr<NativeDialog> dialog(new NativeDialog);
  dialog->process_ = process;
  dialog->pipe_ = ends[0];
  return dialog;
}

NativeDialog::~NativeDialog() {
  if (pipe_ >= 0) close(pipe_);
  if (process_ > 0) {
    kill(process_, SIGTERM);
    waitpid(process_, nullptr, 0);
  }
}

std::optional<std::string> NativeDialog::poll() {
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = read(pipe_, buffer.data(), buffer.size());
    if (got > 0) {
      answer_.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0) {
      return std::nullopt;  // EAGAIN: still open
    } else {
      break;
    }
  }
  int status = 0;
  if (process_ > 0) waitpid(process_, &status, 0);
  process_ = -1;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return "";
  while (!answer_.empty() && answer_.back() == '\n') answer_.pop_back();
  return answer_;
}

}  // namespace headscope
