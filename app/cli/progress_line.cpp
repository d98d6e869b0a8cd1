#include "app/cli/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

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

constexpr std::string_view kLeftOut = "...";

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The first bytes at most, and the last ones, without a part of a code point.
std::string_view first_of(std::string_view text, std::size_t bytes) {
  bytes = std::min(bytes, text.size());
  while (bytes > 0 && bytes < text.size() && is_continuation(text[bytes])) --bytes;
  return text.substr(0, bytes);
}
std::string_view last_of(std::string_view text, std::size_t bytes) {
  std::size_t begin = text.size() - std::min(bytes, text.size());
  while (begin < text.size() && is_continuation(text[begin])) ++begin;
  return text.substr(begin);
}

}  // namespace

std::string fitted(const ProgressText& text, std::size_t bytes) {
  const std::size_t others = text.before.size() + text.after.size();
  if (others + text.name.size() <= bytes) return text.before + text.name + text.after;
  // Of a name at least its first and its last letter.
  if (others + kLeftOut.size() + 2 > bytes) {
    const std::size_t begin = std::min(text.after.find_first_not_of(": "), text.after.size());
    return std::string(first_of(std::string_view(text.after).substr(begin), bytes));
  }
  const std::size_t room = bytes - others - kLeftOut.size();
  std::string line = text.before;
  line += first_of(text.name, room / 2);
  line += kLeftOut;
  line += last_of(text.name, room - room / 2);
  return line + text.after;
}

ProgressLine::ProgressLine() : terminal_(system::is_terminal(system::kError)) {}

ProgressLine::~ProgressLine() {
  erase();
}

void ProgressLine::show(const ProgressText& what, std::optional<double> share) {
  const std::string whole = what.before + what.name + what.after;
  if (!terminal_ || (whole == what_ && Clock::now() < next_)) return;
  what_ = whole;
  next_ = Clock::now() + std::chrono::milliseconds(100);
  const std::string percent =
      share ? fmt::format("  {:.0f} %", std::floor(100 * std::clamp(*share, 0.0, 1.0))) : std::string();
  // Bytes, not columns: a name in other scripts is cut a little early, and a line never wraps.
  const std::size_t columns = terminal_columns(),
                    room = columns > percent.size() + 1 ? columns - percent.size() - 1 : 0;
  const ProgressText words{printable(what.before), printable(what.name), printable(what.after)};
  const std::string line = kToLineStart + fitted(words, room) + percent;
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
