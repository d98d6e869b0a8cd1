#include "core/heads/query_key_scatter.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/base/assert.h"

namespace headscope {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

// [len, features] of a stage at (batch, head).
Matrix rows_of_stage(const Tensor& stage, std::int64_t batch, std::int64_t head) {
  const Tensor matrix = matrix_at(stage, batch, head);
  const std::vector<float> values = matrix.values();
  using Stored = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const Stored>(values.data(), matrix.dim(0), matrix.dim(1)).cast<double>();
}

// The sums over finite rows, added row by row in order.
struct Moments {
  std::int64_t count = 0;
  Vector mean;
  Matrix covariance;
};

Moments moments_of(const Matrix& queries, const Matrix& keys, const CancelToken& cancel) {
  Moments moments;
  const Eigen::Index features = queries.cols();
  moments.mean = Vector::Zero(features);
  moments.covariance = Matrix::Zero(features, features);
  const auto for_each = [&](const auto& visit) {
    for (const Matrix* rows : {&queries, &keys}) {
      for (Eigen::Index i = 0; i < rows->rows(); ++i) {
        if (i % 256 == 0) cancel.check();
        if (rows->row(i).allFinite()) visit(rows->row(i));
      }
    }
  };
  for_each([&](const auto& row) {
    moments.mean += row.transpose();
    ++moments.count;
  });
  if (moments.count == 0) return moments;
  moments.mean /= static_cast<double>(moments.count);
  for_each([&](const auto& row) {
    const Vector centred = row.transpose() - moments.mean;
    moments.covariance.noalias() += centred * centred.transpose();
  });
  moments.covariance /= static_cast<double>(moments.count);
  return moments;
}

// The component of largest absolute value becomes positive.
void fix_sign(Vector& direction) {
  Eigen::Index largest = 0;
  for (Eigen::Index d = 1; d < direction.size(); ++d) {
    if (std::fabs(direction[d]) > std::fabs(direction[largest])) largest = d;
  }
  if (direction[largest] < 0) direction = -direction;
}

std::vector<ScatterPoint> points_of(const Matrix& rows, const Vector& mean, const std::array<Vector, 2>& directions) {
  std::vector<ScatterPoint> points;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    ScatterPoint point{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
    if (rows.row(i).allFinite()) {
      const Vector centred = rows.row(i).transpose() - mean;
      point = {directions[0].dot(centred), directions[1].dot(centred)};
    }
    points.push_back(point);
  }
  return points;
}

}  // namespace

bool has_query_key_scatter(const Trace& trace) {
  return trace.find(StageId::query) != nullptr && trace.find(StageId::key) != nullptr;
}

QueryKeyScatter query_key_scatter(const Trace& trace, std::int64_t batch, std::int64_t head,
                                  const CancelToken& cancel) {
  HEADSCOPE_ASSERT(has_query_key_scatter(trace), "a trace without queries or keys");
  const Tensor& key = trace.tensor(StageId::key);
  const std::int64_t group = head / (trace.num_heads() / key.dim(1));
  const Matrix queries = rows_of_stage(trace.tensor(StageId::query), batch, head),
               keys = rows_of_stage(key, batch, group);
  const Moments moments = moments_of(queries, keys, cancel);
  QueryKeyScatter scatter;
  scatter.features = queries.cols();
  scatter.left_out = queries.rows() + keys.rows() - moments.count;
  std::array<Vector, 2> directions = {Vector::Zero(queries.cols()), Vector::Zero(queries.cols())};
  if (moments.count > 0) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(moments.covariance);
    const double total = moments.covariance.trace();
    for (int k = 0; k < 2 && k < queries.cols(); ++k) {
      const Eigen::Index at = queries.cols() - 1 - k;  // eigenvalues increase
      Vector& direction = directions[static_cast<std::size_t>(k)];
      direction = solver.eigenvectors().col(at);
      fix_sign(direction);
      if (total > 0) scatter.share[static_cast<std::size_t>(k)] = std::max(0.0, solver.eigenvalues()[at] / total);
    }
  }
  scatter.queries = points_of(queries, moments.mean, directions);
  scatter.keys = points_of(keys, moments.mean, directions);
  return scatter;
}

}  // namespace headscope
