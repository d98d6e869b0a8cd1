// Attention after the queries, keys and values of a few positions were replaced: row sums and contexts from what they
// were, in one pass over the queries and one over the context instead of all products.
//
//   sum'        = sum - exp(s_old - max) + exp(s_new - max)
//   context'[i] = (context[i] sum - exp(s_old - max) v_old + exp(s_new - max) v_new) / sum'
//
// A row is computed anew when its own query was replaced or when more than a quarter of its sum goes away: what is left
// would have lost digits. Where the score that goes away was the largest, `max` stays above what is left; sum belongs
// to it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/backend/backend.h"

namespace headscope {

struct ReplacedPositions {
  // As Backend::attention() took and gave them; stored.
  Tensor query, key, value;
  RowStatistics statistics;
  Tensor context;

  // Increasing, each below the number of queries and of keys. New rows of positions[n]:
  // [batch, heads, n, head_dim], [batch, kv_heads, n, ...].
  std::vector<std::int64_t> positions;
  Tensor new_query, new_key, new_value;
};

struct UpdatedAttention {
  RowStatistics statistics;  // [batch, heads, query_len]
  Tensor context;            // [batch, heads, query_len, value_head_dim]
  // Weights of row (b, h, i): the old ones times `factor`, but for those of the replaced keys, which are in `columns`
  // at (n, (b, h, i)) where the row sees any key; or a row of `rows`.
  Tensor factor;   // [batch, heads, query_len]
  Tensor columns;  // [positions, batch * heads * query_len]
  struct Row {
    std::int64_t b = 0, h = 0, i = 0;
    std::vector<float> weights;  // [key_len]
  };
  std::vector<Row> rows;  // in the order of (b, h, i)
};

// Whether updated_attention() knows the rule: no dropout, no softcap, no added values, hidden cells are -inf before the
// softmax.
bool can_update(const ScoreRule& rule);

// The results lie within 1e-5 of those that attention() gives, relative to the largest number of the row. Nothing when
// a number that takes part is not finite, when rows that were replaced see nothing, or when so many rows would have to
// be computed anew that it does not pay.
class CpuBackend;
std::optional<UpdatedAttention> updated_attention(const CpuBackend& backend, const ReplacedPositions& replaced,
                                                  const ScoreRule& rule, const CancelToken& cancel);

}  // namespace headscope
