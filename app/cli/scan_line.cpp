#include "app/cli/scan_line.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "app/cli/arguments.h"
#include "app/cli/output.h"
#include "core/base/system/streams.h"

namespace headscope::cli {

namespace {

constexpr const char* kSaySeconds = "HEADSCOPE_SCAN_SAY_SECONDS";

// "12 s", "4 min", "3 h".
std::string time_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  return seconds < 6000 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.0f} h", seconds / 3600);
}

}  // namespace

ScanLine::ScanLine(std::string out)
    : text_{"scanning for ", std::move(out), ""}, terminal_(system::is_terminal(system::kError)) {
  if (terminal_) {
    between_ = 1;
  } else if (const char* seconds = std::getenv(kSaySeconds)) {
    between_ = finite_number(kSaySeconds, seconds);
  }
}

void ScanLine::show(const ScanProgress& at) {
  if (begun_at_ < 0) begun_at_ = at.done;
  const double share = at.of > 0 ? static_cast<double>(at.done) / static_cast<double>(at.of) : 1.0;
  const bool due = at.seconds - shown_ >= between_ || (terminal_ && text_.after.empty());
  if (due) {
    shown_ = at.seconds;
    text_.after = fmt::format(": {} of {}", at.done, counted(at.of, "phrase"));
    const std::int64_t done = at.done - begun_at_;
    if (done > 0 && at.seconds > 1) {
      text_.after +=
          fmt::format(", {:.0f} tokens/s, {} left", static_cast<double>(at.tokens) / at.seconds,
                      time_text(at.seconds * static_cast<double>(at.of - at.done) / static_cast<double>(done)));
    }
  }
  if (terminal_) {
    line_.show(text_, share);
  } else if (due) {
    say(share);
  }
}

void ScanLine::say(double share) const {
  const std::string line =
      printable(fmt::format("{}{}{}  {:.0f} %", text_.before, text_.name, text_.after, std::floor(100 * share))) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace headscope::cli
