// Eigenvalues and eigenvectors of small symmetric matrices in plain loops, for tests of what Eigen computes.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace headscope {

using PlainRows = std::vector<std::vector<double>>;

struct PlainSpectrum {
  std::vector<double> values;  // in no order
  PlainRows vectors;           // row k belongs to values[k]
};

// By rotations (Jacobi 1846) until nothing is left beside the diagonal.
inline PlainSpectrum jacobi_spectrum(PlainRows a) {
  const std::size_t n = a.size();
  PlainSpectrum result{std::vector<double>(n), PlainRows(n, std::vector<double>(n))};
  for (std::size_t k = 0; k < n; ++k) result.vectors[k][k] = 1;
  for (int sweep = 0; sweep < 60; ++sweep) {
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a[p][q] == 0) continue;
        const double theta = 0.5 * std::atan2(2 * a[p][q], a[p][p] - a[q][q]);
        const double c = std::cos(theta), s = std::sin(theta);
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a[k][p], y = a[k][q];
          a[k][p] = c * x + s * y;
          a[k][q] = c * y - s * x;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a[p][k], y = a[q][k];
          a[p][k] = c * x + s * y;
          a[q][k] = c * y - s * x;
          const double u = result.vectors[p][k], v = result.vectors[q][k];
          result.vectors[p][k] = c * u + s * v;
          result.vectors[q][k] = c * v - s * u;
        }
      }
    }
  }
  for (std::size_t k = 0; k < n; ++k) result.values[k] = a[k][k];
  return result;
}

}  // namespace headscope
