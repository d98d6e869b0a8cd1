#include "core/base/standard_streams.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "core/base/system/streams.h"

namespace headscope {

void open_standard_streams() noexcept {
  system::open_closed_streams();
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
