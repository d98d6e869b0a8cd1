// Groups tokens into the rows and columns of a shown matrix.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/heads/token_view.h"
#include "core/tensor/tensor.h"

namespace headscope {

// The tokens of every shown row and column: the same for every matrix of a trace.
struct TokenGroups {
  std::vector<std::vector<std::int64_t>> rows, columns;  // the positions of each, increasing
  std::vector<std::string> row_labels, column_labels;
  bool renormalize = false;
};

// `words` is Inputs::words: the word of each token, -1 for special tokens; empty: words are not known, and each token
// is one. Neighbouring tokens of one word merge; special tokens stay alone. The key of bias_k is kept.
TokenGroups token_groups(const TokenView& view, const Trace& trace);

// m'[r, c] = mean over i in rows[r] of sum over j in columns[c] of m[i, j], then divided by sum_c m'[r, c] when
// renormalising (a row whose sum is 0 stays 0). `matrix` is [query, key].
Tensor by_groups(const Tensor& matrix, const TokenGroups& groups);

}  // namespace headscope
