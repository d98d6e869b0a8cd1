// The two products of attention on blocks of rows: query · key into a block of scores, weights · value into context.
// Every cell is one chain of fused multiply-adds in the order of d (scores, from 0) or of j (context).
#pragma once

#include <cstdint>

namespace headscope {

// Keys are packed in panels [head_dim][kPanelKeys], value features lie in panels of kPanelFeatures.
constexpr std::int64_t kPanelKeys = 32;
constexpr std::int64_t kPanelFeatures = 32;

// Copies key j of `count` <= kPanelKeys (head_dim floats at key + j * stride) into column j of the panel; the other
// columns get 0.
void pack_key_panel(const float* key, std::int64_t stride, std::int64_t count, std::int64_t head_dim, float* panel);

// Copies `keys` rows of `features` floats at value + j * stride into panels [keys][kPanelFeatures], zeros after the
// last feature. NaN and infinite values become 0; returns true when there were none. Panel p begins at panels + p *
// panel_distance.
bool pack_values(const float* value, std::int64_t stride, std::int64_t keys, std::int64_t features, float* panels,
                 std::int64_t panel_distance);

// Whether no float of those rows is NaN or infinite.
bool all_finite(const float* value, std::int64_t stride, std::int64_t keys, std::int64_t features);

// scores[i * score_stride + j] for `rows` queries and one panel of keys.
struct QueryKeyBlock {
  const float* query = nullptr;
  std::int64_t query_stride = 0;
  std::int64_t rows = 0;
  std::int64_t head_dim = 0;
  const float* key_panel = nullptr;
  const float* next_panel = nullptr;  // prefetched into the cache; null: nothing is
  float* scores = nullptr;
  std::int64_t score_stride = 0;
};
void multiply_query_key(const QueryKeyBlock& block);

// context[i * context_stride + d] += sum over j < keys of weights[i * weight_stride + j] * value of key j at feature d,
// which lies at value + d / kPanelFeatures * panel_distance + j * value_stride + d % kPanelFeatures. Whole panels are
// read and written. One call reads every value panel once; give it as many keys as stay in the first cache
// (kKeysAtOnce).
struct WeightValueBlock {
  const float* weights = nullptr;
  std::int64_t weight_stride = 0;
  std::int64_t rows = 0;
  std::int64_t keys = 0;
  const float* value = nullptr;
  std::int64_t value_stride = 0;
  std::int64_t panel_distance = 0;
  std::int64_t panels = 0;
  bool fetches_next = false;  // prefetches as many keys that follow; only for values without gaps
  float* context = nullptr;
  std::int64_t context_stride = 0;
};
void multiply_weight_value(const WeightValueBlock& block);

// Copies finished sums to the context: every NaN becomes the same NaN, and -0 becomes 0 (hidden keys could change the
// sign of a zero).
void finish_sums(const float* sums, std::int64_t count, float* context);

// The best number of keys for one call of multiply_weight_value.
constexpr std::int64_t kKeysAtOnce = 256;

}  // namespace headscope
