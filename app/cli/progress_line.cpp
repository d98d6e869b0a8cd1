#include "app/cli/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/cli/output.h"
#include "core/base/system/streams.h"

namespace headscope::cli {

namespace {

constexpr std::size_t kUsualColumns = 80;
constexpr const char* kToLineStart = "\r\x1b[K";  // and what stood there is wiped out

std::size_t terminal_columns() {
  const std::size_t known = system::terminal_columns();
  return known > 0 ? known : kUsualColumns;
}

}  // namespace

ProgressLine::ProgressLine() : terminal_(system::is_terminal(system::kError)) {}

ProgressLine::~ProgressLine() {
  erase();
}

void ProgressLine::show(const std::string& what, std::optional<double> share) {
  if (!terminal_ || (what == what_ && Clock::now() < next_)) return;
  what_ = what;
  next_ = Clock::now() + std::chrono::milliseconds(100);
  const std::string percent =
      share ? fmt::format("  {:.0f} %", std::floor(100 * std::clamp(*share, 0.0, 1.0))) : std::string();
  // Bytes, not columns: a name in other scripts is cut a little early, and a line never wraps.
  const std::size_t columns = terminal_columns(),
                    room = columns > percent.size() + 1 ? columns - percent.size() - 1 : 0;
  const std::string words = printable(what);
  const std::string line = kToLineStart + (words.size() <= room ? words : std::string()) + percent;
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

void ProgressLine::erase() {
  if (what_.empty()) return;
  std::fputs(kToLineStart, stderr);
  std::fflush(stderr);
  what_.clear();
}

}  // namespace headscope::cli
