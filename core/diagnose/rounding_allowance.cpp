#include "core/diagnose/rounding_allowance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace headscope {
namespace {

constexpr double kTimes = 6;            // the root mean square: other kernels round at other places
constexpr double kFloat32Times = 32;    // they also add in another order
constexpr double kFloat32Sum = 2.5e-7;  // four roundings, in shares of what is summed

struct RowShares {
  std::vector<double> rows;  // the root mean square of what moves a row, in shares of what is summed in it
  double typical = 0;        // of the row in the middle
};

RowShares shares_of(const std::vector<double>& moved, const WideStage& exact, const std::vector<double>& sums,
                    const IsFilled& filled) {
  const auto width = static_cast<std::size_t>(std::max<std::int64_t>(1, exact.shape[exact.shape.count - 1]));
  RowShares result;
  std::vector<double> known;
  for (std::size_t first = 0; first < moved.size(); first += width) {
    double squares = 0, size = 0;
    for (std::size_t k = first; k < std::min(first + width, moved.size()); ++k) {
      if (filled && (is_fill(exact.values[k]) || filled(k))) continue;
      squares += moved[k] * moved[k];
      size += sums[k] * sums[k];
    }
    const double share = size > 0 ? std::sqrt(squares / size) : 0;
    result.rows.push_back(share);
    if (share > 0) known.push_back(share);
  }
  if (known.empty()) return result;
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
  std::nth_element(known.begin(), middle, known.end());
  result.typical = *middle;
  return result;
}

}  // namespace

std::vector<double> rounding_allowance(const NumberFormat& format, const WideStage& exact,
                                       const std::vector<WideStage>& samples, const WideStage& summed,
                                       const IsFilled& filled) {
  std::vector<double> moved(exact.values.size(), 0.0);
  std::size_t count = 0;
  for (const WideStage& sample : samples) {
    if (!(sample.shape == exact.shape)) continue;
    ++count;
    for (std::size_t k = 0; k < moved.size(); ++k) {
      const double apart = sample.values[k] - exact.values[k];
      if (std::isfinite(apart)) moved[k] += apart * apart;
    }
  }
  if (count == 0) return {};
  for (double& each : moved) each = std::sqrt(each / static_cast<double>(count));
  std::vector<double> sums = summed.shape == exact.shape ? summed.values : exact.values;
  for (double& each : sums) each = std::isfinite(each) ? std::abs(each) : 0;
  const RowShares shares = shares_of(moved, exact, sums, filled);
  const auto width = static_cast<std::size_t>(std::max<std::int64_t>(1, exact.shape[exact.shape.count - 1]));
  const bool half = format.grid != nullptr;
  for (std::size_t k = 0; k < moved.size(); ++k) {
    const double floor = std::max(shares.rows[k / width], shares.typical) * sums[k];
    moved[k] = (half ? kTimes : kFloat32Times) * std::max(moved[k], floor);
    if (!half) moved[k] = std::max(moved[k], kFloat32Sum * sums[k]);
  }
  return moved;
}

}  // namespace headscope
