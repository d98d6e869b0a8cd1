// A matrix of weights as one wants to see it: without some keys, by words instead of pieces. The numbers that were
// computed stay what they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/tensor/tensor.h"

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

// Which rows and columns are made of which: the same for every matrix of a trace.
struct TokenGroups {
  std::vector<std::vector<std::int64_t>> rows, columns;  // positions that each is made of, increasing
  std::vector<std::string> row_labels, column_labels;
  bool renormalize = false;
};

// `words` is Inputs::words: the word of each token, -1 for special tokens; empty: nothing is known of words, and each
// token is one. Neighbouring tokens of one word merge; special tokens stay alone. The key of bias_k is kept.
TokenGroups token_groups(const TokenView& view, const Trace& trace);

// m'[r, c] = mean over i in rows[r] of sum over j in columns[c] of m[i, j], then divided by sum_c m'[r, c] when
// renormalising (a row without anything left stays 0). `matrix` is [query, key].
Tensor by_groups(const Tensor& matrix, const TokenGroups& groups);

// "columns of special tokens hidden, rows renormalised; pieces of a word: sum over keys, mean over queries"; "" for
// none. For the screen.
std::string token_view_sentence(const TokenView& view);

}  // namespace headscope
