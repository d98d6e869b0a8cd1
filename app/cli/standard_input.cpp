#include "app/cli/standard_input.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "core/base/error.h"

namespace headscope::cli {

std::string text_of_standard_input(const CancelToken& cancel) {
  constexpr int kMilliseconds = 50;
  std::string text;
  std::vector<char> piece(std::size_t{1} << 16);
  while (true) {
    cancel.check();
    struct pollfd waiting = {STDIN_FILENO, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, kMilliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) throw Error(std::string("standard input: ") + std::strerror(errno));
    if (got == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace headscope::cli
