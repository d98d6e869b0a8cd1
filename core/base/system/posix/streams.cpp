#include "core/base/system/streams.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace headscope::system {

void open_closed_streams() noexcept {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    if (::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

bool is_terminal(int stream) noexcept {
  return ::isatty(stream) == 1;
}

std::size_t terminal_columns() noexcept {
  struct winsize size {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool input_waits(int milliseconds) noexcept {
  struct pollfd waiting = {STDIN_FILENO, POLLIN, 0};
  const int ready = ::poll(&waiting, 1, milliseconds);
  return ready != 0 && (ready > 0 || errno != EINTR);
}

int second_descriptor(int stream) noexcept {
  return ::fcntl(stream, F_DUPFD_CLOEXEC, 3);
}

bool lead_stream(int stream, int descriptor) noexcept {
  return ::dup2(descriptor, stream) >= 0;
}

}  // namespace headscope::system
