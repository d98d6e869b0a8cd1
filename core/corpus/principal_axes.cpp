#include "core/corpus/principal_axes.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Vector mean_of(const HeadVectors& vectors, std::int64_t rows) {
  Vector mean(vectors.size());
  for (Eigen::Index a = 0; a < mean.size(); ++a) {
    mean[a] = vectors.sums[static_cast<std::size_t>(a)].value() / static_cast<double>(rows);
  }
  return mean;
}

Matrix covariance_of(const HeadVectors& vectors, const Vector& mean, std::int64_t rows) {
  const Eigen::Index size = mean.size();
  Matrix covariance(size, size);
  std::size_t place = 0;
  for (Eigen::Index a = 0; a < size; ++a) {
    for (Eigen::Index b = a; b < size; ++b) {
      const double product = vectors.products[place++].value() / static_cast<double>(rows);
      covariance(a, b) = covariance(b, a) = product - mean[a] * mean[b];
    }
  }
  return covariance;
}

// The largest first; what is below 0 is so by rounding.
std::vector<double> falling(const Vector& eigenvalues) {
  std::vector<double> variances;
  for (Eigen::Index k = eigenvalues.size() - 1; k >= 0; --k) variances.push_back(std::max(0.0, eigenvalues[k]));
  return variances;
}

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

// An axis with its sign, as a row.
void put_axis(const Vector& axis, double* row) {
  Eigen::Index largest = 0;
  for (Eigen::Index a = 1; a < axis.size(); ++a) {
    if (std::fabs(axis[a]) > std::fabs(axis[largest])) largest = a;
  }
  const double sign = axis[largest] < 0 ? -1 : 1;
  for (Eigen::Index a = 0; a < axis.size(); ++a) row[a] = sign * axis[a];
}

bool has_axes(const HeadVectors& vectors, std::int64_t rows) {
  return vectors.size() > 0 && rows > 0;
}

}  // namespace

double PrincipalAxes::share(std::size_t axis) const {
  return axis < variances.size() && total > 0 ? variances[axis] / total : 0;
}

PrincipalAxes principal_axes(const HeadVectors& vectors, std::int64_t rows) {
  PrincipalAxes found;
  if (!has_axes(vectors, rows)) return found;
  const Vector mean = mean_of(vectors, rows);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(covariance_of(vectors, mean, rows));
  const auto size = static_cast<std::size_t>(mean.size());
  found.mean.assign(mean.data(), mean.data() + size);
  found.variances = falling(solver.eigenvalues());
  found.total = sum_of(found.variances);
  found.axes.resize(size * size);
  for (std::size_t k = 0; k < size; ++k) {
    put_axis(solver.eigenvectors().col(static_cast<Eigen::Index>(size - 1 - k)), found.axes.data() + k * size);
  }
  return found;
}

std::vector<double> variance_shares(const HeadVectors& vectors, std::int64_t rows, std::size_t most) {
  if (!has_axes(vectors, rows)) return {};
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(covariance_of(vectors, mean_of(vectors, rows), rows),
                                                     Eigen::EigenvaluesOnly);
  std::vector<double> shares = falling(solver.eigenvalues());
  const double total = sum_of(shares);
  for (double& share : shares) share = total > 0 ? share / total : 0;
  shares.resize(std::min(most, shares.size()));
  return shares;
}

std::vector<double> projected_points(const PrincipalAxes& axes, std::span<const float> points, std::size_t most) {
  const std::size_t size = axes.size(), count = std::min(most, size);
  std::vector<double> projected;
  if (size == 0) return projected;
  projected.reserve(points.size() / size * count);
  for (std::size_t at = 0; at + size <= points.size(); at += size) {
    for (std::size_t k = 0; k < count; ++k) {
      double sum = 0;
      for (std::size_t a = 0; a < size; ++a) {
        sum += (static_cast<double>(points[at + a]) - axes.mean[a]) * axes.axes[k * size + a];
      }
      projected.push_back(sum);
    }
  }
  return projected;
}

}  // namespace headscope
