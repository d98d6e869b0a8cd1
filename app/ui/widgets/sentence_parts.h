// The parts of a sentence that translation.cpp looks at: marks at its ends, captures, separators.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headscope::ui {

// Whether two letters of the alphabet stand one after the other: a number or a sign needs no translation.
bool has_words(std::string_view text);

// Blanks and marks at the begin and at the end, which a sentence has of the place where it stands: " ,.;:%()\u00b7".
std::string_view lead_of(std::string_view text);
std::string_view tail_of(std::string_view text);
// What stands between the two.
std::string_view between(std::string_view text, std::string_view lead, std::string_view tail);

// Whether a sentence or a fact ends within the text.
bool ends_a_sentence(std::string_view text);

// What stands before, between and behind the `{}` of a row.
std::vector<std::string> split_at_captures(std::string_view english);
std::vector<std::string_view> split(std::string_view text, std::string_view separator);

}  // namespace headscope::ui
