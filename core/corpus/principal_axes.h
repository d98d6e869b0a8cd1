// Principal axes of a head's queries, keys, values or outputs over a corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/corpus/head_vectors.h"

namespace headscope {

// C = E[x xᵀ] − μ μᵀ over `rows` positions (over n, not n − 1), with mean μ, has the eigenvalues λ_0 >= λ_1 >= ... and
// unit eigenvectors e_k: the axes. Principal component analysis: Pearson, On lines and planes of closest fit, 1901.
struct PrincipalAxes {
  std::vector<double> mean;       // [size]
  std::vector<double> variances;  // λ_k, [size]; never below 0
  std::vector<double> axes;       // e_k, [size][size]; of its numbers the largest by size is positive, of equal ones
                                  // the first
  double total = 0;               // Σ λ_k

  std::size_t size() const { return mean.size(); }
  // λ_k / Σ λ; 0 where all vectors are equal, and for axes that there are not.
  double share(std::size_t axis) const;
};

// By Eigen's SelfAdjointEigenSolver, in double. No axes where none are held, or over no row.
PrincipalAxes principal_axes(const HeadVectors& vectors, std::int64_t rows);

// share(0), share(1), ...: at most `most` of them, without the axes, which take longer.
std::vector<double> variance_shares(const HeadVectors& vectors, std::int64_t rows, std::size_t most);

// (x − μ) · e_k of points [n][size] for the first `most` axes: [n][min(most, size)].
std::vector<double> projected_points(const PrincipalAxes& axes, std::span<const float> points, std::size_t most);

}  // namespace headscope
