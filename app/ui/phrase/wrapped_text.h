// Where the lines of the phrase begin.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "app/ui/ui.h"

namespace headscope::ui {

// Of all text in a phrase box.
constexpr Type kPhraseType = Type::words16;

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

}  // namespace headscope::ui
