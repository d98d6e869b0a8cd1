// Shape checks of the operands of the four heavy steps, shared by all backends.
#pragma once

#include <cstdint>

#include "core/backend/backend.h"
#include "core/request/mask.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct LinearSizes {
  std::int64_t batch, len, in, out;
};
// Asserts x [batch, len, in], weight [out, in], bias [out] or empty.
LinearSizes linear_sizes(const Tensor& x, const Tensor& weight, const Tensor& bias);

struct ScoreSizes {
  std::int64_t batch, heads, query_len, key_len, head_dim, heads_per_kv_head;
};
// Asserts query [batch, heads, query_len, head_dim], key [batch, kv_heads, key_len, head_dim], and the region inside
// [batch, heads, query_len, key_len].
ScoreSizes score_sizes(const Tensor& query, const Tensor& key, const Region& region);

struct ContextSizes {
  std::int64_t batch, heads, query_len, key_len, value_head_dim, heads_per_kv_head;
};
// Asserts weights [batch, heads, query_len, key_len], value [batch, kv_heads, key_len, value_head_dim], and hidden
// cells of the same lengths.
ContextSizes context_sizes(const Tensor& weights, const Tensor& value, const HiddenCells& hidden);

// Empty statistics [batch, heads, query_len] for weights of this shape.
RowStatistics sized_row_statistics(const Shape& scores);

// The only NaN in results: the bits of a NaN do not depend on the operation that made it.
float plain_nan();

}  // namespace headscope
