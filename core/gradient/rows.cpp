#include "core/gradient/rows.h"

#include <algorithm>
#include <array>

#include "core/base/assert.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

constexpr std::int64_t kRowsAtOnce = 64;      // of a matrix of weights
constexpr std::int64_t kColumnsAtLeast = 64;  // of it that one thread goes through

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

// visit(o, the columns of row o of the weight in double) for some of its rows.
template <typename Visit>
void visit_weight_rows(const Tensor& weight, Range rows, Range columns, const Visit& visit) {
  const std::int64_t width = columns.size();
  std::vector<float> block(static_cast<std::size_t>(std::min(kRowsAtOnce, rows.size()) * width));
  std::vector<double> row(static_cast<std::size_t>(width));
  for (std::int64_t first = rows.begin; first < rows.end; first += kRowsAtOnce) {
    const std::int64_t end = std::min(first + kRowsAtOnce, rows.end);
    weight.read({{first, end}, columns}, std::span(block).first(static_cast<std::size_t>((end - first) * width)));
    for (std::int64_t o = first; o < end; ++o) {
      std::copy_n(block.begin() + (o - first) * width, width, row.begin());
      visit(o, row);
    }
  }
}

// Whether a product with so many rows is worth waking a thread for.
bool is_long(const Tensor& weight, std::int64_t rows) {
  constexpr std::int64_t kFew = std::int64_t{1} << 16;
  return weight.size() * rows > kFew;
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

GradientRows linear_of(const GradientRows& x, const Linear& layer, ThreadPool& threads) {
  const std::int64_t outs = layer.weight.dim(0), ins = layer.weight.dim(1);
  HEADSCOPE_ASSERT(ins == x.features, to_string(layer.weight.shape()));
  GradientRows y(x.count, outs);
  const std::vector<float> bias = layer.bias.values();
  threads.run(parts_over(outs, kRowsAtOnce), is_long(layer.weight, x.count), [&](std::int64_t part) {
    const Range rows{part * kRowsAtOnce, std::min((part + 1) * kRowsAtOnce, outs)};
    visit_weight_rows(layer.weight, rows, {0, ins}, [&](std::int64_t o, const std::vector<double>& weight) {
      const double offset = bias.empty() ? 0.0 : static_cast<double>(bias[static_cast<std::size_t>(o)]);
      for (std::int64_t i = 0; i < x.count; ++i) {
        y.row(i)[static_cast<std::size_t>(o)] = product_of(x.row(i), weight) + offset;
      }
    });
  });
  return y;
}

// A part of the columns each: every sum goes through all rows of the weight in their order.
GradientRows before_linear(const GradientRows& dy, const Linear& layer, ThreadPool& threads) {
  const std::int64_t outs = layer.weight.dim(0), ins = layer.weight.dim(1);
  HEADSCOPE_ASSERT(outs == dy.features, to_string(layer.weight.shape()));
  GradientRows dx(dy.count, ins);
  const std::int64_t width = std::max(kColumnsAtLeast, parts_over(ins, threads.threads()));
  threads.run(parts_over(ins, width), is_long(layer.weight, dy.count), [&](std::int64_t part) {
    const Range columns{part * width, std::min((part + 1) * width, ins)};
    visit_weight_rows(layer.weight, {0, outs}, columns, [&](std::int64_t o, const std::vector<double>& weight) {
      for (std::int64_t i = 0; i < dy.count; ++i) {
        const double factor = dy.row(i)[static_cast<std::size_t>(o)];
        if (factor == 0) continue;
        const std::span<double> row = dx.row(i).subspan(static_cast<std::size_t>(columns.begin), weight.size());
        for (std::size_t d = 0; d < weight.size(); ++d) row[d] += factor * weight[d];
      }
    });
  });
  return dx;
}

}  // namespace headscope
