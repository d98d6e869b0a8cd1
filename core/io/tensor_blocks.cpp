#include "core/io/tensor_blocks.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace headscope {

Shape shape_of(const Region& region) {
  Shape shape;
  for (const Range& range : region) shape.push_back(range.size());
  return shape;
}

void for_each_block(const Tensor& tensor, const CancelToken& cancel,
                    const std::function<void(std::span<const float>)>& visit, std::int64_t most) {
  if (tensor.size() == 0) return;
  if (tensor.dense()) {
    for (std::int64_t begin = 0; begin < tensor.size(); begin += most) {
      cancel.check();
      visit({tensor.data() + begin, static_cast<std::size_t>(std::min(most, tensor.size() - begin))});
    }
    return;
  }
  const int rank = tensor.rank();
  // Axes after `split` are read whole, those before it one index at a time, and `split` in steps that fit.
  int split = rank - 1;
  std::int64_t inner = 1;
  while (split > 0 && inner * tensor.dim(split) <= most) inner *= tensor.dim(split--);
  const std::int64_t step = std::clamp<std::int64_t>(most / inner, 1, tensor.dim(split));
  std::vector<float> buffer(static_cast<std::size_t>(step * inner));
  Region region = whole(tensor.shape());
  for (int axis = 0; axis < split; ++axis) region[axis] = {0, 1};
  while (true) {
    for (std::int64_t begin = 0; begin < tensor.dim(split); begin += step) {
      cancel.check();
      region[split] = {begin, std::min(begin + step, tensor.dim(split))};
      const std::span<float> piece(buffer.data(), static_cast<std::size_t>(region[split].size() * inner));
      tensor.read(region, piece);
      visit(piece);
    }
    int axis = split - 1;
    while (axis >= 0 && region[axis].end == tensor.dim(axis)) {
      region[axis] = {0, 1};
      --axis;
    }
    if (axis < 0) return;
    region[axis] = {region[axis].begin + 1, region[axis].end + 1};
  }
}

Tensor watched(const Tensor& tensor, std::function<void(std::span<const float>)> seen) {
  return Tensor::computed(tensor.shape(), tensor.axes(),
                          [tensor, seen = std::move(seen)](const Region& region, std::span<float> out) {
                            tensor.read(region, out);
                            seen(out);
                          });
}

Tensor part_of(const Tensor& tensor, const Region& region) {
  if (region == whole(tensor.shape())) return tensor;
  if (tensor.stored()) {
    Tensor part = tensor;
    for (int axis = 0; axis < tensor.rank(); ++axis) part = part.sliced(axis, region[axis].begin, region[axis].end);
    return part;
  }
  return Tensor::computed(shape_of(region), tensor.axes(),
                          [tensor, region](const Region& of_part, std::span<float> out) {
                            Region moved = of_part;
                            for (int axis = 0; axis < moved.count; ++axis) {
                              moved[axis].begin += region[axis].begin;
                              moved[axis].end += region[axis].begin;
                            }
                            tensor.read(moved, out);
                          });
}

Tensor tensor_of_values(const Shape& shape, std::vector<float> values) {
  Axes axes;
  for (int axis = 0; axis < shape.count; ++axis) axes.push_back(Axis::feature);
  return Tensor::of(shape, axes, std::move(values));
}

}  // namespace headscope
