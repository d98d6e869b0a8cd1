#include "core/model/linear_names.h"

#include "core/base/assert.h"

namespace headscope {

LinearNames file_names_of(const LayerWeights& weights, const Linear& linear) {
  const bool blocked = weights.qkv_layout == QkvLayout::blocked;
  std::string prefix = "fc_out.";
  if (&linear == &weights.qkv) {
    prefix = blocked ? "in_proj_" : "qkv_layer.";
  } else if (&linear == &weights.query) {
    prefix = "queries.";
  } else if (&linear == &weights.key) {
    prefix = "keys.";
  } else if (&linear == &weights.value) {
    prefix = "values.";
  } else {
    HEADSCOPE_ASSERT(&linear == &weights.output, linear.weight_name);
    if (weights.fused()) prefix = blocked ? "out_proj." : "linear_layer.";
  }
  return {linear.weight_name.empty() ? prefix + "weight" : linear.weight_name,
          linear.bias_name.empty() ? prefix + "bias" : linear.bias_name};
}

bool is_transposed(const Tensor& weight) {
  return weight.dim(1) > 1 && weight.strides()[0] == 1 && weight.strides()[1] == weight.dim(0) && weight.dim(0) > 1;
}

}  // namespace headscope
