// Words in lines: where each word of a text stands when the text is wrapped at a width. Knows no font and draws
// nothing; the window and exported pictures use the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/heads/text_weights.h"

namespace headscope {

// A word, or a piece of one. Sizes in any unit, the same everywhere.
struct FlowWord {
  double width = 0;
  bool joined = false;    // stands at the one before it without a gap, in the same line where the word fits into one
  std::int8_t level = 0;  // of its first letter (embedding_levels); odd: it runs from right to left
};

struct FlowPlace {
  double x = 0;  // its left edge
  std::size_t line = 0;
};

struct TextFlow {
  std::vector<FlowPlace> places;   // of every word
  std::vector<std::size_t> lines;  // the first word of each line
  // The words of a line: [lines[line], end_of(line)).
  std::size_t end_of(std::size_t line) const { return line + 1 < lines.size() ? lines[line + 1] : places.size(); }
};

struct FlowRoom {
  double width = 0;
  double gap = 0;              // between words
  bool right_to_left = false;  // the paragraph: lines begin at the right
};

// Breaks lines between words, within a word only where it alone is wider than a line. The words of a line stand in the
// order in which they are seen (UAX 9, rule L2).
TextFlow text_flow(std::span<const FlowWord> words, const FlowRoom& room);

// The level of each word in the text that they make, with a blank before each that is not joined; and whether the text
// begins at the right.
struct WordLevels {
  std::vector<std::int8_t> levels;
  bool right_to_left = false;
};
WordLevels word_levels(std::span<const TextToken> words);

}  // namespace headscope
