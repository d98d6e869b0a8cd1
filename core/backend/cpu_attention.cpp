// Scores, softmax and context of the cpu backend: products on tiles whose place and size depend on nothing but the
// shapes. One thread computes a whole tile in one order, so that the bits do not depend on how many threads there are
// or on which region was asked for.
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/backend/cpu_backend.h"
#include "core/backend/operands.h"

namespace headscope {
namespace {

using RowMajorMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowMap = Eigen::Map<const RowMajorMatrix, Eigen::Unaligned, Eigen::OuterStride<>>;
using ResultMap = Eigen::Map<RowMajorMatrix, Eigen::Unaligned, Eigen::OuterStride<>>;

constexpr std::int64_t kScoreRows = 64;      // queries a tile
constexpr std::int64_t kScoreColumns = 256;  // keys a tile
constexpr std::int64_t kContextRows = 64;    // queries a tile

// Values of one batch and kv head, [key_len, value_head_dim], with every NaN and infinity replaced by 0, and where
// those were. Products with the finite part never meet 0 * NaN; what a visible cell sees is added afterwards.
struct FiniteValues {
  struct Cell {
    std::int64_t key, feature;
    float value;
  };
  Tensor finite;
  std::vector<Cell> others;
};

bool all_finite(const float* row, std::int64_t count) {
  // x - x is 0 for finite x and NaN otherwise.
  float sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += row[i] - row[i];
  return sum == 0.0F;
}

FiniteValues finite_values_of(const Tensor& matrix) {
  FiniteValues result{matrix, {}};
  const std::int64_t columns = matrix.dim(1);
  for (std::int64_t j = 0; j < matrix.dim(0); ++j) {
    const float* row = matrix.data() + j * matrix.strides()[0];
    if (all_finite(row, columns)) continue;
    if (result.others.empty()) result.finite = matrix.dense_copy();
    for (std::int64_t d = 0; d < columns; ++d) {
      if (std::isfinite(row[d])) continue;
      result.others.push_back({j, d, row[d]});
      result.finite.mutable_data()[j * columns + d] = 0.0F;
    }
  }
  return result;
}

// weights = exp(score - max) / sum over one dense row; float exponentials, sum in double.
void softmax(const float* scores, std::int64_t count, float* weights, float* max_of_row, float* sum_of_row) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  float max = -kInfinity;
  bool any_nan = false;
  for (std::int64_t j = 0; j < count; ++j) {
    max = scores[j] > max ? scores[j] : max;
    any_nan = any_nan || scores[j] != scores[j];
  }
  if (any_nan || std::isinf(max)) {
    std::fill_n(weights, count, plain_nan());
    *max_of_row = any_nan ? plain_nan() : max;
    *sum_of_row = !any_nan && max < 0 ? 0.0F : plain_nan();
    return;
  }
  double sum = 0;
  for (std::int64_t j = 0; j < count; ++j) {
    weights[j] = std::exp(scores[j] - max);
    sum += weights[j];
  }
  const double inverse = 1.0 / sum;
  for (std::int64_t j = 0; j < count; ++j) weights[j] = static_cast<float>(weights[j] * inverse);
  *max_of_row = max;
  *sum_of_row = static_cast<float>(sum);
}

}  // namespace

Tensor CpuBackend::query_key_products(const Tensor& query, const Tensor& key, const Region& region,
                                      const CancelToken& cancel) const {
  const ScoreSizes size = score_sizes(query, key, region);
  Tensor result = Tensor::zeros({region[0].size(), region[1].size(), region[2].size(), region[3].size()},
                                {Axis::batch, Axis::head, Axis::query, Axis::key});
  if (result.size() == 0) return result;
  const Tensor q = with_unit_last_stride(query);
  const Tensor k = with_unit_last_stride(key);
  float* scores = result.mutable_data();
  // Tiles lie on a grid of the whole matrix, not of the region.
  const std::int64_t first_row = region[2].begin / kScoreRows;
  const std::int64_t first_column = region[3].begin / kScoreColumns;
  const std::int64_t row_tiles = parts_of(region[2].end, kScoreRows) - first_row;
  const std::int64_t column_tiles = parts_of(region[3].end, kScoreColumns) - first_column;
  const std::int64_t heads = region[1].size();
  const double work = static_cast<double>(result.size()) * static_cast<double>(size.head_dim);
  run(region[0].size() * heads * row_tiles * column_tiles, work, cancel, [&](std::int64_t tile) {
    const std::int64_t matrix = tile / (row_tiles * column_tiles);
    const std::int64_t b = region[0].begin + matrix / heads;
    const std::int64_t h = region[1].begin + matrix % heads;
    const std::int64_t row = (first_row + tile / column_tiles % row_tiles) * kScoreRows;
    const std::int64_t column = (first_column + tile % column_tiles) * kScoreColumns;
    const std::int64_t m = std::min(kScoreRows, size.query_len - row);
    const std::int64_t n = std::min(kScoreColumns, size.key_len - column);
    const Strides& qs = q.strides();
    const Strides& ks = k.strides();
    const RowMap left(q.data() + b * qs[0] + h * qs[1] + row * qs[2], m, size.head_dim, Eigen::OuterStride<>(qs[2]));
    const RowMap right(k.data() + b * ks[0] + h / size.heads_per_kv_head * ks[1] + column * ks[2], n, size.head_dim,
                       Eigen::OuterStride<>(ks[2]));
    RowMajorMatrix product = RowMajorMatrix::Zero(m, n);
    product.noalias() += left * right.transpose();
    const std::int64_t row_begin = std::max(row, region[2].begin);
    const std::int64_t row_end = std::min(row + m, region[2].end);
    const std::int64_t column_begin = std::max(column, region[3].begin);
    const std::int64_t column_end = std::min(column + n, region[3].end);
    float* to = scores + matrix * region[2].size() * region[3].size();
    for (std::int64_t i = row_begin; i < row_end; ++i) {
      std::copy_n(product.data() + (i - row) * n + column_begin - column, column_end - column_begin,
                  to + (i - region[2].begin) * region[3].size() + column_begin - region[3].begin);
    }
  });
  return result;
}

