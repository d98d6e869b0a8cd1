// The steps on heads between the projection and their product: numbers that are held within bounds, of queries and keys
// a norm of every head, or of all heads together, then rotary positions; or keys and values of a past, joined before
// the others.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/model/architecture.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Cosines and sines of rotary positions, computed once for all layers of a model. Thread-safe.
class RotaryTable {
 public:
  explicit RotaryTable(RotaryRule rule);
  const RotaryRule& rule() const { return rule_; }

  // One row of features / 2 numbers for each of the positions 0 ... count - 1: factor * cos(angle) and factor *
  // sin(angle), where angle = position * inverse_frequency is rounded to float32 as torch rounds it, cos and sin are
  // taken in double.
  struct Rows {
    std::int64_t count = 0;
    std::vector<float> cosine, sine;
  };
  // At least `positions` rows.
  std::shared_ptr<const Rows> rows(std::int64_t positions) const;

 private:
  const RotaryRule rule_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Rows> rows_;
};

// Keys and values that stand before the others: [batch, kv_heads, past_len, head_dim], as their files hold them.
struct Past {
  Tensor key, value;
  std::string key_path, value_path;
};

struct HeadRule {
  Tensor query_norm, key_norm;  // [head_dim], weights of a norm over every head; or empty
  double norm_eps = 0;
  bool norm_plus_one = false;  // the weights are added to 1
  bool norm_whole = false;     // the norm is over all heads of a position, its weights are [heads * head_dim]
  std::shared_ptr<const RotaryTable> rotary;   // null: no rotary positions
  std::shared_ptr<const Past> past = nullptr;  // null: nothing stands before the keys
  bool norm_own = false;      // the norm is over every head, its weights are [heads * head_dim]: every head's own
  bool norm_centred = false;  // a LayerNorm, which takes the mean away first; else an RMS norm
  double clip = 0;            // above 0: queries, keys and values are held within [-clip, clip] before all else
  // Whether a feature of a head becomes another one's, too.
  bool mixes_queries() const { return rotary != nullptr || !query_norm.empty(); }
  bool mixes_keys() const { return rotary != nullptr || !key_norm.empty(); }
  bool changes_queries() const { return mixes_queries() || clip > 0; }
  bool changes_keys() const { return mixes_keys() || clip > 0; }
  bool changes_values() const { return clip > 0; }
  // What of it is done to values.
  HeadRule of_values() const;
  double held(double value) const;  // within the bounds, where there are some
};

// Of a layer with these weights of norms and these rotary positions.
HeadRule head_rule_of_model(const Architecture& architecture, Tensor query_norm, Tensor key_norm,
                            std::shared_ptr<const RotaryTable> rotary);

// The rotation of one feature of a head at a position: the new value is cosine * feature + sine * the other feature of
// its pair.
struct FeatureTurn {
  std::int64_t other = -1;  // -1: the feature is not rotated
  double cosine = 1, sine = 0;
};
FeatureTurn feature_turn(const HeadRule& rule, std::int64_t feature, std::int64_t position);

// Applies the rule with `norm` (query_norm or key_norm) to the rows [begin, end) of `heads` [batch, heads, len,
// head_dim] and writes the same rows of `to`, which has the same shape and no gaps along its last axis. With x a head
// of a position p, in float32:
//   x = min(max(x, -clip), clip)                      where there is a clip (MPT)
//   x = x / sqrt(mean(x^2) + eps) * weight            (the mean in double), where there is a norm; norm_whole: the
//                                                     mean is over all heads of the position (OLMo 2)
//   x = (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps) * weight      norm_centred (MPT, Cohere)
//   (a, b) = (a cos - b sin, b cos + a sin)           for every pair (a, b) of rotary features, at position p
// Equals Qwen3RMSNorm and apply_rotary_pos_emb of Hugging Face Transformers, torch.clamp and F.layer_norm. The bits of
// a row depend on that row alone.
void turn_heads(const HeadRule& rule, const Tensor& norm, const Tensor& heads, std::int64_t begin, std::int64_t end,
                Tensor& to);

// The positions of `first`, then those of `second`, both [batch, heads, len, head_dim]. Equals torch.cat(dim=2).
Tensor joined_heads(const Tensor& first, const Tensor& second);

}  // namespace headscope
