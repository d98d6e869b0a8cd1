#include "core/tensor/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/base/system/memory_pages.h"
#include "core/tensor/two_byte_floats.h"

namespace headscope {
namespace {

// Copies the region of a strided tensor whose first number is `from`, each as `as` gives it; returns where the next one
// goes.
template <typename From, typename To, typename As>
To* copy_strided(const From* from, const Region& region, const Strides& strides, int axis, To* to, const As& as) {
  const Range range = region[axis];
  const std::int64_t stride = strides[axis];
  if (axis == region.count - 1) {
    const From* first = from + range.begin * stride;
    const std::int64_t n = range.size();
    if constexpr (std::is_same_v<From, To>) {
      if (stride == 1) return std::copy_n(first, n, to);
    }
    for (std::int64_t i = 0; i < n; ++i) *to++ = as(first[i * stride]);
    return to;
  }
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    to = copy_strided(from + i * stride, region, strides, axis + 1, to, as);
  }
  return to;
}

float float_from(NumberType type, std::uint16_t bits) {
  return type == NumberType::float16 ? float_from_half(bits) : float_from_bfloat16(bits);
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

// The system zeroes it where and when it is first touched, so that a large result costs no pass. Begins at a multiple
// of 64 bytes.
std::shared_ptr<const void> zeroed_memory(std::size_t bytes) {
  constexpr std::size_t kAlignment = 64, kPieceOfPages = std::size_t{4} << 20;
  if (bytes >= kPieceOfPages) {
    void* const pages = system::take_zeroed_pages(bytes);
    if (pages == nullptr) throw std::bad_alloc();
    return {pages, [bytes](const void* p) { system::give_back_pages(const_cast<void*>(p), bytes); }};
  }
  void* const memory = std::calloc(bytes + kAlignment, 1);
  if (memory == nullptr) throw std::bad_alloc();
  const std::shared_ptr<const void> owner(memory, [](const void* p) { std::free(const_cast<void*>(p)); });
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return {owner, reinterpret_cast<const void*>((address + kAlignment - 1) / kAlignment * kAlignment)};
}

}  // namespace

Tensor Tensor::zeros(Shape shape, Axes axes) {
  HEADSCOPE_ASSERT(shape.count == axes.count, to_string(shape) + " with " + std::to_string(axes.count) + " axes");
  constexpr std::int64_t kMaxBytes = std::int64_t{1} << 46;
  const std::int64_t count = element_count(shape);
  if (count > kMaxBytes / static_cast<std::int64_t>(sizeof(float))) {
    throw Error("a tensor of shape " + to_string(shape) + " does not fit in memory");
  }
  Tensor tensor;
  tensor.owner_ = zeroed_memory(static_cast<std::size_t>(count) * sizeof(float));
  tensor.data_ = static_cast<const float*>(tensor.owner_.get());
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

Tensor Tensor::two_byte_view_of(std::shared_ptr<const void> owner, const std::uint16_t* data, NumberType type,
                                Shape shape, Strides strides, Axes axes) {
  HEADSCOPE_ASSERT(shape.count == axes.count && shape.count == strides.count, to_string(shape));
  HEADSCOPE_ASSERT(type != NumberType::float32, "float32 is no two-byte type");
  if (element_count(shape) == 0) return zeros(shape, axes);
  HEADSCOPE_ASSERT(data != nullptr, to_string(shape));
  Tensor tensor;
  tensor.owner_ = std::move(owner);
  tensor.two_byte_data_ = data;
  tensor.type_ = type;
  tensor.shape_ = shape;
  tensor.strides_ = strides;
  tensor.axes_ = axes;
  return tensor;
}

Tensor Tensor::writable_view_of(std::shared_ptr<const void> owner, float* data, Shape shape, Strides strides,
                                Axes axes) {
  Tensor tensor = view_of(std::move(owner), data, shape, strides, axes);
  tensor.writable_ = true;
  return tensor;
}

bool Tensor::reads_from_origin() const {
  if (read_ == nullptr) return false;
  for (int axis = 0; axis < rank(); ++axis) {
    if (from_[axis] != axis || origin_[axis] != 0) return false;
  }
  return true;
}

Tensor Tensor::computed(Shape shape, Axes axes, ReadRegion read) {
  HEADSCOPE_ASSERT(shape.count == axes.count && shape.count > 0, to_string(shape));
  Tensor tensor;
  tensor.shape_ = shape;
  tensor.strides_ = row_major_strides(shape);
  tensor.axes_ = axes;
  tensor.read_ = std::make_shared<const ReadRegion>(std::move(read));
  for (int axis = 0; axis < shape.count; ++axis) {
    tensor.origin_.push_back(0);
    tensor.from_.push_back(axis);
  }
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
  if (two_byte_data_ != nullptr) return float_from(type_, two_byte_data_[offset]);
  Region cell;
  for (std::int64_t i : index) cell.push_back({i, i + 1});
  float value = 0;
  read_computed(cell, std::span<float>(&value, 1));
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
    copy_strided(data_, region, strides_, 0, out.data(), [](float value) { return value; });
  } else if (type_ == NumberType::float16) {
    copy_strided(two_byte_data_, region, strides_, 0, out.data(), float_from_half);
  } else if (type_ == NumberType::bfloat16) {
    copy_strided(two_byte_data_, region, strides_, 0, out.data(), float_from_bfloat16);
  } else {
    read_computed(region, out);
  }
}

void Tensor::read_computed(const Region& region, std::span<float> out) const {
  Region wanted;
  for (const std::int64_t begin : origin_) wanted.push_back({begin, begin + 1});
  bool in_order = true;
  int last = -1;
  for (int axis = 0; axis < rank(); ++axis) {
    const int from = from_[axis];
    if (from < 0) continue;
    wanted[from] = {origin_[from] + region[axis].begin, origin_[from] + region[axis].end};
    if (region[axis].size() == 1) continue;
    in_order = in_order && last < from;
    last = from;
  }
  if (in_order) {
    (*read_)(wanted, out);
    return;
  }
  std::vector<float> values(out.size());
  (*read_)(wanted, values);
  Shape sizes;
  for (const Range& range : wanted) sizes.push_back(range.size());
  const Strides steps = row_major_strides(sizes);
  Strides strides;
  Region part;
  for (int axis = 0; axis < rank(); ++axis) {
    strides.push_back(from_[axis] < 0 ? 0 : steps[from_[axis]]);
    part.push_back({0, region[axis].size()});
  }
  copy_strided(values.data(), part, strides, 0, out.data(), [](float value) { return value; });
}

std::vector<float> Tensor::values() const {
  std::vector<float> result(static_cast<std::size_t>(size()));
  read(whole(shape_), result);
  return result;
}

Tensor Tensor::dense_copy() const {
  if (empty()) return {};
  Tensor result = zeros(shape_, axes_);
  read(whole(shape_), std::span<float>(result.mutable_data(), static_cast<std::size_t>(size())));
  return result;
}

Tensor Tensor::dense_copy_as_it_lies() const {
  if (two_byte_data_ == nullptr) return dense_copy();
  const auto numbers = std::make_shared<std::vector<std::uint16_t>>(static_cast<std::size_t>(size()));
  copy_strided(two_byte_data_, whole(shape_), strides_, 0, numbers->data(), [](std::uint16_t bits) { return bits; });
  return two_byte_view_of(numbers, numbers->data(), type_, shape_, row_major_strides(shape_), axes_);
}

bool same_storage(const Tensor& a, const Tensor& b) {
  return a.shape_ == b.shape_ && a.strides_ == b.strides_ && a.data_ == b.data_ && a.read_ == b.read_ &&
         a.two_byte_data_ == b.two_byte_data_ && a.type_ == b.type_ && a.origin_ == b.origin_ && a.from_ == b.from_;
}

}  // namespace headscope
