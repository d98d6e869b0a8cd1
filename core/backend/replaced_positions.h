// Attention after the queries, keys and values of a few positions were replaced: updates the row sums in one pass over
// the queries instead of computing all products, and gives what the contexts are computed from when a caller reads
// them.
//
//   sum'        = sum - exp(s_old - max) + exp(s_new - max)
//   context'[i] = context[i] factor + removed v_old + column v_new, with
//   factor = sum / sum', removed = -exp(s_old - max) / sum', column = exp(s_new - max) / sum'
//
// The weights of a row are computed anew when its own query was replaced or when more than a quarter of its sum is
// removed: the rest would have lost digits. Its context is computed from them when a caller reads it. Where the largest
// score is removed, `max` stays as before, above all remaining scores; `sum` is relative to it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/backend/backend.h"

namespace headscope {

struct ReplacedPositions {
  // Arguments and statistics of Backend::attention() before the replacement; stored tensors.
  Tensor query, key, value;
  RowStatistics statistics;

  // Increasing, each below the number of queries and of keys. Slice n of these tensors holds the new rows of
  // positions[n]:
  // [batch, heads, n, head_dim], [batch, kv_heads, n, ...].
  std::vector<std::int64_t> positions;
  Tensor new_query, new_key, new_value;
};

struct UpdatedAttention {
  RowStatistics statistics;  // [batch, heads, query_len]
  // Weights of row (b, h, i): the old ones times `factor`, but for those of the replaced keys, which are in `columns`
  // at (n, (b, h, i)) where the row sees any key; or a row of `rows`.
  Tensor factor;   // [batch, heads, query_len]
  Tensor columns;  // [positions, batch * heads * query_len]
  Tensor removed;  // the same shape: minus the weights that the replaced keys had, as parts of the new sums
  struct Row {
    std::int64_t b = 0, h = 0, i = 0;
    std::vector<float> weights;  // [key_len]
  };
  std::vector<Row> rows;  // in the order of (b, h, i)
};

// Whether updated_attention() knows the rule: no dropout, no softcap, no added values, hidden cells are -inf before the
// softmax.
bool can_update(const ScoreRule& rule);

// The results lie within 1e-5 of those of attention(), relative to the largest number of the row. nullopt when a number
// that takes part is not finite, when replaced rows see no key, or when so many rows would have to be computed anew
// that an update is not faster.
class CpuBackend;
std::optional<UpdatedAttention> updated_attention(const CpuBackend& backend, const ReplacedPositions& replaced,
                                                  const ScoreRule& rule, const CancelToken& cancel);

// The context of a row that was computed anew: context[d] = sum_j weights[j] * value[j][d], where hidden keys are left
// out whatever their values are. `mask` is the rule's.
std::vector<float> context_of(const UpdatedAttention::Row& row, const ReplacedPositions& replaced, const Mask& mask);

}  // namespace headscope
