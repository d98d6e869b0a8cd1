// The pieces of a LaTeX document: words for its text fonts, names, shapes and numbers for its formulas. Internal to
// core/script.
#pragma once

#include <string>
#include <string_view>

#include "core/request/stage.h"
#include "core/tensor/shape.h"

namespace headscope {

// At most `most` code points of plain text for \texttt: characters that TeX reads as commands or ligatures are escaped,
// lines may break after punctuation, and characters that the text fonts of pdflatex lack are written as their number,
// "U+6771".
std::string tex_text(std::string_view text, std::size_t most);

// "\mathit{masked\_scores}".
std::string tex_symbol(std::string_view name);
std::string tex_symbol(StageId stage);
// "\mathit{weights}_{b,h,i,j}".
std::string tex_at(StageId stage, std::string_view indices);
// "\mathbb{R}^{1 \times 5 \times 512}".
std::string tex_space(const Shape& shape);
// "-\infty", "0.125", "10^{-5}", "2 \cdot 10^{-20}".
std::string tex_number(double value);
// The same to four digits: for running text, not for data.
std::string tex_short(double value);

}  // namespace headscope
