#include "core/gradient/rows.h"

#include <algorithm>
#include <array>

#include "core/base/assert.h"

namespace headscope {
namespace {

constexpr std::int64_t kRowsAtOnce = 64;  // of a matrix of weights

// As so many interleaved sums that their additions need not wait for each other.
double product_of(std::span<const double> a, std::span<const double> b) {
  std::array<double, 8> parts{};
  std::size_t d = 0;
  for (; d + parts.size() <= a.size(); d += parts.size()) {
    for (std::size_t part = 0; part < parts.size(); ++part) parts[part] += a[d + part] * b[d + part];
  }
  double sum = 0;
  for (; d < a.size(); ++d) sum += a[d] * b[d];
  for (const double part : parts) sum += part;
  return sum;
}

// visit(o, row o of the weight in double) for all of its rows.
template <typename Visit>
void visit_weight_rows(const Tensor& weight, const Visit& visit) {
  const std::int64_t outs = weight.dim(0), ins = weight.dim(1);
  std::vector<float> block(static_cast<std::size_t>(kRowsAtOnce * ins));
  std::vector<double> row(static_cast<std::size_t>(ins));
  for (std::int64_t first = 0; first < outs; first += kRowsAtOnce) {
    const std::int64_t end = std::min(first + kRowsAtOnce, outs);
    weight.read({{first, end}, {0, ins}}, std::span(block).first(static_cast<std::size_t>((end - first) * ins)));
    for (std::int64_t o = first; o < end; ++o) {
      std::copy_n(block.begin() + (o - first) * ins, ins, row.begin());
      visit(o, row);
    }
  }
}

}  // namespace

GradientRows& GradientRows::operator+=(const GradientRows& other) {
  HEADSCOPE_ASSERT(values.size() == other.values.size(), "rows of other sizes");
  for (std::size_t k = 0; k < values.size(); ++k) values[k] += other.values[k];
  return *this;
}

GradientRows gradient_rows(const Tensor& tensor) {
  const std::int64_t features = tensor.dim(tensor.rank() - 1);
  GradientRows rows(features == 0 ? 0 : tensor.size() / features, features);
  const std::vector<float> values = tensor.values();
  std::copy(values.begin(), values.end(), rows.values.begin());
  return rows;
}

Tensor tensor_of_rows(const GradientRows& rows, const Shape& shape, const Axes& axes) {
  std::vector<float> values(rows.values.size());
  std::transform(rows.values.begin(), rows.values.end(), values.begin(),
                 [](double value) { return static_cast<float>(value); });
  return Tensor::of(shape, axes, std::move(values));
}

GradientRows linear_of(const GradientRows& x, const Linear& layer) {
  HEADSCOPE_ASSERT(layer.weight.dim(1) == x.features, to_string(layer.weight.shape()));
  GradientRows y(x.count, layer.weight.dim(0));
  const std::vector<float> bias = layer.bias.values();
  visit_weight_rows(layer.weight, [&](std::int64_t o, const std::vector<double>& weight) {
    const double offset = bias.empty() ? 0.0 : static_cast<double>(bias[static_cast<std::size_t>(o)]);
    for (std::int64_t i = 0; i < x.count; ++i) {
      y.row(i)[static_cast<std::size_t>(o)] = product_of(x.row(i), weight) + offset;
    }
  });
  return y;
}

GradientRows before_linear(const GradientRows& dy, const Linear& layer) {
  HEADSCOPE_ASSERT(layer.weight.dim(0) == dy.features, to_string(layer.weight.shape()));
  GradientRows dx(dy.count, layer.weight.dim(1));
  visit_weight_rows(layer.weight, [&](std::int64_t o, const std::vector<double>& weight) {
    for (std::int64_t i = 0; i < dy.count; ++i) {
      const double factor = dy.row(i)[static_cast<std::size_t>(o)];
      if (factor == 0) continue;
      const std::span<double> row = dx.row(i);
      for (std::size_t d = 0; d < weight.size(); ++d) row[d] += factor * weight[d];
    }
  });
  return dx;
}

}  // namespace headscope
