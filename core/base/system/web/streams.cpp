#include "core/base/system/streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>

namespace headscope::system {

void open_closed_streams() noexcept {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    if (::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

// Emscripten calls every stream a terminal, also one that leads into a file.
bool is_terminal(int) noexcept {
  return false;
}

std::size_t terminal_columns() noexcept {
  return 0;
}

// Under node all of the input is there when the program begins.
bool input_waits(int) noexcept {
  return true;
}

int second_descriptor(int stream) noexcept {
  return ::fcntl(stream, F_DUPFD_CLOEXEC, 3);
}

bool lead_stream(int stream, int descriptor) noexcept {
  return ::dup2(descriptor, stream) >= 0;
}

}  // namespace headscope::system
