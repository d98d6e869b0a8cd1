// The layer that `bench` runs repeatedly, always in the same memory.
#pragma once

#include "app/cli/bench_case.h"
#include "core/backend/backend.h"
#include "core/backend/score_rule.h"
#include "core/base/cancel.h"
#include "core/model/layer_weights.h"
#include "core/tensor/tensor.h"

namespace headscope::cli {

// Weights, inputs and results of one case, drawn from seed 0.
class BenchLayer {
 public:
  explicit BenchLayer(const BenchCase& size);

  // One forward: projection, attention, merged heads, output; alone only the attention. In `weights` mode every
  // attention weight is stored, in `flash` mode only the maxima and sums of rows. Throws Cancelled.
  void run(const Backend& backend, const CancelToken& cancel);

  // The result of the last run: [batch, seq_len, d_model], or the context [1, heads, seq_len, head_dim] when alone.
  const Tensor& result() const { return alone_ ? results_.context : output_; }
  // [batch, heads, seq_len, seq_len]; empty when alone.
  const Tensor& weights() const { return results_.weights; }

 private:
  bool alone_;
  ScoreRule rule_;
  LayerWeights layer_;
  Tensor x_, projected_;
  Tensor query_, key_, value_;
  AttentionResults results_;
  Tensor output_;
};

}  // namespace headscope::cli
