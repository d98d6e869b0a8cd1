#include "core/tensor/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "core/assert.h"
#include "core/error.h"

namespace headscope {
namespace {

// Copies the region of a strided tensor whose first element is `from`; returns where the next value goes.
float* copy_strided(const float* from, const Region& region, const Strides& strides, int axis, float* to) {
  const Range range = region[axis];
  const std::int64_t stride = strides[axis];
  if (axis == region.count - 1) {
    const float* first = from + range.begin * stride;
    const std::int64_t n = range.size();
    if (stride == 1) return std::copy_n(first, n, to);
    for (std::int64_t i = 0; i < n; ++i) *to++ = first[i * stride];
    return to;
  }
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    to = copy_strided(from + i * stride, region, strides, axis + 1, to);
  }
  return to;
}

void check_region(const Region& region, const Shape& shape) {
  HEADSCOPE_ASSERT(region.count == shape.count,
                   "region of rank " + std::to_string(region.count) + ", tensor " + to_string(shape));
  for (int axis = 0; axis < shape.count; ++axis) {
    const Range range = region[axis];
    HEADSCOPE_ASSERT(0 <= range.begin && range.begin <= range.end && range.end <= shape[axis],
                     fmt::format("[{}, {}) on axis {} of {}", range.begin, range.end, axis, to_string(shape)));
  }
}

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

Tensor Tensor::zeros(Shape shape, Axes axes) {
  HEADSCOPE_ASSERT(shape.count == axes.count, to_string(shape) + " with " + std::to_string(axes.count) + " axes");
  constexpr std::int64_t kAlignment = 64;
  constexpr std::int64_t kMaxBytes = std::int64_t{1} << 46;
  const std::int64_t count = element_count(shape);
  if (count > kMaxBytes / static_cast<std::int64_t>(sizeof(float))) {
    throw Error("a tensor of shape " + to_string(shape) + " does not fit in memory");
  }
  // calloc hands out pages that the system zeroes when they are first touched, so that a large result costs no pass.
  void* memory = std::calloc(static_cast<std::size_t>(count) * sizeof(float) + kAlignment, 1);
  if (memory == nullptr) throw std::bad_alloc();
  Tensor tensor;
  tensor.owner_ = std::shared_ptr<const void>(memory, [](const void* p) { std::free(const_cast<void*>(p)); });
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  tensor.data_ = reinterpret_cast<const float*>((address + kAlignment - 1) / kAlignment * kAlignment);
  tensor.shape_ = shape;
  tensor.strides_ = row_major_strides(shape);
  tensor.axes_ = axes;
  tensor.writable_ = true;
  return tensor;
}

Tensor Tensor::of(Shape shape, Axes axes, std::vector<float> values) {
  HEADSCOPE_ASSERT(shape.count == axes.count, to_string(shape) + " with " + std::to_string(axes.count) + " axes");
  HEADSCOPE_ASSERT(static_cast<std::int64_t>(values.size()) == element_count(shape),
                   std::to_string(values.size()) + " values for " + to_string(shape));
  if (values.empty()) return zeros(shape, axes);
  auto owner = std::make_shared<std::vector<float>>(std::move(values));
  Tensor tensor;
  tensor.data_ = owner->data();
  tensor.owner_ = std::move(owner);
  tensor.shape_ = shape;
  tensor.strides_ = row_major_strides(shape);
  tensor.axes_ = axes;
  tensor.writable_ = true;
  return tensor;
}

Tensor Tensor::view_of(std::shared_ptr<const void> owner, const float* data, Shape shape, Strides strides, Axes axes) {
  HEADSCOPE_ASSERT(shape.count == axes.count && shape.count == strides.count, to_string(shape));
  HEADSCOPE_ASSERT(data != nullptr || element_count(shape) == 0, to_string(shape));
  if (data == nullptr) return zeros(shape, axes);
  Tensor tensor;
  tensor.owner_ = std::move(owner);
  tensor.data_ = data;
  tensor.shape_ = shape;
  tensor.strides_ = strides;
  tensor.axes_ = axes;
  return tensor;
}

Tensor Tensor::computed(Shape shape, Axes axes, ReadRegion read) {
  HEADSCOPE_ASSERT(shape.count == axes.count && shape.count > 0, to_string(shape));
  Tensor tensor;
  tensor.shape_ = shape;
  tensor.strides_ = row_major_strides(shape);
  tensor.axes_ = axes;
  tensor.read_ = std::make_shared<const ReadRegion>(std::move(read));
  return tensor;
}

bool Tensor::dense() const {
  if (!stored()) return false;
  if (size() == 0) return true;
  std::int64_t step = 1;
  for (int axis = rank() - 1; axis >= 0; --axis) {
    if (shape_[axis] != 1 && strides_[axis] != step) return false;
    step *= shape_[axis];
  }
  return true;
}

const float* Tensor::data() const {
  HEADSCOPE_ASSERT(stored(), "data() of a tensor of shape " + to_string(shape_) + " that is not stored");
  return data_;
}

float* Tensor::mutable_data() {
  HEADSCOPE_ASSERT(writable_, "mutable_data() of a view of shape " + to_string(shape_));
  return const_cast<float*>(data_);
}

float Tensor::at(const Index& index) const {
  HEADSCOPE_ASSERT(!empty() && index.count == rank(), to_string(index) + " in " + to_string(shape_));
  std::int64_t offset = 0;
  for (int axis = 0; axis < rank(); ++axis) {
    HEADSCOPE_ASSERT(0 <= index[axis] && index[axis] < shape_[axis], to_string(index) + " in " + to_string(shape_));
    offset += index[axis] * strides_[axis];
  }
  if (stored()) return data_[offset];
  Region cell;
  for (std::int64_t i : index) cell.push_back({i, i + 1});
  float value = 0;
  (*read_)(cell, std::span<float>(&value, 1));
  return value;
}

void Tensor::read(const Region& region, std::span<float> out) const {
  if (empty() && region.count == 0 && out.empty()) return;
  check_region(region, shape_);
  const std::int64_t count = element_count(region);
  HEADSCOPE_ASSERT(static_cast<std::int64_t>(out.size()) == count,
                   std::to_string(out.size()) + " places for " + std::to_string(count) + " values");
  if (count == 0) return;
  if (stored()) {
    copy_strided(data_, region, strides_, 0, out.data());
  } else {
    (*read_)(region, out);
  }
}

std::vector<float> Tensor::values() const {
  std::vector<float> result(static_cast<std::size_t>(size()));
  read(whole(shape_), result);
  return result;
}

Tensor Tensor::permuted(std::initializer_list<int> order) const {
  HEADSCOPE_ASSERT(stored() && static_cast<int>(order.size()) == rank(), to_string(shape_));
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
    ++axis;
  }
  return result;
}

