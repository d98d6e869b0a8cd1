// One query against some keys of a head, feature by feature: the products that a score is the sum of.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/trace.h"
#include "core/tensor/shape.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct Neurons {
  std::int64_t head = 0, kv_head = 0, query = 0;
  Range keys;
  Tensor query_features;  // [1, head_dim] q_d
  Tensor key_features;    // [keys, head_dim] k_jd
  Tensor products;        // [keys, head_dim] q_d k_jd in float32; their sum is raw_scores[i, j] up to rounding
  // One a key. `scores` is the stage of that name; infinite where the mask was applied before the scaling.
  std::vector<float> raw_scores, scores, weights;
  std::vector<bool> hidden;
  // Largest absolute finite number of query and key features, and of the products; 0 when there is none.
  double largest_feature = 0, largest_product = 0;
  std::vector<float> product_shares;  // [keys, head_dim] products / largest_product: [-1, 1]; 0 where not finite
  double weight_sum = 0;              // over all keys, also those beyond `keys`
};

// Whether the trace has queries and keys: a capture of weights alone has none.
bool has_neurons(const Trace& trace);

// The products of one query; has_neurons(trace) must hold. Reads head_dim numbers a key and one row of raw_scores,
// scores and weights.
Neurons neurons_of(const Trace& trace, std::int64_t batch, std::int64_t head, std::int64_t query, Range keys);

}  // namespace headscope
