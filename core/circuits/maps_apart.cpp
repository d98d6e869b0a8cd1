#include "core/circuits/maps_apart.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/assert.h"
#include "core/circuits/stacked_values.h"

namespace headscope {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Rows rows_of(const Tensor& stack, std::int64_t number) {
  const std::vector<double> values = stacked_values(stack, number);
  return Eigen::Map<const Rows>(values.data(), stack.dim(1), stack.dim(2));
}

// The product left^T right, [d_model, d_model], as its two factors.
struct Factors {
  Rows left, right;
};

Factors qk_of(const HeadMaps& maps, std::int64_t head) {
  return {rows_of(maps.query, head), rows_of(maps.key, maps.group_of(head))};
}

Factors ov_of(const HeadMaps& maps, std::int64_t head) {
  return {rows_of(maps.output, head), rows_of(maps.value, maps.group_of(head))};
}

// <left^T right, left2^T right2> = <left left2^T, right right2^T>.
double dot(const Rows& left, const Rows& left2, const Rows& right, const Rows& right2) {
  const Rows lefts = left * left2.transpose(), rights = right * right2.transpose();
  return lefts.cwiseProduct(rights).sum();
}

// A - B = (left_A - left_B)^T right_A + left_B^T (right_A - right_B): of nearly equal factors both parts are small,
// where |A|^2 - 2 <A, B> + |B|^2 would lose half of the digits.
double share_apart(const Factors& a, const Factors& b) {
  HEADSCOPE_ASSERT(a.left.rows() == b.left.rows() && a.left.cols() == b.left.cols() &&
                       a.right.rows() == b.right.rows() && a.right.cols() == b.right.cols(),
                   "heads of other sizes");
  const Rows left = a.left - b.left, right = a.right - b.right;
  if (left.isZero(0) && right.isZero(0)) return 0;
  const double squares =
      dot(left, left, a.right, a.right) + 2 * dot(left, b.left, a.right, right) + dot(b.left, b.left, right, right);
  const double of_a = dot(a.left, a.left, a.right, a.right);
  if (!std::isfinite(squares) || !std::isfinite(of_a)) return std::numeric_limits<double>::quiet_NaN();
  if (squares <= 0) return 0;
  return of_a > 0 ? std::sqrt(squares / of_a) : std::numeric_limits<double>::infinity();
}

}  // namespace

double MapsApart::largest() const {
  return std::isnan(qk) || std::isnan(ov) ? std::numeric_limits<double>::quiet_NaN() : std::max(qk, ov);
}

MapsApart maps_apart(const HeadMaps& a, std::int64_t head_a, const HeadMaps& b, std::int64_t head_b) {
  return {share_apart(qk_of(a, head_a), qk_of(b, head_b)), share_apart(ov_of(a, head_a), ov_of(b, head_b))};
}

}  // namespace headscope
