// The desktop's own file dialog, by zenity or kdialog when one is on PATH. The in-app browser works without it.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace headscope {

// The program that would be used: "zenity", "kdialog", or "" when none is on PATH or there is no display.
std::string native_dialog_program();

// One dialog running in a process of its own; the window goes on drawing.
class NativeDialog {
 public:
  enum class Kind { open_file, choose_folder };
  // Null when there is no program or it does not start.
  static std::unique_ptr<NativeDialog> start(Kind kind, const std::string& title, const std::string& folder);
  // Ends the program when it still runs.
  ~NativeDialog();
  NativeDialog(const NativeDialog&) = delete;
  NativeDialog& operator=(const NativeDialog&) = delete;

  // nullopt while the dialog is open; then the chosen path, "" when the user cancelled. Never waits.
  std::optional<std::string> poll();

 private:
  NativeDialog() = default;
  [[maybe_unused]] int process_ = -1;  // of a program of the system, where the dialog is one
  [[maybe_unused]] int pipe_ = -1;
  std::string answer_;
};

}  // namespace headscope
