#include "core/model/row_norm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "core/base/assert.h"

namespace headscope {
namespace {

// Sums of this many interleaved parts, then of the parts: a fixed order that does not wait for every addition.
constexpr std::int64_t kParts = 8;

template <typename Term>
double sum_of(std::int64_t count, Term&& term) {
  std::array<double, kParts> parts{};
  std::int64_t d = 0;
  for (; d + kParts <= count; d += kParts) {
    for (std::int64_t part = 0; part < kParts; ++part) parts[static_cast<std::size_t>(part)] += term(d + part);
  }
  for (std::int64_t part = 0; d < count; ++d, ++part) parts[static_cast<std::size_t>(part)] += term(d);
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

// The numbers of a norm as they are multiplied.
struct Factors {
  std::vector<float> weight, bias;
};

void norm_row(const RowNorm& norm, const Factors& factors, const float* x, float* y) {
  const auto features = static_cast<std::int64_t>(factors.weight.size());
  if (norm.scales) {
    for (std::int64_t d = 0; d < features; ++d) y[d] = x[d] * factors.weight[static_cast<std::size_t>(d)];
    return;
  }
  const auto count = static_cast<double>(features);
  double mean = 0;
  if (norm.kind == Architecture::Norm::layer) {
    mean = sum_of(features, [x](std::int64_t d) { return static_cast<double>(x[d]); }) / count;
  }
  const double squares = sum_of(features, [x, mean](std::int64_t d) { return (x[d] - mean) * (x[d] - mean); });
  const double factor = 1.0 / std::sqrt(squares / count + norm.eps);
  const double offset = norm.plus_one ? 1.0 : 0.0;
  const float* weight = factors.weight.data();
  const float* bias = factors.bias.empty() ? nullptr : factors.bias.data();
  for (std::int64_t d = 0; d < features; ++d) {
    const double scaled = (x[d] - mean) * factor * (offset + weight[d]);
    y[d] = static_cast<float>(bias == nullptr ? scaled : scaled + bias[d]);
  }
}

}  // namespace

RowNorm row_norm_of(const Architecture& architecture, const NormWeights& weights) {
  return {architecture.norm, weights, architecture.norm_eps, architecture.norm_plus_one, ""};
}

RowNorm result_norm_of(const Architecture& architecture, const NormWeights& weights) {
  RowNorm norm = row_norm_of(architecture, weights);
  norm.scales = architecture.layer_scale;
  return norm;
}

void norm_rows(const RowNorm& norm, const Tensor& x, std::int64_t begin, Tensor& y) {
  const std::int64_t features = x.dim(2);
  HEADSCOPE_ASSERT(x.shape() == y.shape() && (norm.weights.empty() || norm.weights.weight.size() == features),
                   to_string(x.shape()) + " to " + to_string(y.shape()));
  const Factors factors{norm.weights.weight.values(), norm.weights.bias.values()};
  for (std::int64_t b = 0; b < x.dim(0); ++b) {
    for (std::int64_t i = begin; i < x.dim(1); ++i) {
      const float* from = x.data() + b * x.strides()[0] + i * x.strides()[1];
      float* to = y.mutable_data() + b * y.strides()[0] + i * y.strides()[1];
      if (!factors.weight.empty()) {
        norm_row(norm, factors, from, to);
      } else if (from != to) {
        std::copy_n(from, features, to);
      }
    }
  }
}

Tensor normed_on_demand(const RowNorm& norm, const Tensor& x) {
  const auto factors =
      std::make_shared<const Factors>(Factors{norm.weights.weight.values(), norm.weights.bias.values()});
  return Tensor::computed(x.shape(), x.axes(), [norm, factors, x](const Region& region, std::span<float> out) {
    const auto features = static_cast<std::size_t>(x.dim(2));
    std::vector<float> row(features);
    auto to = out.begin();
    for (std::int64_t b = region[0].begin; b < region[0].end; ++b) {
      for (std::int64_t i = region[1].begin; i < region[1].end; ++i) {
        x.read({{b, b + 1}, {i, i + 1}, {0, x.dim(2)}}, row);
        if (!factors->weight.empty()) norm_row(norm, *factors, row.data(), row.data());
        to = std::copy(row.begin() + region[2].begin, row.begin() + region[2].end, to);
      }
    }
  });
}

}  // namespace headscope
