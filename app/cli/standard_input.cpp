#include "app/cli/standard_input.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

#include "core/base/error.h"
#include "core/base/system/files.h"
#include "core/base/system/streams.h"
#include "core/io/files_read.h"

namespace headscope::cli {

std::string text_of_standard_input(const CancelToken& cancel) {
  constexpr int kMilliseconds = 50;
  // A shell's < FILE.
  if (const auto facts = system::facts_of(system::kInput)) note_read("/dev/stdin", *facts);
  std::string text;
  std::vector<char> piece(std::size_t{1} << 16);
  while (true) {
    cancel.check();
    if (!system::input_waits(kMilliseconds)) continue;
    const std::ptrdiff_t got = system::read_some(system::kInput, piece.data(), piece.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) throw Error(std::string("standard input: ") + std::strerror(errno));
    if (got == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace headscope::cli
