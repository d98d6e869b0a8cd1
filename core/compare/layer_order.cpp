#include "core/compare/layer_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/backend/linear.h"
#include "core/model/checkpoint.h"
#include "core/model/checkpoint_weights.h"
#include "core/model/layer_weights.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostNumbers = std::int64_t{1} << 24;  // that are compared one by one
constexpr std::int64_t kSomeRows = 16;                        // of larger matrices

using Layers = std::vector<BlockWeights>;

// Empty where the model has no weights of its own, as a capture.
Layers layers_of(const ModelTrace& model) {
  Layers layers;
  if (model.checkpoint == nullptr) return layers;
  for (std::int64_t l = 0; l < model.checkpoint->architecture().num_layers; ++l) {
    layers.push_back(model.checkpoint->block(l));
  }
  return layers;
}

bool same_matrix(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) return false;
  if (a.empty() || same_storage(a, b)) return true;
  if (a.size() <= kMostNumbers || a.rank() != 2) return a.values() == b.values();
  // Sixteen rows stand for a large matrix: no two trained matrices agree in them.
  std::vector<float> left(static_cast<std::size_t>(a.dim(1))), right(left.size());
  for (std::int64_t k = 0; k < kSomeRows; ++k) {
    Region row = whole(a.shape());
    row[0].begin = k * (a.dim(0) - 1) / (kSomeRows - 1);
    row[0].end = row[0].begin + 1;
    a.read(row, left);
    b.read(row, right);
    if (left != right) return false;
  }
  return true;
}

// Both a Linear or both NormWeights.
template <typename Weights>
bool same_weights(const Weights& a, const Weights& b) {
  return same_matrix(a.weight, b.weight) && same_matrix(a.bias, b.bias);
}

// Experts, latents and convolutions are not compared: a layer that has them is like no other.
bool same_layer(const BlockWeights& a, const BlockWeights& b) {
  const LayerWeights &left = a.attention, &right = b.attention;
  if (a.experts != nullptr || b.experts != nullptr || a.latents != nullptr || b.latents != nullptr) return false;
  if (left.fused() != right.fused()) return false;
  return same_weights(left.qkv, right.qkv) && same_weights(left.query, right.query) &&
         same_weights(left.key, right.key) && same_weights(left.value, right.value) &&
         same_weights(left.output, right.output) && same_matrix(left.sinks, right.sinks) &&
         same_matrix(a.query_norm, b.query_norm) && same_matrix(a.key_norm, b.key_norm) &&
         same_weights(a.gate, b.gate) && same_weights(a.up, b.up) && same_weights(a.down, b.down) &&
         same_weights(a.attention_norm, b.attention_norm) && same_weights(a.mlp_norm, b.mlp_norm) &&
         same_weights(a.attention_norm_out, b.attention_norm_out) && same_weights(a.mlp_norm_out, b.mlp_norm_out);
}

// For each layer of `of` the one of `in` that has its weights; nothing where there is none, or more than one.
std::optional<std::vector<std::int64_t>> places(const Layers& of, const Layers& in, const CancelToken& cancel) {
  std::vector<std::int64_t> result;
  for (const BlockWeights& layer : of) {
    cancel.check();
    const auto is_it = [&](const BlockWeights& other) { return same_layer(layer, other); };
    const auto found = std::find_if(in.begin(), in.end(), is_it);
    if (found == in.end() || std::find_if(found + 1, in.end(), is_it) != in.end()) return std::nullopt;
    const std::int64_t at = found - in.begin();
    if (std::find(result.begin(), result.end(), at) != result.end()) return std::nullopt;
    result.push_back(at);
  }
  return result;
}

// "layers 3 and 5 of A are missing in B".
std::string missing_words(const std::vector<std::int64_t>& there, std::size_t count, const char* with,
                          const char* without) {
  std::vector<std::int64_t> missing;
  for (std::int64_t k = 0; k < static_cast<std::int64_t>(count); ++k) {
    if (std::find(there.begin(), there.end(), k) == there.end()) missing.push_back(k);
  }
  if (missing.size() == 1) return fmt::format("layer {} of {} is missing in {}", missing.front(), with, without);
  const std::int64_t last = missing.back();
  missing.pop_back();
  return fmt::format("layers {} and {} of {} are missing in {}", fmt::join(missing, ", "), last, with, without);
}

}  // namespace

std::string layer_order_sentence(const ModelTrace& a, const ModelTrace& b, const CancelToken& cancel) {
  const Layers left = layers_of(a), right = layers_of(b);
  const std::string counts =
      a.layers.size() == b.layers.size() ? "" : fmt::format("A has {} layers, B {}", a.layers.size(), b.layers.size());
  if (left.empty() || right.empty()) return counts;
  const bool fewer_in_b = right.size() <= left.size();
  const auto found = fewer_in_b ? places(right, left, cancel) : places(left, right, cancel);
  if (!found) return counts;
  const bool in_order = std::is_sorted(found->begin(), found->end());
  if (left.size() != right.size()) {
    if (!in_order) return counts;
    return fewer_in_b ? missing_words(*found, left.size(), "A", "B") : missing_words(*found, right.size(), "B", "A");
  }
  if (in_order) return "";
  std::vector<std::int64_t> own(found->size());
  std::iota(own.begin(), own.end(), 0);
  return fmt::format("the layers stand in another order: layers {} of B are layers {} of A", fmt::join(own, ", "),
                     fmt::join(*found, ", "));
}

}  // namespace headscope
