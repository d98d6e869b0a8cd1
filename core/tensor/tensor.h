// A float32 tensor of which any region can be read: stored (dense or a strided view), stored in two bytes a number, or
// computed when read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/tensor/shape.h"

namespace headscope {

// Fills `out` (row-major, element_count(region) values) with that region.
using ReadRegion = std::function<void(const Region& region, std::span<float> out)>;

// How the numbers of a tensor lie in memory. Reading always gives float32: two-byte numbers are widened exactly.
enum class NumberType { float32, float16, bfloat16 };

class Tensor {
 public:
  // Rank 0 with no axes and no storage; `empty()` is true.
  Tensor() = default;

  // Dense, all zero. Throws Error when the shape's byte size overflows.
  static Tensor zeros(Shape shape, Axes axes);

  // Dense, holding `values` (row-major). Asserts that the count fits the shape.
  static Tensor of(Shape shape, Axes axes, std::vector<float> values);

  // A view of memory that `owner` keeps alive (a mapped file, say). Strides are in elements.
  static Tensor view_of(std::shared_ptr<const void> owner, const float* data, Shape shape, Strides strides, Axes axes);

  // The same of two-byte numbers. It is not stored() (no floats lie there), but can be viewed like a stored one.
  static Tensor two_byte_view_of(std::shared_ptr<const void> owner, const std::uint16_t* data, NumberType type,
                                 Shape shape, Strides strides, Axes axes);

  // The same, of memory that the caller may write while no other thread reads it.
  static Tensor writable_view_of(std::shared_ptr<const void> owner, float* data, Shape shape, Strides strides,
                                 Axes axes);

  // Nothing stored: every read calls `read`, which must be thread-safe and give the same numbers every time.
  static Tensor computed(Shape shape, Axes axes, ReadRegion read);

  bool empty() const { return shape_.count == 0; }
  int rank() const { return shape_.count; }
  const Shape& shape() const { return shape_; }
  const Strides& strides() const { return strides_; }
  const Axes& axes() const { return axes_; }
  std::int64_t dim(int axis) const { return shape_[axis]; }
  std::int64_t size() const { return empty() ? 0 : element_count(shape_); }
  bool stored() const { return data_ != nullptr; }

  NumberType number_type() const { return type_; }
  // First number of a tensor of two-byte numbers; null for others.
  const std::uint16_t* two_byte_data() const { return two_byte_data_; }
  // Expires with the memory that holds the numbers, or with what computes them.
  std::weak_ptr<const void> memory() const {
    return read_ != nullptr ? std::weak_ptr<const void>(read_) : std::weak_ptr<const void>(owner_);
  }
  // Of a computed tensor: whether its axes are those of what computes it and begin at 0. Two of these with equal
  // storage() and shape are the same numbers.
  bool reads_from_origin() const;

  // Stored without gaps in row-major order, so that data() walks it whole.
  bool dense() const;

  // First element of a stored tensor (also of a strided view). Asserts stored().
  const float* data() const;
  // Only of a writable tensor, made by zeros(), of() or writable_view_of() (asserted), while no other thread reads it.
  float* mutable_data();

  // One value; works for computed tensors too (slowly). Asserts that the index is inside.
  float at(const Index& index) const;

  // Copies a region, row-major, into `out`. Asserts sizes.
  void read(const Region& region, std::span<float> out) const;
  // The whole tensor, row-major.
  std::vector<float> values() const;

  // Views. They share the storage; those of a computed tensor are computed.
  Tensor permuted(std::initializer_list<int> order) const;  // axis k of the result is axis order[k]
  Tensor sliced(int axis, std::int64_t begin, std::int64_t end) const;
  // sliced() of a writable tensor; the slice is writable too.
  Tensor writable_sliced(int axis, std::int64_t begin, std::int64_t end);
  // Copies when the strides do not allow a view. Of a computed tensor only axes of size 1 can be added or removed
  // (asserted).
  Tensor reshaped(Shape shape, Axes axes) const;
  Tensor dense_copy() const;             // of any tensor, float32
  Tensor dense_copy_as_it_lies() const;  // two-byte numbers stay two-byte

  // Identity of the numbers: equal for tensors that read the same storage (or computation) the same way.
  friend bool same_storage(const Tensor& a, const Tensor& b);
  // Tensors with same_storage() have equal storage(): for hash tables.
  const void* storage() const {
    return stored()                    ? static_cast<const void*>(data_)
           : two_byte_data_ != nullptr ? static_cast<const void*>(two_byte_data_)
                                       : read_.get();
  }

 private:
  bool in_memory() const { return data_ != nullptr || two_byte_data_ != nullptr; }
  void read_computed(const Region& region, std::span<float> out) const;
  Tensor reshaped_computed(const Shape& shape, const Axes& axes) const;

  Shape shape_;
  Strides strides_;
  Axes axes_;
  std::shared_ptr<const void> owner_;
  const float* data_ = nullptr;
  const std::uint16_t* two_byte_data_ = nullptr;
  NumberType type_ = NumberType::float32;
  std::shared_ptr<const ReadRegion> read_;
  // Where a view of a computed tensor lies in what `read_` reads: its axis a from origin_[a] on, along axis k of the
  // view where from_[k] == a; from_[k] == -1 is an axis of size 1 that the view added.
  Index origin_;
  PerAxis<int> from_;
  bool writable_ = false;
};

// The [rows, columns] matrix at (batch, head) of a 4-D stage, or at (batch) of a 3-D one (head ignored), as a view.
Tensor matrix_at(const Tensor& tensor, std::int64_t batch, std::int64_t head);

}  // namespace headscope
