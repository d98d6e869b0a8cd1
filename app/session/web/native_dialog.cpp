// The browser's own file dialog. What is chosen there is copied into the file system of the page (assets/web/files.js).
#include "app/session/native_dialog.h"

#include <emscripten.h>

#include <cstdlib>

// clang-format off
EM_JS(void, headscope_pick, (int folder), { if (Module["pick"]) Module["pick"](folder !== 0); });
// Null while the dialog is open; then the path, "" when nothing was chosen. The caller frees it.
EM_JS(char*, headscope_picked, (), {
  const path = Module["picked"] ? Module["picked"]() : "";
  return path === null ? 0 : allocateUTF8(path);
});
// clang-format on

namespace headscope {

std::string native_dialog_program() {
  return "browser";
}

std::unique_ptr<NativeDialog> NativeDialog::start(Kind kind, const std::string&, const std::string&) {
  headscope_pick(kind == Kind::choose_folder ? 1 : 0);
  return std::unique_ptr<NativeDialog>(new NativeDialog);
}

NativeDialog::~NativeDialog() = default;

std::optional<std::string> NativeDialog::poll() {
  char* const path = headscope_picked();
  if (path == nullptr) return std::nullopt;
  answer_ = path;
  std::free(path);
  return answer_;
}

}  // namespace headscope
