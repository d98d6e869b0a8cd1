#include "core/base/system/streams.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <initializer_list>

namespace headscope::system {

namespace {

constexpr DWORD kPieceOfWaiting = 5;  // milliseconds

HANDLE handle_of_input() {
  return reinterpret_cast<HANDLE>(::_get_osfhandle(kInput));
}

}  // namespace

void open_closed_streams() noexcept {
  for (const int stream : {kInput, kOutput, kError}) {
    if (::_setmode(stream, _O_BINARY) != -1) continue;
    if (::_open("NUL", (stream == kInput ? _O_WRONLY : _O_RDONLY) | _O_BINARY) < 0) return;
  }
  ::SetConsoleOutputCP(CP_UTF8);
}

bool is_terminal(int stream) noexcept {
  DWORD mode = 0;
  return ::GetConsoleMode(reinterpret_cast<HANDLE>(::_get_osfhandle(stream)), &mode) != 0;
}

std::size_t terminal_columns() noexcept {
  CONSOLE_SCREEN_BUFFER_INFO known{};
  if (::GetConsoleScreenBufferInfo(::GetStdHandle(STD_ERROR_HANDLE), &known) == 0) return 0;
  return static_cast<std::size_t>(std::max(0, known.srWindow.Right - known.srWindow.Left + 1));
}

// A pipe cannot be waited for: it is asked again and again. A console is waited for by its first event, files never
// wait.
bool input_waits(int milliseconds) noexcept {
  const HANDLE input = handle_of_input();
  if (::GetFileType(input) != FILE_TYPE_PIPE) {
    return !is_terminal(kInput) || ::WaitForSingleObject(input, static_cast<DWORD>(milliseconds)) != WAIT_TIMEOUT;
  }
  for (DWORD waited = 0; waited < static_cast<DWORD>(milliseconds); waited += kPieceOfWaiting) {
    DWORD bytes = 0;
    if (::PeekNamedPipe(input, nullptr, 0, nullptr, &bytes, nullptr) == 0 || bytes > 0) return true;
    ::Sleep(kPieceOfWaiting);
  }
  return false;
}

int second_descriptor(int stream) noexcept {
  return ::_dup(stream);
}

bool lead_stream(int stream, int descriptor) noexcept {
  return ::_dup2(descriptor, stream) == 0;
}

}  // namespace headscope::system
