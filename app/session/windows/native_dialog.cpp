#include "app/session/native_dialog.h"

namespace headscope {

// No program of the desktop asks for files on Windows: the window has dialogs of its own.
std::string native_dialog_program() {
  return "";
}

std::unique_ptr<NativeDialog> NativeDialog::start(Kind, const std::string&, const std::string&) {
  return nullptr;
}

NativeDialog::~NativeDialog() = default;

std::optional<std::string> NativeDialog::poll() {
  return "";
}

}  // namespace headscope
