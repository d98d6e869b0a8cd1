// A matrix of weights as one wants to see it: without some keys, by words instead of pieces. The numbers that were
// computed stay what they are.
#pragma once

#include <string>

namespace headscope {

// What is changed for the eye; nothing by default.
struct TokenView {
  bool hide_special = false;  // columns of special tokens are removed
  bool hide_first = false;    // the column of the first token, where heads put what they do not need
  bool renormalize = false;   // rows that lost columns are divided by what is left of their sum
  bool merge_words = false;   // pieces of a word become one: sum over key pieces, mean over query pieces
  friend bool operator==(const TokenView&, const TokenView&) = default;
  bool changes_something() const { return hide_special || hide_first || merge_words; }
};

// "columns of special tokens hidden, rows renormalised; pieces of a word: sum over keys, mean over queries"; "" for
// none. For the screen.
std::string token_view_sentence(const TokenView& view);

}  // namespace headscope
