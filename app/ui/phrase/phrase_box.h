// A box of text that wraps and scrolls: the phrase, and the key phrase.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

struct PhraseBox {
  std::string name;                                  // of the control
  std::string hint;                                  // shown while the box is empty
  std::shared_ptr<const std::vector<Range>> tokens;  // [begin, end) in bytes, each underlined; null: none
  std::int64_t query = -1, key = -1;                 // tokens drawn in the colours of query and key; -1: none
  std::int64_t picked = -1;                          // scrolled into sight when it changes; -1: none
  ControlState state;
};

// One line high; while it has the focus and more lines, it grows over the panels below, up to `most_lines`. When it
// shrinks again, the line of the caret stays, and a newly picked token brings its own; the wheel moves on from there.
// True when the text changed. Only the user's typing changes the text.
bool phrase_box(Ui& ui, const Rect& rect, std::string& text, const PhraseBox& box, int most_lines = 6);

}  // namespace headscope::ui
