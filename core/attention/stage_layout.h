// How a stage lies on paper: which of its axes is batch, head, row and column, and what its rows and columns are named.
#pragma once

#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/tensor/matrix_layout.h"

namespace headscope {

// 4-D: [batch, head, rows, columns], but qkv_split is [batch, rows, head, columns]. 3-D: [batch, rows, columns].
MatrixLayout stage_layout(StageId stage);

// Whether its rows are positions of the key side: key_input, value_input, key_proj, value_proj, key, value.
bool rows_are_keys(StageId stage);

// [batch, head, rows, columns], a view: qkv_split with its heads before its positions. Others as they are.
Tensor heads_first(StageId stage, const Tensor& tensor);

// Where each axis of `to` stands in `from`, which has the same axes in another order; for StageInfo::moves.
PerAxis<int> axes_order(StageId from, StageId to);

// Heads that a stage has slices of: 1 for [batch, position, feature], num_kv_heads for key and value.
std::int64_t slice_count(const Trace& trace, StageId stage);
// The slice of a stage that belongs to query head `head`: itself, its kv head, or 0.
std::int64_t slice_of_head(const Trace& trace, StageId stage, std::int64_t head);

// The [rows, columns] matrix of (batch, head), or a part of it; computed when read. `head` is ignored in 3-D stages.
Tensor slice_of(StageId stage, const Tensor& tensor, std::int64_t batch, std::int64_t head, Range rows, Range columns);

// One name a row: query tokens, or key tokens for key, value and what they are made from.
std::vector<std::string> row_names_of(const Trace& trace, StageId stage);

// One name a column: key tokens for score-like stages, else "0", "1", ...
std::vector<std::string> column_names_of(const Trace& trace, StageId stage);

// "query\key" or "token\feature".
const char* csv_corner(StageId stage);

}  // namespace headscope
