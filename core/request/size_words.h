// The sizes that a request may name: what each is called in a sentence, and which values can run. Internal to
// core/request.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace headscope {

// Threads of the CPU backend; 0 means all cores.
inline constexpr std::int64_t kMostThreads = 1024;

struct SizeWords {
  std::string_view option;
  std::string_view what;  // it is a ... : "number of heads"
  std::int64_t low = 1, high = 65536;
};
std::span<const SizeWords> size_words();

// "number of heads" and "1 to 65536" of the option; the option has a row (asserted).
const SizeWords& size_words_of(std::string_view option);
// "1 to 65536"; "0 or more" where no number is too large.
std::string range_text(const SizeWords& size);

// The value of a size as it is typed: a whole number that is not below the least one. A number that is too large to run
// is found later, beside the other sizes. UsageError: "'0' is not a possible number of heads; expected 1 to 65536".
std::int64_t parse_size(std::string_view option, std::string_view text);

}  // namespace headscope
