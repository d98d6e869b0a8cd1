#include "core/tensor/shape.h"

#include "core/base/assert.h"
#include "core/base/error.h"

namespace headscope {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 62;

// A zero-sized axis makes the product zero, but the other sizes must still multiply without overflow: strides need
// their product.
std::int64_t checked_product(const Shape& shape) {
  std::int64_t product = 1;
  bool any_zero = false;
  for (std::int64_t size : shape) {
    if (size < 0) throw Error("the shape " + to_string(shape) + " has a negative size");
    if (size == 0) {
      any_zero = true;
      continue;
    }
    if (product > kMaxElements / size) throw Error("the shape " + to_string(shape) + " holds too many elements");
    product *= size;
  }
  return any_zero ? 0 : product;
}

}  // namespace

const char* axis_name(Axis axis) {
  switch (axis) {
    case Axis::batch:
      return "batch";
    case Axis::head:
      return "head";
    case Axis::query:
      return "query";
    case Axis::key:
      return "key";
    case Axis::position:
      return "position";
    case Axis::feature:
      return "feature";
  }
  HEADSCOPE_ASSERT(false, "axis " + std::to_string(static_cast<int>(axis)));
  return "";
}

std::int64_t element_count(const Shape& shape) {
  return checked_product(shape);
}

std::int64_t element_count(const Region& region) {
  Shape sizes;
  for (const Range& range : region) sizes.push_back(range.size());
  return checked_product(sizes);
}

Strides row_major_strides(const Shape& shape) {
  checked_product(shape);
  Strides strides;
  strides.count = shape.count;
  std::int64_t step = 1;
  for (int axis = shape.count - 1; axis >= 0; --axis) {
    strides[axis] = step;
    if (shape[axis] > 0) step *= shape[axis];
  }
  return strides;
}

Region whole(const Shape& shape) {
  Region region;
  for (std::int64_t size : shape) region.push_back({0, size});
  return region;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (int axis = 0; axis < shape.count; ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(shape[axis]);
  }
  return text + "]";
}

}  // namespace headscope
