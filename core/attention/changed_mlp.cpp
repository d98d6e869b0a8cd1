#include "core/attention/changed_mlp.h"

#include <algorithm>

#include "core/attention/put_numbers.h"
#include "core/model/checkpoint.h"
#include "core/model/row_convolution.h"

namespace headscope {

Tensor left_with_changed_mlp(const Request& own, const Inputs& base, std::int64_t layer, const AttendedRows& attended,
                             const Backend& backend, const CancelToken& cancel) {
  const Architecture& architecture = base.checkpoint->architecture();
  const BlockWeights weights = base.checkpoint->block(layer);
  const Tensor& stream = attended.stream;
  const Tensor s = attended_rows(architecture, weights, attended, {0, stream.dim(1)});
  Tensor added = Tensor::zeros(stream.shape(), stream.axes());
  mlp_added(architecture, weights, {stream, s}, backend, cancel, added);
  const Tensor put = with_changes(own, base, layer, kMlpPatch, added);
  Tensor left = Tensor::zeros(stream.shape(), stream.axes());
  float* to = left.mutable_data();
  std::copy_n(put.data(), left.size(), to);
  for (std::int64_t k = 0; k < left.size(); ++k) to[k] += s.data()[k];
  if (architecture.norm_place == Architecture::NormPlace::after_sum) {
    norm_rows(architecture, weights.mlp_norm, left, 0, left);
  }
  add_convolution(architecture, weights, {stream, {0, stream.dim(1)}}, backend, cancel, left);
  return left;
}

}  // namespace headscope
