// Places that are counted from the end: -1 is the last of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headscope {

// The place of `at` among `size`: at itself from 0 on, size + at for -1, -2 ... down to -size. Others come back as they
// are: they are out of range, and a message names what was typed.
constexpr std::int64_t counted_from_end(std::int64_t at, std::int64_t size) {
  return at < 0 && at >= -size ? size + at : at;
}

// A place as it is typed: a whole number, below 0 from the end. UsageError that names the option, what was found and
// what was expected.
std::int64_t parse_place(std::string_view option, std::string_view text);

// "0 to 4, or -5 to -1 from the end": which places there are among `size`.
std::string places_text(std::int64_t size);

}  // namespace headscope
