// A line of code in pieces that are coloured alike: Python, and LaTeX.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/script/script_parts.h"

namespace headscope::ui {

struct CodePiece {
  enum class Kind { plain, keyword, text, number, comment, heading } kind = Kind::plain;
  std::size_t begin = 0, end = 0;  // bytes of the line
  friend bool operator==(const CodePiece&, const CodePiece&) = default;
};

// In order and without gaps. Python: keywords, strings, numbers, comments. LaTeX: commands are keywords, what stands
// between $ and $ is text, and there are numbers and comments. heading: the comment that begins a section. No string
// goes over the end of its line.
std::vector<CodePiece> code_pieces(std::string_view line, ScriptLanguage language);

}  // namespace headscope::ui
