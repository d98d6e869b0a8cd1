#include "core/attention/capture_axes.h"

#include "core/model/capture.h"

namespace headscope {

std::string other_softmax_axis(const Tensor& weights, const CancelToken& cancel) {
  const auto adds_up = [&](const Tensor& turned) {
    const RowSums sums = row_sums_of(turned, cancel, 0);
    return sums.off == 0 && sums.nan_rows == 0;
  };
  if (adds_up(weights.permuted({0, 1, 3, 2}))) {
    return "each of its columns does: it is [batch, heads, keys, queries], which numpy.swapaxes(a, -1, -2) turns";
  }
  if (adds_up(weights.permuted({0, 3, 2, 1}))) {
    return "its second axis does: the keys stand there, and numpy.swapaxes exchanges it with the last one";
  }
  return "";
}

}  // namespace headscope
