#include "app/session/desktop_programs.h"

#include <windows.h>
// windows.h comes first.
#include <shellapi.h>

#include "core/base/system/windows/wide.h"

namespace headscope {

bool can_open() {
  return true;
}

void open_with_desktop(const std::string& path) {
  ::ShellExecuteW(nullptr, L"open", system::wide(path).c_str(), nullptr, nullptr, SW_SHOWNORMAL);
}

const char* why_no_opener() {
  return "Windows has no program for it.";
}

// Windows brings no program for these.
bool can_copy_image() {
  return false;
}

void copy_image(const std::string&) {}

const char* why_no_image_copier() {
  return "Windows brings no program for it.";
}

bool can_say() {
  return false;
}

void say(const std::string&) {}

bool can_play() {
  return false;
}

void play(const std::string&) {}

}  // namespace headscope
