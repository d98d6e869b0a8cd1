// Inputs and requests made in memory, so that the engine is tested without files.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/forward.h"
#include "core/backend/backend.h"
#include "core/model/inputs.h"
#include "core/request/problem.h"

namespace headscope {

// Numbers in [-1, 1), the same everywhere.
inline std::vector<float> random_values(std::int64_t count, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(generator() >> 8) / 8388608.0F - 1.0F;
  return values;
}

inline Axes axes_of_rank(int rank) {
  Axes axes;
  for (int i = 0; i < rank; ++i) axes.push_back(Axis::feature);
  return axes;
}

inline Tensor random_tensor(const Shape& shape, std::uint32_t seed) {
  return Tensor::of(shape, axes_of_rank(shape.count), random_values(element_count(shape), seed));
}

inline Tensor tensor_of(const Shape& shape, std::vector<float> values) {
  return Tensor::of(shape, axes_of_rank(shape.count), std::move(values));
}

struct MadeSizes {
  std::int64_t batch = 1, query_len = 5, key_len = 5;
  std::int64_t heads = 2, kv_heads = 2, head_dim = 3, value_head_dim = 3;
};

inline std::vector<std::string> numbered_tokens(const char* prefix, std::int64_t count) {
  std::vector<std::string> tokens;
  for (std::int64_t i = 0; i < count; ++i) tokens.push_back(prefix + std::to_string(i));
  return tokens;
}

inline Inputs sized_inputs(const MadeSizes& sizes) {
  Inputs inputs;
  inputs.batch = sizes.batch;
  inputs.query_len = sizes.query_len;
  inputs.key_len = sizes.key_len;
  inputs.num_heads = sizes.heads;
  inputs.num_kv_heads = sizes.kv_heads;
  inputs.head_dim = sizes.head_dim;
  inputs.value_head_dim = sizes.value_head_dim;
  inputs.d_model = sizes.heads * sizes.value_head_dim;
  inputs.tokens = numbered_tokens("q", sizes.query_len);
  inputs.key_tokens = numbered_tokens("k", sizes.key_len);
  return inputs;
}

// Attention alone.
inline Inputs alone_inputs(const MadeSizes& sizes, std::uint32_t seed = 1) {
  Inputs inputs = sized_inputs(sizes);
  inputs.query = random_tensor({sizes.batch, sizes.heads, sizes.query_len, sizes.head_dim}, seed);
  inputs.key = random_tensor({sizes.batch, sizes.kv_heads, sizes.key_len, sizes.head_dim}, seed + 1);
  inputs.value = random_tensor({sizes.batch, sizes.kv_heads, sizes.key_len, sizes.value_head_dim}, seed + 2);
  return inputs;
}

inline Request alone_request() {
  Request request;
  request.query = "q.npy";
  request.key = "k.npy";
  request.value = "v.npy";
  return request;
}

inline Linear random_linear(std::int64_t in, std::int64_t out, std::uint32_t seed, bool bias = true) {
  Linear linear;
  linear.weight = random_tensor({out, in}, seed);
  if (bias) linear.bias = random_tensor({out}, seed + 100);
  return linear;
}

// Self-attention with a fused projection of `layout` rows and an output projection.
struct FusedSizes {
  std::int64_t batch = 2, len = 5, input_dim = 7, heads = 2, head_dim = 3;
  std::uint32_t seed = 1;
};
inline Inputs fused_inputs(QkvLayout layout, const FusedSizes& of = {}) {
  Inputs inputs = sized_inputs({of.batch, of.len, of.len, of.heads, of.heads, of.head_dim, of.head_dim});
  inputs.key_tokens = inputs.tokens;
  inputs.input_dim = of.input_dim;
  inputs.x = random_tensor({of.batch, of.len, of.input_dim}, of.seed);
  inputs.weights.qkv = random_linear(of.input_dim, 3 * inputs.d_model, of.seed + 1);
  inputs.weights.qkv_layout = layout;
  inputs.weights.output = random_linear(inputs.d_model, inputs.d_model, of.seed + 2);
  return inputs;
}

inline Request phrase_request() {
  Request request;
  request.phrase = "a b c d e";
  return request;
}

inline std::shared_ptr<const Trace> traced(const Request& request, Inputs inputs,
                                           const std::shared_ptr<const Backend>& backend) {
  return forward(request, std::make_shared<const Inputs>(std::move(inputs)), backend, CancelToken());
}

// By the reference backend.
inline std::shared_ptr<const Trace> traced(const Request& request, Inputs inputs) {
  return traced(request, std::move(inputs), make_reference_backend());
}

// The largest absolute difference; NaN against anything but NaN, and an infinity against anything but itself, count
// as infinite.
inline double largest_difference(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape())) return INFINITY;
  const std::vector<float> left = a.values();
  const std::vector<float> right = b.values();
  double largest = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i] == right[i] || (std::isnan(left[i]) && std::isnan(right[i]))) continue;
    const double difference = std::abs(static_cast<double>(left[i]) - right[i]);
    largest = std::isfinite(difference) ? std::max(largest, difference) : INFINITY;
  }
  return largest;
}

inline bool same_bits(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape())) return false;
  const std::vector<float> left = a.values();
  const std::vector<float> right = b.values();
  return left.empty() || std::memcmp(left.data(), right.data(), left.size() * sizeof(float)) == 0;
}

}  // namespace headscope
