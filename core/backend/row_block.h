// Attention for a block of rows of one head: scores of all keys that any of them sees, exact softmax, context.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/backend/backend.h"
#include "core/backend/packed_heads.h"
#include "core/backend/score_rows.h"
#include "core/backend/scratch.h"

namespace headscope {

// What all blocks of a pass share. The last stride of the tensors is 1.
struct AttentionPass {
  const ScoreRows& rows;
  const Tensor& query;
  const PackedKeys& keys;
  const FiniteValues* values;  // null: no context is wanted
  std::int64_t heads_per_kv_head = 1;
  std::int64_t head_dim = 0, value_head_dim = 0;
  QueryRange part;  // the results begin at its first row
  AttentionResults& to;
  bool past_caches = false;                     // weights are too many to stay in the caches
  const StageRows* visited = nullptr;           // rows of stages that are handed out on the way
  const VisitWeights* visit_weights = nullptr;  // then rows end there
  bool far = false;                             // rows_lie_far()
};

// The rows of a strip are multiplied together, with only the keys that at least one of them sees; a block has at most
// four strips.
constexpr std::int64_t kStripRows = 12;
constexpr std::int64_t kBlockStrips = 4;

struct RowExponentials {
  float max = 0, sum = 0;  // as RowStatistics
};

// cells = exp(cells * factor - max) over the spans, and their sum. `max` is the largest cells * factor, in which NaN
// may have been passed over, or the sink where that is larger; a sink counts as one cell more, which is kept nowhere.
// When `max` is -inf: 0. When `max` or a cell is otherwise not finite: NaN, and the cells are left unchanged.
RowExponentials exponentials_of_row(float* cells, const KeySpans& spans, float factor, float max,
                                    float sink = -HUGE_VALF);

// Whether the rows of a pass that hands weights out are so long that a block's scores belong into memory (far_rows.h).
bool rows_lie_far(std::int64_t key_len);

// How many rows a block should have, so that its scores stay in the second cache; as many as may be of those that lie
// far.
std::int64_t rows_of_block(std::int64_t key_len, bool far);

// Floats of scratch memory for a block of that many rows.
std::int64_t scratch_of_block(const AttentionPass& pass, std::int64_t rows);

// Computes the rows `queries` of head (b, h), counted in the whole query. Throws Cancelled.
void compute_row_block(const AttentionPass& pass, std::int64_t b, std::int64_t h, Range queries, float* scratch,
                       const CancelToken& cancel);

}  // namespace headscope
