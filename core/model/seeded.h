// Weights and inputs drawn as PyTorch's CPU generator draws them, so that a notebook's own numbers appear.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/model/layer_weights.h"
#include "core/tensor/tensor.h"

namespace headscope {

// torch.manual_seed(seed) followed by CPU draws. mt19937 seeded with the low 32 bits of `seed`. Every draw may throw
// Cancelled.
class TorchGenerator {
 public:
  explicit TorchGenerator(std::uint64_t seed, CancelToken cancel = {});

  // torch.randn(n): below 16 values one by one (polar pairs of doubles, the second kept), from 16 on Box-Muller over
  // blocks of 16 with the last 16 redrawn when 16 does not divide n. Within 2e-6 of torch.
  void randn(std::int64_t n, float* out);

  // tensor.uniform_(low, high): low + (high - low) * 24 random bits / 2^24.
  void uniform(std::int64_t n, float low, float high, float* out);

  std::uint32_t next_u32();

 private:
  std::uint32_t state_[624];
  int next_ = 624;
  bool has_spare_ = false;
  double spare_ = 0;
  CancelToken cancel_;
};

// nn.Linear(in, out).weight and .bias: kaiming_uniform(a = sqrt 5), both uniform in +-1/sqrt(in); weight first.
Linear draw_linear(TorchGenerator& generator, std::int64_t in, std::int64_t out, bool bias = true);

// x of `--embedding sequence`: torch.randn(batch, seq_len, input_dim) from the generator that then draws the layer.
Tensor draw_sequence(TorchGenerator& generator, std::int64_t batch, std::int64_t seq_len, std::int64_t input_dim);

// One row per word, [words, input_dim], each torch.randn(input_dim) of a generator seeded from `seed` and the word's
// UTF-8 bytes alone: the same word has the same vector everywhere.
Tensor word_vectors(std::uint64_t seed, const std::vector<std::string>& words, std::int64_t input_dim);

// sin and cos of 'Attention Is All You Need', 3.5: [seq_len, input_dim]; even features sin(pos / 10000^(f / dim)),
// odd features the cos of the same angle.
Tensor sinusoidal_positions(std::int64_t seq_len, std::int64_t input_dim);

struct SeededSizes {
  std::int64_t input_dim = 0, d_model = 0, heads = 0, kv_heads = 0;
};

// The layer that follows in the tutorials' order: nn.Linear(input_dim, 3*d_model) with per-head rows, then
// nn.Linear(d_model, d_model). With kv_heads != heads: nn.Linear(input_dim, d_model) for queries,
// nn.Linear(input_dim, kv_heads*head_dim) for keys, the same for values, then the output. Every weight matrix is
// multiplied by init_gain.
LayerWeights draw_layer(TorchGenerator& generator, const SeededSizes& sizes, double init_gain, QkvLayout layout);

}  // namespace headscope