Tensor CpuBackend::softmax_rows(const Tensor& masked_scores, RowStatistics* statistics,
                                const CancelToken& cancel) const {
  const Tensor scores = masked_scores.dense() ? masked_scores : masked_scores.dense_copy();
  const Shape& shape = scores.shape();
  Tensor result = Tensor::zeros(shape, scores.axes());
  RowStatistics rows = sized_row_statistics(shape);
  const std::int64_t columns = shape[3];
  const std::int64_t count = shape[0] * shape[1] * shape[2];
  const std::int64_t rows_per_task = std::max<std::int64_t>(1, 4096 / std::max<std::int64_t>(1, columns));
  float* weights = result.mutable_data();
  float* max_of_row = rows.max.mutable_data();
  float* sum_of_row = rows.sum.mutable_data();
  run(parts_of(count, rows_per_task), 30.0 * static_cast<double>(result.size()), cancel, [&](std::int64_t task) {
    const std::int64_t end = std::min(count, (task + 1) * rows_per_task);
    for (std::int64_t row = task * rows_per_task; row < end; ++row) {
      softmax(scores.data() + row * columns, columns, weights + row * columns, max_of_row + row, sum_of_row + row);
    }
  });
  if (statistics != nullptr) *statistics = rows;
  return result;
}

Tensor CpuBackend::weighted_values(const Tensor& weights, const Tensor& value, const HiddenCells& hidden,
                                   const CancelToken& cancel) const {
  const ContextSizes size = context_sizes(weights, value, hidden);
  Tensor result = Tensor::zeros({size.batch, size.heads, size.query_len, size.value_head_dim},
                                {Axis::batch, Axis::head, Axis::position, Axis::feature});
  if (result.size() == 0) return result;
  const Tensor w = with_unit_last_stride(weights);
  const Tensor v = with_unit_last_stride(value);
  const std::int64_t kv_heads = v.dim(1);
  std::vector<FiniteValues> values;
  for (std::int64_t matrix = 0; matrix < size.batch * kv_heads; ++matrix) {
    values.push_back(finite_values_of(matrix_at(v, matrix / kv_heads, matrix % kv_heads)));
  }
  float* context = result.mutable_data();
  const std::int64_t row_tiles = parts_of(size.query_len, kContextRows);
  const double work = static_cast<double>(w.size()) * static_cast<double>(size.value_head_dim);
  run(size.batch * size.heads * row_tiles, work, cancel, [&](std::int64_t tile) {
    const std::int64_t matrix = tile / row_tiles;
    const std::int64_t b = matrix / size.heads;
    const std::int64_t h = matrix % size.heads;
    const std::int64_t row = tile % row_tiles * kContextRows;
    const std::int64_t m = std::min(kContextRows, size.query_len - row);
    const FiniteValues& mine = values[static_cast<std::size_t>(b * kv_heads + h / size.heads_per_kv_head)];
    const Strides& ws = w.strides();
    const float* first_weight = w.data() + b * ws[0] + h * ws[1] + row * ws[2];
    const RowMap left(first_weight, m, size.key_len, Eigen::OuterStride<>(ws[2]));
    const RowMap right(mine.finite.data(), size.key_len, size.value_head_dim,
                       Eigen::OuterStride<>(mine.finite.strides()[0]));
    float* first = context + (matrix * size.query_len + row) * size.value_head_dim;
    ResultMap to(first, m, size.value_head_dim, Eigen::OuterStride<>(size.value_head_dim));
    to.noalias() += left * right;
    for (const FiniteValues::Cell& cell : mine.others) {
      for (std::int64_t i = 0; i < m; ++i) {
        const float weight = first_weight[i * ws[2] + cell.key];
        if (weight == 0.0F && hidden.hidden(b, h, row + i, cell.key)) continue;
        to(i, cell.feature) += weight * cell.value;
      }
    }
    for (float* x = first; x < first + m * size.value_head_dim; ++x) *x = std::isnan(*x) ? plain_nan() : *x;
  });
  return result;
}

}  // namespace headscope
