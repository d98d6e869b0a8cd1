// Shapes, axis names and regions of tensors of up to five axes.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace headscope {

constexpr int kMaxRank = 5;

// What an axis counts. `query` and `key` are token positions on the two sides of a score, `position` a token
// position elsewhere, `feature` a component of a vector.
enum class Axis : std::uint8_t { batch, head, query, key, position, feature };

// "batch", "head", ... as in the contract.
const char* axis_name(Axis axis);

// A list of at most five values, one an axis; unused places are zero, so that == compares what is used.
template <typename T>
struct PerAxis {
  std::array<T, kMaxRank> values{};
  int count = 0;

  PerAxis() = default;
  PerAxis(std::initializer_list<T> list) {
    for (T value : list) push_back(value);
  }
  void push_back(T value) { values.at(static_cast<std::size_t>(count++)) = value; }
  T& operator[](int i) { return values.at(static_cast<std::size_t>(i)); }
  const T& operator[](int i) const { return values.at(static_cast<std::size_t>(i)); }
  const T* begin() const { return values.data(); }
  const T* end() const { return values.data() + count; }
  friend bool operator==(const PerAxis&, const PerAxis&) = default;
};

using Shape = PerAxis<std::int64_t>;    // sizes, slowest axis first
using Strides = PerAxis<std::int64_t>;  // steps in elements, not bytes
using Axes = PerAxis<Axis>;
using Index = PerAxis<std::int64_t>;

// One half-open range [begin, end) per axis.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t size() const { return end - begin; }
  friend bool operator==(const Range&, const Range&) = default;
};
using Region = PerAxis<Range>;

// Product of the sizes; 1 for rank 0. Throws Error when it overflows 2^62 or a size is negative.
std::int64_t element_count(const Shape& shape);
std::int64_t element_count(const Region& region);

// Strides of a dense row-major tensor of this shape.
Strides row_major_strides(const Shape& shape);

// The region that holds everything.
Region whole(const Shape& shape);

// "[1, 8, 5, 5]", as the contract writes shapes.
std::string to_string(const Shape& shape);

}  // namespace headscope
