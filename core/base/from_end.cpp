#include "core/base/from_end.h"

#include <fmt/format.h>

#include <charconv>

#include "core/base/error.h"
#include "core/base/message_text.h"

namespace headscope {

std::int64_t parse_place(std::string_view option, std::string_view text) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;  // no text is so long
  std::int64_t at = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), at);
  if (error != std::errc() || end != text.data() + text.size() || at > kMost || at < -kMost) {
    throw UsageError(option, fmt::format("found '{}'", shortened(text)),
                     "a whole number: 0 is the first, -1 the last, -2 the one before it");
  }
  return at;
}

std::string places_text(std::int64_t size) {
  if (size <= 0) return "no place: it is empty";
  return fmt::format("0 to {}, or -{} to -1 from the end", size - 1, size);
}

}  // namespace headscope
