// How a matrix of weights is shown: without some keys, by words instead of pieces. The computed numbers are unchanged.
#pragma once

#include <string>

namespace headscope {

// Changes of the shown matrix; none by default.
struct TokenView {
  bool hide_special = false;  // columns of special tokens are removed
  bool hide_first = false;    // the column of the first token (where many heads put weight that they do not need) is
                              // removed
  bool renormalize = false;   // rows that lost columns are divided by what is left of their sum
  bool merge_words = false;   // pieces of a word become one: sum over key pieces, mean over query pieces
  friend bool operator==(const TokenView&, const TokenView&) = default;
  bool changes_something() const { return hide_special || hide_first || merge_words; }
};

// "columns of special tokens hidden, rows renormalised; pieces of a word: sum over keys, mean over queries"; "" for
// none. For the screen.
std::string token_view_sentence(const TokenView& view);

}  // namespace headscope
