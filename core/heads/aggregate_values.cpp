#include "core/heads/aggregate_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/heads/maximum_flow.h"
#include "core/tensor/row_strips.h"

namespace headscope {
namespace {

constexpr double kMostFlowWork = 1 << 24;
constexpr std::int64_t kMostFlowLayers = 1024;  // a path may wind through every token of every layer

using Matrix = std::vector<double>;  // [rows, columns], row-major

struct Sizes {
  std::int64_t heads = 0, rows = 0, columns = 0;
  std::size_t cells() const { return static_cast<std::size_t>(rows * columns); }
};

Sizes sizes_of(const LayersOfWeights& layers) {
  HEADSCOPE_ASSERT(!layers.empty(), "an aggregate of no layer");
  const Tensor& first = layers.front();
  for (const Tensor& layer : layers) {
    HEADSCOPE_ASSERT(layer.rank() == 3 && layer.dim(1) == first.dim(1) && layer.dim(2) == first.dim(2),
                     to_string(layer.shape()) + " and " + to_string(first.shape()));
  }
  return {first.dim(0), first.dim(1), first.dim(2)};
}

// Calls add(cell of the result, value) for every weight.
template <typename Add>
void for_each_weight(const Tensor& layer, const CancelToken& cancel, const Add& add) {
  for_each_row(layer, [&](const Index&, std::int64_t i, std::span<const float> row) {
    if (i == 0) cancel.check();
    const std::size_t first = static_cast<std::size_t>(i) * row.size();
    for (std::size_t j = 0; j < row.size(); ++j) add(first + j, static_cast<double>(row[j]));
  });
}

Matrix mean_over(const LayersOfWeights& layers, const Sizes& sizes, const CancelToken& cancel) {
  Matrix mean(sizes.cells(), 0.0);
  double heads = 0;
  for (const Tensor& layer : layers) {
    heads += static_cast<double>(layer.dim(0));
    for_each_weight(layer, cancel, [&](std::size_t cell, double weight) { mean[cell] += weight; });
  }
  for (double& value : mean) value /= heads;
  return mean;
}

Matrix max_over(const LayersOfWeights& layers, const Sizes& sizes, const CancelToken& cancel) {
  Matrix largest(sizes.cells(), -INFINITY);
  for (const Tensor& layer : layers) {
    for_each_weight(layer, cancel, [&](std::size_t cell, double weight) {
      // NaN stays: a maximum over what is not a number is none.
      if (std::isnan(weight) || weight > largest[cell]) largest[cell] = weight;
    });
  }
  return largest;
}

// A^ of one layer.
Matrix with_residual(const Tensor& layer, const Sizes& sizes, const CancelToken& cancel) {
  Matrix mixed = mean_over({layer}, sizes, cancel);
  for (std::int64_t i = 0; i < sizes.rows; ++i) {
    double* row = mixed.data() + i * sizes.columns;
    double sum = 0;
    for (std::int64_t j = 0; j < sizes.columns; ++j) {
      row[j] = 0.5 * row[j] + (i == j ? 0.5 : 0.0);
      sum += row[j];
    }
    for (std::int64_t j = 0; j < sizes.columns; ++j) row[j] /= sum;
  }
  return mixed;
}

Matrix product(const Matrix& left, const Matrix& right, std::int64_t n, const CancelToken& cancel) {
  Matrix result(left.size(), 0.0);
  for (std::int64_t i = 0; i < n; ++i) {
    cancel.check();
    for (std::int64_t k = 0; k < n; ++k) {
      const double factor = left[static_cast<std::size_t>(i * n + k)];
      for (std::int64_t j = 0; j < n; ++j) {
        result[static_cast<std::size_t>(i * n + j)] += factor * right[static_cast<std::size_t>(k * n + j)];
      }
    }
  }
  return result;
}

Matrix rollout_of(const LayersOfWeights& layers, const Sizes& sizes, const CancelToken& cancel) {
  Matrix result;
  for (const Tensor& layer : layers) {
    Matrix mixed = with_residual(layer, sizes, cancel);
    result = result.empty() ? std::move(mixed) : product(mixed, result, sizes.rows, cancel);
  }
  return result;
}

Matrix flow_of(const LayersOfWeights& layers, const Sizes& sizes, const CancelToken& cancel) {
  std::vector<Matrix> capacities;
  for (const Tensor& layer : layers) capacities.push_back(with_residual(layer, sizes, cancel));
  for (const Matrix& layer : capacities) {
    // Flow has no meaning through a row that is not a number.
    if (std::any_of(layer.begin(), layer.end(), [](double value) { return std::isnan(value); })) {
      return Matrix(sizes.cells(), NAN);
    }
  }
  LayeredFlow flow(sizes.rows, capacities);
  Matrix result(sizes.cells(), 0.0);
  for (std::int64_t i = 0; i < sizes.rows; ++i) {
    for (std::int64_t j = 0; j < sizes.rows; ++j) {
      cancel.check();
      result[static_cast<std::size_t>(i * sizes.columns + j)] = flow.maximum(i, j);
    }
  }
  return result;
}

Tensor tensor_of(const Matrix& matrix, const Sizes& sizes) {
  return Tensor::of({sizes.rows, sizes.columns}, {Axis::query, Axis::key}, {matrix.begin(), matrix.end()});
}

}  // namespace

bool flow_fits(std::int64_t tokens, std::int64_t layers) {
  return layers <= kMostFlowLayers &&
         std::pow(static_cast<double>(tokens), 4) * static_cast<double>(layers) <= kMostFlowWork;
}

Tensor aggregate_of(Aggregate aggregate, const LayersOfWeights& layers, const CancelToken& cancel) {
  const Sizes sizes = sizes_of(layers);
  if (aggregate == Aggregate::mean) return tensor_of(mean_over(layers, sizes, cancel), sizes);
  if (aggregate == Aggregate::max) return tensor_of(max_over(layers, sizes, cancel), sizes);
  if (sizes.rows != sizes.columns) {
    throw UsageError("aggregate",
                     fmt::format("{} goes from layer to layer over the same tokens; found {} queries and {} keys",
                                 aggregate_name(aggregate), sizes.rows, sizes.columns));
  }
  if (aggregate == Aggregate::rollout) return tensor_of(rollout_of(layers, sizes, cancel), sizes);
  const auto depth = static_cast<std::int64_t>(layers.size());
  if (!flow_fits(sizes.rows, depth)) {
    throw UsageError(
        "aggregate", fmt::format("flow of {} tokens through {} layers would take too long", sizes.rows, depth),
        fmt::format("tokens^4 * layers of at most {:.0f} and at most {} layers", kMostFlowWork, kMostFlowLayers));
  }
  return tensor_of(flow_of(layers, sizes, cancel), sizes);
}

std::string_view value_weighted_formula() {
  return "|w[i, j] (v_j Wo^h)|: how much of the output's vector this weight moves (Kobayashi et al. 2020)";
}

Tensor value_weighted_norms(const Trace& trace, std::int64_t batch, std::int64_t head) {
  const Tensor weights = matrix_at(trace.tensor(StageId::weights), batch, head);
  const Tensor& values = trace.tensor(StageId::value);
  const Tensor value = matrix_at(values, batch, head / (trace.num_heads() / values.dim(1)));
  const std::int64_t keys = value.dim(0), features = value.dim(1);
  const std::vector<float> v = value.values();
  const Tensor& projection = trace.inputs->weights.output.weight;
  std::vector<float> columns;  // of the head, [out, features]
  if (!projection.empty()) columns = projection.sliced(1, head * features, (head + 1) * features).values();
  std::vector<double> norms(static_cast<std::size_t>(keys), 0.0);
  for (std::int64_t j = 0; j < keys; ++j) {
    const float* vector = v.data() + j * features;
    double sum = 0;
    if (columns.empty()) {
      for (std::int64_t d = 0; d < features; ++d) sum += static_cast<double>(vector[d]) * vector[d];
    }
    for (std::size_t row = 0; row < columns.size(); row += static_cast<std::size_t>(features)) {
      double moved = 0;
      for (std::int64_t d = 0; d < features; ++d) {
        moved += static_cast<double>(columns[row + static_cast<std::size_t>(d)]) * vector[d];
      }
      sum += moved * moved;
    }
    norms[static_cast<std::size_t>(j)] = std::sqrt(sum);
  }
  Tensor result = Tensor::zeros({weights.dim(0), weights.dim(1)}, {Axis::query, Axis::key});
  for_each_row(weights, [&](const Index&, std::int64_t i, std::span<const float> row) {
    float* out = result.mutable_data() + i * weights.dim(1);
    for (std::size_t j = 0; j < row.size(); ++j) out[j] = static_cast<float>(std::abs(row[j]) * norms[j]);
  });
  return result;
}

}  // namespace headscope
