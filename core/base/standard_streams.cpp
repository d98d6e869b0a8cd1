#include "core/base/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace headscope {

void open_standard_streams() noexcept {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    if (::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

void say_on_standard_error(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

int say_on_standard_output(std::string_view text) noexcept {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return 0;
  return errno != 0 ? errno : EIO;
}

Error no_standard_output(int failure) {
  return Error(std::string("standard output: ") + std::strerror(failure) + "; expected a place that can be written");
}

}  // namespace headscope