Tensor Tensor::sliced(int axis, std::int64_t begin, std::int64_t end) const {
  HEADSCOPE_ASSERT(!empty() && 0 <= axis && axis < rank() && 0 <= begin && begin <= end && end <= shape_[axis],
                   fmt::format("[{}, {}) on axis {} of {}", begin, end, axis, to_string(shape_)));
  if (!stored()) {
    Shape shape = shape_;
    shape[axis] = end - begin;
    return computed(shape, axes_, [whole = *this, axis, begin](const Region& region, std::span<float> out) {
      Region moved = region;
      moved[axis] = {region[axis].begin + begin, region[axis].end + begin};
      whole.read(moved, out);
    });
  }
  Tensor result = *this;
  result.writable_ = false;
  result.shape_[axis] = end - begin;
  if (result.size() > 0) result.data_ += begin * strides_[axis];
  return result;
}

Tensor Tensor::writable_sliced(int axis, std::int64_t begin, std::int64_t end) {
  HEADSCOPE_ASSERT(writable_, "a writable slice of a view of shape " + to_string(shape_));
  Tensor result = sliced(axis, begin, end);
  result.writable_ = true;
  return result;
}

Tensor Tensor::reshaped(Shape shape, Axes axes) const {
  HEADSCOPE_ASSERT(stored() && shape.count == axes.count && element_count(shape) == size(),
                   to_string(shape_) + " as " + to_string(shape));
  if (size() == 0) return zeros(shape, axes);
  const Strides strides = strides_of_view(shape_, strides_, shape);
  Tensor result = strides.count == shape.count ? *this : dense_copy();
  result.strides_ = strides.count == shape.count ? strides : row_major_strides(shape);
  result.shape_ = shape;
  result.axes_ = axes;
  result.writable_ = false;
  return result;
}

Tensor Tensor::dense_copy() const {
  if (empty()) return {};
  Tensor result = zeros(shape_, axes_);
  read(whole(shape_), std::span<float>(result.mutable_data(), static_cast<std::size_t>(size())));
  return result;
}

bool same_storage(const Tensor& a, const Tensor& b) {
  return a.shape_ == b.shape_ && a.strides_ == b.strides_ && a.data_ == b.data_ && a.read_ == b.read_;
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
  if (!tensor.stored()) {
    return Tensor::computed(shape, axes, [tensor, at](const Region& region, std::span<float> out) {
      Region full;
      for (std::int64_t i : at) full.push_back({i, i + 1});
      for (const Range& range : region) full.push_back(range);
      tensor.read(full, out);
    });
  }
  Tensor view = tensor;
  for (int axis = 0; axis < leading; ++axis) view = view.sliced(axis, at[axis], at[axis] + 1);
  return view.reshaped(shape, axes);
}

}  // namespace headscope
