#include "core/compare/rounded_products.h"

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <vector>

namespace headscope {
namespace {

constexpr std::int64_t kRowsAtOnce = 64;  // of a product, between two looks at whether it is still wanted

template <typename Real>
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <typename Real>
using Row = Eigen::Matrix<Real, 1, Eigen::Dynamic>;

// Stored numbers as what is added up.
template <typename Real>
Matrix<Real> matrix(const double* values, std::int64_t rows, std::int64_t columns) {
  return Eigen::Map<const Matrix<double>>(values, rows, columns).template cast<Real>();
}

// Stored numbers as one side of a product.
template <typename Real>
Matrix<Real> operand(const Rounder& rounder, const double* values, std::int64_t rows, std::int64_t columns) {
  Matrix<Real> result = matrix<Real>(values, rows, columns);
  if (!rounder.rounds_operands()) return result;
  return result.unaryExpr([&](Real each) { return static_cast<Real>(rounder.operand(static_cast<double>(each))); });
}

template <typename Real>
Real summed(const Rounder& rounder, Real value) {
  return static_cast<Real>(rounder.summed(static_cast<double>(value)));
}

// left · right, each sum rounded after every addition, in the order of the index.
template <typename Real, typename Left, typename Right>
Matrix<Real> summed_product(const Rounder& rounder, const Left& left, const Right& right, const CancelToken& cancel) {
  Matrix<Real> product(left.rows(), right.cols());
  for (Eigen::Index i = 0; i < left.rows(); ++i) {
    cancel.check();
    for (Eigen::Index j = 0; j < right.cols(); ++j) {
      Real sum = 0;
      for (Eigen::Index k = 0; k < left.cols(); ++k) sum = summed<Real>(rounder, sum + left(i, k) * right(k, j));
      product(i, j) = sum;
    }
  }
  return product;
}

// left · right + added, row-major, stored from `to` on.
template <typename Real, typename Right>
void store(const Rounder& rounder, const Matrix<Real>& left, const Right& right, const Row<Real>& added, double* to,
           const CancelToken& cancel) {
  for (Eigen::Index first = 0; first < left.rows(); first += kRowsAtOnce) {
    cancel.check();
    const auto rows = left.middleRows(first, std::min<std::int64_t>(kRowsAtOnce, left.rows() - first));
    Matrix<Real> product =
        rounder.rounds_sums() ? summed_product<Real>(rounder, rows, right, cancel) : Matrix<Real>(rows * right);
    if (added.size() > 0) product.rowwise() += added;
    to = std::transform(product.data(), product.data() + product.size(), to,
                        [&](Real sum) { return rounder.stored(static_cast<double>(summed<Real>(rounder, sum))); });
  }
}

}  // namespace

template <typename Real>
void RoundedProducts<Real>::store_transposed(const Side& left, const Side& right, double* to) const {
  const Matrix<Real> other = operand<Real>(rounder_, right.values, right.rows, right.columns);
  store<Real>(rounder_, operand<Real>(rounder_, left.values, left.rows, left.columns), other.transpose(), {}, to,
              cancel_);
}

template <typename Real>
void RoundedProducts<Real>::store_product(const Side& left, const Side& right, double* to) const {
  const Matrix<Real> other = operand<Real>(rounder_, right.values, right.rows, right.columns);
  store<Real>(rounder_, operand<Real>(rounder_, left.values, left.rows, left.columns), other, {}, to, cancel_);
}

template <typename Real>
WideStage RoundedProducts<Real>::projected(const WideStage& x, const Linear& linear) const {
  const std::int64_t rows = x.shape[0] * x.shape[1], in = x.shape[2], out = linear.weight.dim(0);
  const Matrix<Real> weight = operand<Real>(rounder_, rounder_.given_weight(linear.weight).data(), out, in);
  Row<Real> bias;
  if (!linear.bias.empty()) bias = matrix<Real>(rounder_.given(linear.bias).data(), 1, out);
  WideStage result{{x.shape[0], x.shape[1], out}, std::vector<double>(static_cast<std::size_t>(rows * out))};
  store<Real>(rounder_, operand<Real>(rounder_, x.values.data(), rows, in), weight.transpose(), bias,
              result.values.data(), cancel_);
  rounder_.store(result);
  return result;
}

template class RoundedProducts<float>;
template class RoundedProducts<double>;

}  // namespace headscope
