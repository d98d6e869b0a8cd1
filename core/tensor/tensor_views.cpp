// The same numbers with other axes: of what lies in memory by strides, of computed ones by where each axis lies in
// them.
#include <fmt/format.h>

#include "core/base/assert.h"
#include "core/tensor/tensor.h"

namespace headscope {
namespace {

// The strides under which `shape` reads the same elements in the same order without copying; rank 0 when there are
// none. Runs of axes on both sides with equal products must be contiguous among themselves.
Strides strides_of_view(const Shape& from, const Strides& from_strides, const Shape& to) {
  Shape sizes;
  Strides strides;
  for (int axis = 0; axis < from.count; ++axis) {
    if (from[axis] == 1) continue;
    sizes.push_back(from[axis]);
    strides.push_back(from_strides[axis]);
  }
  Strides result;
  result.count = to.count;
  int from_begin = 0;
  int to_begin = 0;
  while (from_begin < sizes.count) {
    int from_end = from_begin + 1;
    int to_end = to_begin;
    std::int64_t from_product = sizes[from_begin];
    std::int64_t to_product = 1;
    while (to_product != from_product || to_end == to_begin) {
      if (to_product < from_product || to_end == to_begin) {
        to_product *= to[to_end++];
      } else {
        from_product *= sizes[from_end++];
      }
    }
    for (int axis = from_begin; axis + 1 < from_end; ++axis) {
      if (strides[axis] != sizes[axis + 1] * strides[axis + 1]) return {};
    }
    std::int64_t step = strides[from_end - 1];
    for (int axis = to_end - 1; axis >= to_begin; --axis) {
      result[axis] = step;
      step *= to[axis];
    }
    from_begin = from_end;
    to_begin = to_end;
  }
  for (int axis = to_begin; axis < to.count; ++axis) result[axis] = 1;
  return result;
}

}  // namespace

Tensor Tensor::permuted(std::initializer_list<int> order) const {
  HEADSCOPE_ASSERT(!empty() && static_cast<int>(order.size()) == rank(), to_string(shape_));
  Tensor result = *this;
  result.writable_ = false;
  unsigned seen = 0;
  int axis = 0;
  for (int from : order) {
    HEADSCOPE_ASSERT(0 <= from && from < rank() && (seen >> from & 1U) == 0, "axis " + std::to_string(from));
    seen |= 1U << from;
    result.shape_[axis] = shape_[from];
    result.strides_[axis] = strides_[from];
    result.axes_[axis] = axes_[from];
    if (!in_memory()) result.from_[axis] = from_[from];
    ++axis;
  }
  if (!in_memory()) result.strides_ = row_major_strides(result.shape_);
  return result;
}

Tensor Tensor::sliced(int axis, std::int64_t begin, std::int64_t end) const {
  HEADSCOPE_ASSERT(0 <= axis && axis < rank() && 0 <= begin && begin <= end && end <= shape_[axis],
                   fmt::format("[{}, {}) on axis {} of {}", begin, end, axis, to_string(shape_)));
  Tensor result = *this;
  result.writable_ = false;
  result.shape_[axis] = end - begin;
  if (!in_memory()) {
    if (from_[axis] >= 0) result.origin_[from_[axis]] += begin;
    result.strides_ = row_major_strides(result.shape_);
  } else if (result.size() > 0 && stored()) {
    result.data_ += begin * strides_[axis];
  } else if (result.size() > 0) {
    result.two_byte_data_ += begin * strides_[axis];
  }
  return result;
}

Tensor Tensor::writable_sliced(int axis, std::int64_t begin, std::int64_t end) {
  HEADSCOPE_ASSERT(writable_, "a writable slice of a view of shape " + to_string(shape_));
  Tensor result = sliced(axis, begin, end);
  result.writable_ = true;
  return result;
}

Tensor Tensor::reshaped(Shape shape, Axes axes) const {
  HEADSCOPE_ASSERT(!empty() && shape.count == axes.count && element_count(shape) == size(),
                   to_string(shape_) + " as " + to_string(shape));
  if (size() == 0) return zeros(shape, axes);
  if (!in_memory()) return reshaped_computed(shape, axes);
  const Strides strides = strides_of_view(shape_, strides_, shape);
  Tensor result = strides.count == shape.count ? *this : dense_copy_as_it_lies();
  result.strides_ = strides.count == shape.count ? strides : row_major_strides(shape);
  result.shape_ = shape;
  result.axes_ = axes;
  result.writable_ = false;
  return result;
}

Tensor Tensor::reshaped_computed(const Shape& shape, const Axes& axes) const {
  Tensor result = *this;
  result.shape_ = shape;
  result.axes_ = axes;
  result.strides_ = row_major_strides(shape);
  result.from_ = {};
  int next = 0;
  const auto skip_ones = [&] {
    while (next < rank() && shape_[next] == 1) ++next;
  };
  for (const std::int64_t size : shape) {
    skip_ones();
    const bool follows = size == 1 || (next < rank() && shape_[next] == size);
    HEADSCOPE_ASSERT(follows, "a computed tensor of " + to_string(shape_) + " as " + to_string(shape));
    result.from_.push_back(size == 1 ? -1 : from_[next++]);
  }
  return result;
}

Tensor matrix_at(const Tensor& tensor, std::int64_t batch, std::int64_t head) {
  const int leading = tensor.rank() - 2;
  HEADSCOPE_ASSERT(0 <= leading && leading <= 2, "a matrix of " + to_string(tensor.shape()));
  const Index at = leading == 2 ? Index{batch, head} : leading == 1 ? Index{batch} : Index{};
  for (int axis = 0; axis < leading; ++axis) {
    HEADSCOPE_ASSERT(0 <= at[axis] && at[axis] < tensor.dim(axis), to_string(at) + " of " + to_string(tensor.shape()));
  }
  const Shape shape{tensor.dim(leading), tensor.dim(leading + 1)};
  const Axes axes{tensor.axes()[leading], tensor.axes()[leading + 1]};
  Tensor view = tensor;
  for (int axis = 0; axis < leading; ++axis) view = view.sliced(axis, at[axis], at[axis] + 1);
  return view.reshaped(shape, axes);
}

}  // namespace headscope
