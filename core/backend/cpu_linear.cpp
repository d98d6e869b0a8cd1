// Projections of the cpu backend.
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>
#include <algorithm>

#include "core/backend/cpu_backend.h"
#include "core/backend/operands.h"

namespace headscope {
namespace {

using RowMajorMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowMap = Eigen::Map<const RowMajorMatrix, Eigen::Unaligned, Eigen::OuterStride<>>;
using ColumnMap = Eigen::Map<const Eigen::MatrixXf, Eigen::Unaligned, Eigen::OuterStride<>>;
using ResultMap = Eigen::Map<RowMajorMatrix, Eigen::Unaligned, Eigen::OuterStride<>>;

constexpr std::int64_t kLinearRows = 128;     // tokens a tile
constexpr std::int64_t kLinearColumns = 128;  // output features a tile

}  // namespace

Tensor CpuBackend::linear(const Tensor& x, const Tensor& weight, const Tensor& bias, const CancelToken& cancel) const {
  const LinearSizes size = linear_sizes(x, weight, bias);
  const std::int64_t rows = size.batch * size.len;
  const Axes axes{Axis::batch, Axis::position, Axis::feature};
  Tensor result = Tensor::zeros({size.batch, size.len, size.out}, axes);
  if (result.size() == 0) return result;
  const Tensor flat = with_unit_last_stride(x.reshaped({rows, size.in}, {Axis::position, Axis::feature}));
  const bool by_columns = weight.strides()[0] == 1 && weight.strides()[1] != 1;
  const Tensor w = by_columns ? weight : with_unit_last_stride(weight);
  const std::vector<float> offsets = bias.empty() ? std::vector<float>() : bias.values();
  float* y = result.mutable_data();
  const std::int64_t column_tiles = parts_of(size.out, kLinearColumns);
  const double work = static_cast<double>(rows) * static_cast<double>(size.in) * static_cast<double>(size.out);
  run(parts_of(rows, kLinearRows) * column_tiles, work, cancel, [&](std::int64_t tile) {
    const std::int64_t row = tile / column_tiles * kLinearRows;
    const std::int64_t column = tile % column_tiles * kLinearColumns;
    const std::int64_t m = std::min(kLinearRows, rows - row);
    const std::int64_t n = std::min(kLinearColumns, size.out - column);
    const RowMap left(flat.data() + row * flat.strides()[0], m, size.in, Eigen::OuterStride<>(flat.strides()[0]));
    ResultMap to(y + row * size.out + column, m, n, Eigen::OuterStride<>(size.out));
    const float* from = w.data() + column * w.strides()[0];
    if (by_columns) {
      to.noalias() += left * ColumnMap(from, n, size.in, Eigen::OuterStride<>(w.strides()[1])).transpose();
    } else {
      to.noalias() += left * RowMap(from, n, size.in, Eigen::OuterStride<>(w.strides()[0])).transpose();
    }
    if (!offsets.empty()) to.rowwise() += Eigen::Map<const Eigen::RowVectorXf>(offsets.data() + column, n);
  });
  return result;
}

}  // namespace headscope
