#include "core/circuits/reduced_maps.h"

#include <Eigen/Core>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <limits>

#include "core/base/assert.h"
#include "core/circuits/stacked_values.h"

namespace headscope {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrix matrix_of(const Tensor& stack, std::int64_t number) {
  const std::vector<double> values = stacked_values(stack, number);
  return Eigen::Map<const Matrix>(values.data(), stack.dim(1), stack.dim(2));
}

// R of W^T = Q R, [min(rows, columns), rows] of W.
Matrix triangle_of(const Matrix& w) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> decomposed(w.transpose());
  const Eigen::Index rank = std::min(w.rows(), w.cols());
  return decomposed.matrixQR().topRows(rank).triangularView<Eigen::Upper>();
}

// W^T = Q R: `columns` is Q [columns of W, rank], `triangle` R.
struct Orthonormal {
  Eigen::MatrixXd columns, triangle;
};

Orthonormal orthonormal_of(const Matrix& w) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> decomposed(w.transpose());
  const Eigen::Index rank = std::min(w.rows(), w.cols());
  return {decomposed.householderQ() * Eigen::MatrixXd::Identity(w.cols(), rank),
          decomposed.matrixQR().topRows(rank).triangularView<Eigen::Upper>()};
}

void check_rows(const Tensor& a, const Tensor& b) {
  HEADSCOPE_ASSERT(a.dim(1) == b.dim(1) && a.dim(2) == b.dim(2), to_string(a.shape()) + " and " + to_string(b.shape()));
}

}  // namespace

ReducedMap reduced_map(const Tensor& a_stack, std::int64_t a, const Tensor& b_stack, std::int64_t b) {
  check_rows(a_stack, b_stack);
  const Matrix product = triangle_of(matrix_of(a_stack, a)) * matrix_of(b_stack, b);
  ReducedMap reduced;
  reduced.rows = product.rows();
  reduced.norm = product.norm();
  const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> stored = product.cast<float>();
  reduced.values.assign(stored.data(), stored.data() + stored.size());
  return reduced;
}

std::vector<double> singular_values(const Tensor& a_stack, std::int64_t a, const Tensor& b_stack, std::int64_t b) {
  check_rows(a_stack, b_stack);
  // A^T B = Q_A R_A R_B^T Q_B^T: those of the small matrix in the middle.
  const Eigen::MatrixXd middle = triangle_of(matrix_of(a_stack, a)) * triangle_of(matrix_of(b_stack, b)).transpose();
  if (!middle.allFinite()) {
    return std::vector<double>(static_cast<std::size_t>(middle.rows()), std::numeric_limits<double>::quiet_NaN());
  }
  const Eigen::VectorXd values = Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner>(middle).singularValues();
  return {values.data(), values.data() + values.size()};
}

std::vector<SingularDirection> singular_directions(const Tensor& a_stack, std::int64_t a, const Tensor& b_stack,
                                                   std::int64_t b) {
  check_rows(a_stack, b_stack);
  const Orthonormal left = orthonormal_of(matrix_of(a_stack, a)), right = orthonormal_of(matrix_of(b_stack, b));
  const Eigen::MatrixXd middle = left.triangle * right.triangle.transpose();
  const auto column = [](const Eigen::MatrixXd& of, Eigen::Index k) {
    const Eigen::VectorXd values = of.col(k);
    return std::vector<double>(values.data(), values.data() + values.size());
  };
  std::vector<SingularDirection> found;
  if (!middle.allFinite()) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> nowhere(static_cast<std::size_t>(left.columns.rows()), nan);
    found.resize(static_cast<std::size_t>(middle.rows()), SingularDirection{nan, nowhere, nowhere});
    return found;
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner> svd(middle,
                                                                         Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::MatrixXd lefts = left.columns * svd.matrixU(), rights = right.columns * svd.matrixV();
  for (Eigen::Index k = 0; k < middle.rows(); ++k) {
    found.push_back(SingularDirection{svd.singularValues()[k], column(lefts, k), column(rights, k)});
  }
  return found;
}

}  // namespace headscope
