// A box of text that wraps and scrolls: the phrase, and the key phrase.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

// The lines of a wrapped text, kept until text, width or scale change.
struct WrappedText {
  std::string text;
  float width = -1, scale = 0;
  std::vector<std::size_t> begins;  // of each line, in bytes
};
struct WrappedTexts {
  std::map<std::string, WrappedText> by_name;
};

// The first byte of each line of the text, wrapped at blanks to `width` pixels (a longer word is cut between
// graphemes). Kept in the state; computed anew only when text, width or scale change.
const std::vector<std::size_t>& wrapped_lines(Ui& ui, const std::string& name, const std::string& text, float width);

struct PhraseBox {
  std::string name;                            // of the control
  std::string hint;                            // shown while the box is empty
  const std::vector<Range>* tokens = nullptr;  // [begin, end) in bytes, each underlined; null: none
  std::int64_t query = -1, key = -1;           // tokens drawn in the colours of query and key; -1: none
  ControlState state;
};

// One line high; while it has the focus and more lines, it grows over the panels below, up to `most_lines`. True when
// the text changed. Only the user's typing changes the text.
bool phrase_box(Ui& ui, const Rect& rect, std::string& text, const PhraseBox& box, int most_lines = 6);

}  // namespace headscope::ui
