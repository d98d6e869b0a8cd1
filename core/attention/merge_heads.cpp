#include "core/attention/merge_heads.h"

#include "core/attention/merged_on_demand.h"

namespace headscope {

void merge_heads_into(const Tensor& context, Tensor& concat) {
  const std::int64_t features = context.dim(3);
  const Strides& from = context.strides();
  for (std::int64_t b = 0; b < context.dim(0); ++b) {
    for (std::int64_t i = 0; i < context.dim(2); ++i) {
      float* row = concat.mutable_data() + b * concat.strides()[0] + i * concat.strides()[1];
      for (std::int64_t h = 0; h < context.dim(1); ++h) {
        const float* head = context.data() + b * from[0] + h * from[1] + i * from[2];
        for (std::int64_t d = 0; d < features; ++d) *row++ = head[d * from[3]];
      }
    }
  }
}

Tensor merged_heads(const Tensor& context, Merge merge) {
  if (!context.stored()) return merged_on_demand(context, merge);
  const Shape shape{context.dim(0), context.dim(2), context.dim(1) * context.dim(3)};
  const Axes axes{Axis::batch, Axis::position, Axis::feature};
  return merge == Merge::direct ? context.reshaped(shape, axes) : context.permuted({0, 2, 1, 3}).reshaped(shape, axes);
}

}  // namespace headscope
