// What a model does to the heads of queries and keys between the projection and their product: a norm of every head,
// then rotary positions.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/model/architecture.h"
#include "core/tensor/tensor.h"

namespace headscope {

// The turns of rotary positions, made once for all layers of a model. Thread-safe.
class RotaryTable {
 public:
  explicit RotaryTable(RotaryRule rule);
  const RotaryRule& rule() const { return rule_; }

  // Of positions 0 ... count - 1, a row of features / 2 numbers each: factor * cos(angle) and factor * sin(angle),
  // where angle = position * inverse_frequency is rounded to float32 as torch rounds it, cos and sin are taken in
  // double.
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

struct HeadRule {
  Tensor query_norm, key_norm;  // [head_dim], weights of an RMS norm over every head; or empty
  double norm_eps = 0;
  bool norm_plus_one = false;                 // the weights are added to 1
  std::shared_ptr<const RotaryTable> rotary;  // null: no rotary positions
  bool changes_queries() const { return rotary != nullptr || !query_norm.empty(); }
  bool changes_keys() const { return rotary != nullptr || !key_norm.empty(); }
};

// How one feature of a head at a position is turned: it becomes cosine * itself + sine * the other one of its pair.
struct FeatureTurn {
  std::int64_t other = -1;  // -1: it is not turned
  double cosine = 1, sine = 0;
};
FeatureTurn feature_turn(const HeadRule& rule, std::int64_t feature, std::int64_t position);

// Rows [begin, end) of `heads` [batch, heads, len, head_dim], by the rule with this norm (query_norm or key_norm), to
// the same rows of `to`, of the same shape, whose last axis has no gaps. With x a head of a position p, in float32:
//   x = x / sqrt(mean(x^2) + eps) * weight            (the mean in double), where there is a norm
//   (a, b) = (a cos - b sin, b cos + a sin)           for every pair (a, b) of rotary features, at position p
// Equals Qwen3RMSNorm and apply_rotary_pos_emb of Hugging Face Transformers. The bits of a row depend on nothing else.
void turn_heads(const HeadRule& rule, const Tensor& norm, const Tensor& heads, std::int64_t begin, std::int64_t end,
                Tensor& to);

}  // namespace headscope
