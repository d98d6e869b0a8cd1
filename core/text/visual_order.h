// The order in which the characters of a line are seen: the Unicode bidirectional algorithm (UAX 9), by FriBidi.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

// Where a paragraph begins: at the left, at the right, or where its first letter with a direction says (rules P2 and
// P3; at the left when there is none).
enum class LineDirection : std::uint8_t { left_to_right, right_to_left, from_text };

// The embedding level of each code point: even levels run from left to right, odd ones from right to left. Paragraphs,
// which end behind a line feed or another separator, are resolved one by one; the text is taken as one line, so that
// white space before the end of a paragraph has the level of the paragraph (rule L1). Characters that rule X9 removes
// (embeddings, overrides, joiners) have the level of what stands before them. Takes linear time.
std::vector<std::int8_t> embedding_levels(std::u32string_view text,
                                          LineDirection direction = LineDirection::left_to_right);

// The indices of items with these levels (characters or runs of a paragraph) as seen from left to right (rule L2).
std::vector<std::size_t> visual_order(std::span<const std::int8_t> levels);

// Whether a code point can make a line that begins at the left run from right to left anywhere: a letter or a number of
// such a script, or an embedding, an override or an isolate of that direction.
bool turns_the_line(std::uint32_t code_point);

// The text as a piece of a longer line: where it could turn what stands beside it, it lies between U+2068 and U+2069
// (an isolate, which takes no room), and isolates that it opens itself end with it. Other texts come back unchanged.
std::string isolated(std::string_view utf8);

// The code point that stands for this one where the text runs from right to left: ")" for "(". Most stand for
// themselves.
std::uint32_t mirrored(std::uint32_t code_point);

}  // namespace headscope
