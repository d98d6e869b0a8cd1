// How a stage is shown as matrices: which of its axes are batch, head, row and column, and the names of rows and
// columns.
#pragma once

#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/tensor/matrix_layout.h"

namespace headscope {

// 4-D: [batch, head, rows, columns], but qkv_split is [batch, rows, head, columns]. 3-D: [batch, rows, columns].
MatrixLayout stage_layout(StageId stage);

// Whether the rows of a stage are positions of the keys: key_input, value_input, key_proj, value_proj, key, value.
bool rows_are_keys(StageId stage);

// A view of qkv_split whose heads come before its positions: [batch, head, rows, columns]. Other stages are returned
// unchanged.
Tensor heads_first(StageId stage, const Tensor& tensor);

// For each axis of `to` its place among the axes of `from`, which has the same axes in another order. For stages with
// StageInfo::moves.
PerAxis<int> axes_order(StageId from, StageId to);

// How many slices, one for each head, a stage has: 1 for [batch, position, feature], num_kv_heads for key and value.
std::int64_t slice_count(const Trace& trace, StageId stage);
// The slice of a stage that query head `head` uses: its own number, the number of its key and value head, or 0.
std::int64_t slice_of_head(const Trace& trace, StageId stage, std::int64_t head);

// The [rows, columns] matrix of (batch, head), or a part of it; computed when read. `head` is ignored in 3-D stages.
Tensor slice_of(StageId stage, const Tensor& tensor, std::int64_t batch, std::int64_t head, Range rows, Range columns);

// The tokens of a stage's rows: of the queries or of the keys, without those of the past where keys are projected.
std::vector<std::string> row_tokens(const Trace& trace, StageId stage);

// A name for each row: query tokens, or key tokens for the stages whose rows are keys.
std::vector<std::string> row_names_of(const Trace& trace, StageId stage);

// A name for each column: key tokens for score-like stages, else "0", "1", ...
std::vector<std::string> column_names_of(const Trace& trace, StageId stage);

// The text in the corner of a CSV matrix: "query\key" or "token\feature".
const char* csv_corner(StageId stage);

}  // namespace headscope
