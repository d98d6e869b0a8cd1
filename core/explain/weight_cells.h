// Cells of a layer's weights by the names and axes of the file that holds them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/attention/projection_steps.h"
#include "core/attention/trace.h"
#include "core/explain/cell_source.h"

namespace headscope {

// The row of a projection's matrix that computes feature `o` of `part` (counted before the split into heads), then its
// bias when there is one. The rows of a fused projection are read in the request's layout.
std::vector<CellSource> projection_cells(const Trace& trace, Part part, std::int64_t o);

// Row `o` of the fused projection in the file's order, then its bias when there is one.
std::vector<CellSource> fused_projection_cells(const Trace& trace, std::int64_t o);

// Row `o` of the output projection, then its bias when there is one.
std::vector<CellSource> output_projection_cells(const Trace& trace, std::int64_t o);

// The weights of the norm after it, then their biases when there are some.
std::vector<CellSource> output_norm_cells(const Trace& trace);

// Feature `o` of bias_k or bias_v, which torch stores as [1, 1, features].
CellSource extra_key_cell(const Trace& trace, Part part, std::int64_t o);

// One number of the keys or values of the past, in their file; `index` is that of `key` or `value`.
CellSource past_cell(const Trace& trace, Part part, const Index& index);

// What the mask adds to the score at [b, h, i, j].
// The key (of c2p) or query (of p2c) of the relative position that cell [b, h, i, j] of the stage reads, row by row of
// position_scores.h.
CellSource position_cells(const Trace& trace, StageId stage, const Index& index);

double added_by_mask(const Trace& trace, const Index& index);
// The learned sink of head h, by its name in the file.
CellSource sink_cell(const Trace& trace, std::int64_t h);

// The role of one number of the layer's weights, in words: "key feature 3 of head 1 ← input feature 7" for a matrix,
// "output feature 3" for a bias. `index` in the file's own axes. "" for a name that the layer does not have.
std::string weight_meaning(const Trace& trace, const std::string& name, const Index& index);

}  // namespace headscope
