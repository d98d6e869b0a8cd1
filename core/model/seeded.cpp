#include "core/model/seeded.h"

#include <cmath>

namespace headscope {
namespace {

// FNV-1a, 64 bits.
class Fnv1a {
 public:
  void add(std::uint8_t byte) { hash_ = (hash_ ^ byte) * 0x100000001B3u; }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325u;
};

// mt19937 takes 32 bits, so both halves of the hash must reach them.
std::uint64_t word_seed(std::uint64_t seed, const std::string& word) {
  Fnv1a hash;
  for (int shift = 0; shift < 64; shift += 8) hash.add(static_cast<std::uint8_t>(seed >> shift));
  for (const char c : word) hash.add(static_cast<std::uint8_t>(c));
  return (hash.value() ^ (hash.value() >> 32)) & 0xFFFFFFFFu;
}

void multiply(Tensor& tensor, double gain) {
  if (gain == 1.0) return;
  float* values = tensor.mutable_data();
  for (std::int64_t i = 0; i < tensor.size(); ++i) values[i] = static_cast<float>(values[i] * gain);
}

}  // namespace

Linear draw_linear(TorchGenerator& generator, std::int64_t in, std::int64_t out, bool bias) {
  const double fan_in = static_cast<double>(in);
  const double gain = std::sqrt(2.0 / (1.0 + std::sqrt(5.0) * std::sqrt(5.0)));  // kaiming_uniform_(a = sqrt 5)
  const float weight_bound = static_cast<float>(std::sqrt(3.0) * (gain / std::sqrt(fan_in)));
  const float bias_bound = static_cast<float>(1.0 / std::sqrt(fan_in));
  Linear linear;
  linear.weight = Tensor::zeros({out, in}, {Axis::feature, Axis::feature});
  generator.uniform(out * in, -weight_bound, weight_bound, linear.weight.mutable_data());
  if (bias) {
    linear.bias = Tensor::zeros({out}, {Axis::feature});
    generator.uniform(out, -bias_bound, bias_bound, linear.bias.mutable_data());
  }
  return linear;
}

Tensor draw_sequence(TorchGenerator& generator, std::int64_t batch, std::int64_t seq_len, std::int64_t input_dim) {
  Tensor x = Tensor::zeros({batch, seq_len, input_dim}, {Axis::batch, Axis::position, Axis::feature});
  generator.randn(x.size(), x.mutable_data());
  return x;
}

Tensor word_vectors(std::uint64_t seed, const std::vector<std::string>& words, std::int64_t input_dim) {
  Tensor vectors = Tensor::zeros({static_cast<std::int64_t>(words.size()), input_dim}, {Axis::position, Axis::feature});
  float* row = words.empty() ? nullptr : vectors.mutable_data();
  for (const std::string& word : words) {
    TorchGenerator generator(word_seed(seed, word));
    generator.randn(input_dim, row);
    row += input_dim;
  }
  return vectors;
}

Tensor sinusoidal_positions(std::int64_t seq_len, std::int64_t input_dim) {
  Tensor positions = Tensor::zeros({seq_len, input_dim}, {Axis::position, Axis::feature});
  if (positions.size() == 0) return positions;
  float* value = positions.mutable_data();
  for (std::int64_t position = 0; position < seq_len; ++position) {
    for (std::int64_t feature = 0; feature < input_dim; ++feature) {
      const double exponent = static_cast<double>(feature - feature % 2) / static_cast<double>(input_dim);
      const double angle = static_cast<double>(position) / std::pow(10000.0, exponent);
      *value++ = static_cast<float>(feature % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  return positions;
}

LayerWeights draw_layer(TorchGenerator& generator, const SeededSizes& sizes, double init_gain, QkvLayout layout) {
  const auto [input_dim, d_model, heads, kv_heads] = sizes;
  LayerWeights weights;
  if (kv_heads == heads) {
    weights.qkv = draw_linear(generator, input_dim, 3 * d_model);
    weights.qkv_layout = layout == QkvLayout::blocked ? QkvLayout::blocked : QkvLayout::per_head;
  } else {
    const std::int64_t key_features = kv_heads * (d_model / heads);
    weights.query = draw_linear(generator, input_dim, d_model);
    weights.key = draw_linear(generator, input_dim, key_features);
    weights.value = draw_linear(generator, input_dim, key_features);
  }
  weights.output = draw_linear(generator, d_model, d_model);
  for (Linear* linear : {&weights.qkv, &weights.query, &weights.key, &weights.value, &weights.output}) {
    if (!linear->empty()) multiply(linear->weight, init_gain);
  }
  weights.num_heads = heads;
  return weights;
}

}  // namespace headscope
