#include "core/compare/layer_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/backend/linear.h"
#include "core/model/layer_weights.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostNumbers = std::int64_t{1} << 24;  // that are compared one by one
constexpr std::int64_t kSomeRows = 16;                        // of larger matrices

using Layers = std::vector<const LayerWeights*>;

// Nothing where a layer is missing or has no weights of its own.
std::optional<Layers> layers_of(const ModelTrace& model) {
  Layers layers;
  for (const std::shared_ptr<const Trace>& each : model.layers) {
    if (each == nullptr || each->inputs == nullptr || each->inputs->weights.empty()) return std::nullopt;
    layers.push_back(&each->inputs->weights);
  }
  return layers;
}

bool same_matrix(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) return false;
  if (a.empty() || same_storage(a, b)) return true;
  if (a.size() <= kMostNumbers || a.rank() != 2) return a.values() == b.values();
  // Of a large matrix rows from everywhere: no two trained ones agree in them.
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

bool same_layer(const LayerWeights& a, const LayerWeights& b) {
  if (a.fused() != b.fused()) return false;
  const auto same = [](const Linear& left, const Linear& right) {
    return same_matrix(left.weight, right.weight) && same_matrix(left.bias, right.bias);
  };
  if (a.fused() && !same(a.qkv, b.qkv)) return false;
  return same(a.query, b.query) && same(a.key, b.key) && same(a.value, b.value) && same(a.output, b.output);
}

// For each layer of `of` the one of `in` that has its weights; nothing where there is none, or more than one.
std::optional<std::vector<std::int64_t>> places(const Layers& of, const Layers& in, const CancelToken& cancel) {
  std::vector<std::int64_t> result;
  for (const LayerWeights* layer : of) {
    cancel.check();
    const auto is_it = [&](const LayerWeights* other) { return same_layer(*layer, *other); };
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
  const std::optional<Layers> left = layers_of(a), right = layers_of(b);
  if (!left || !right || left->empty() || right->empty()) return "";
  const bool fewer_in_b = right->size() <= left->size();
  const auto found = fewer_in_b ? places(*right, *left, cancel) : places(*left, *right, cancel);
  if (!found) return "";
  const bool in_order = std::is_sorted(found->begin(), found->end());
  if (left->size() != right->size()) {
    if (!in_order) return "";
    return fewer_in_b ? missing_words(*found, left->size(), "A", "B") : missing_words(*found, right->size(), "B", "A");
  }
  if (in_order) return "";
  std::vector<std::int64_t> own(found->size());
  std::iota(own.begin(), own.end(), 0);
  return fmt::format("the layers stand in another order: layers {} of B are layers {} of A", fmt::join(own, ", "),
                     fmt::join(*found, ", "));
}

}  // namespace headscope
