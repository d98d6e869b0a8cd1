// Parses the values that a user types: strict numbers, lists and words; and the sentence that refuses a bad one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

// "--heads: '7.5' is not a whole number; expected 1 or more" as UsageError. `kind` reads "a whole number".
[[noreturn]] void refuse_value(std::string_view option, std::string_view text, std::string_view kind,
                               std::string_view expected);

// The whole text is one decimal integer within [low, high]: no blanks, plus sign, fraction or exponent.
std::int64_t parse_whole(std::string_view option, std::string_view text, std::int64_t low, std::int64_t high);
std::uint64_t parse_seed(std::string_view option, std::string_view text);

// The whole text is one decimal number that float64 holds; "inf" and "nan" are not. `expected` ends the sentence.
double parse_finite(std::string_view option, std::string_view text, std::string_view expected);

// The shortest decimal that reads back to the same value; "-inf", "inf", "nan".
std::string double_text(double value);

// "a,b" -> {"a", "b"}; UsageError for an empty text or term. `kind` as in refuse_value.
std::vector<std::string> parse_list(std::string_view option, std::string_view text, std::string_view kind,
                                    std::string_view expected);

// A path or a phrase: no NUL; with `utf8`, valid UTF-8 (UsageError names the first bad byte).
void check_text(std::string_view option, std::string_view text, bool utf8);

}  // namespace headscope
