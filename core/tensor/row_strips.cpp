#include "core/tensor/row_strips.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <vector>

namespace headscope {
namespace {

// Calls visit(leading) for every index of the axes before the last two.
template <typename Visit>
void for_each_matrix(const Tensor& tensor, const Visit& visit) {
  const int leading_axes = std::max(0, tensor.rank() - 2);
  Index leading;
  std::int64_t matrices = 1;
  for (int axis = 0; axis < leading_axes; ++axis) {
    leading.push_back(0);
    matrices *= tensor.dim(axis);
  }
  for (std::int64_t k = 0; k < matrices; ++k) {
    visit(leading);
    for (int axis = leading_axes - 1; axis >= 0 && ++leading[axis] == tensor.dim(axis); --axis) leading[axis] = 0;
  }
}

// Has the cache fetch a row that comes next: whoever reads it from its end does not wait for memory.
void expect_row(const float* row, std::size_t width) {
  constexpr std::size_t kLine = 16, kMost = 1024;
  for (std::size_t j = width; j > width - std::min(width, kMost); j -= std::min(j, kLine)) hwy::Prefetch(row + j - 1);
}

}  // namespace

void for_each_row(const Tensor& tensor, const VisitRow& visit) {
  if (tensor.size() == 0) return;
  const int last = tensor.rank() - 1;
  const std::int64_t columns = tensor.dim(last), rows = last > 0 ? tensor.dim(last - 1) : 1;
  const auto width = static_cast<std::size_t>(columns);
  if (tensor.stored() && (columns == 1 || tensor.strides()[last] == 1)) {
    const std::int64_t row_step = last > 0 ? tensor.strides()[last - 1] : 0;
    for_each_matrix(tensor, [&](const Index& leading) {
      const float* first = tensor.data();
      for (int axis = 0; axis < leading.count; ++axis) first += leading[axis] * tensor.strides()[axis];
      for (std::int64_t i = 0; i < rows; ++i) {
        if (i + 1 < rows) expect_row(first + (i + 1) * row_step, width);
        visit(leading, i, {first + i * row_step, width});
      }
    });
    return;
  }
  const std::int64_t piece = tensor.stored() ? kStoredPiece : kComputedPiece;
  std::int64_t strip = std::clamp<std::int64_t>(piece / columns, 1, rows);
  if (kRowsTogether < strip && strip < rows) strip -= strip % kRowsTogether;
  std::vector<float> values(static_cast<std::size_t>(strip) * width);
  for_each_matrix(tensor, [&](const Index& leading) {
    for (std::int64_t begin = 0; begin < rows; begin += strip) {
      const std::int64_t end = std::min(begin + strip, rows);
      Region region;
      for (const std::int64_t index : leading) region.push_back({index, index + 1});
      if (last > 0) region.push_back({begin, end});
      region.push_back({0, columns});
      const std::span<float> part(values.data(), static_cast<std::size_t>(end - begin) * width);
      tensor.read(region, part);
      for (std::int64_t i = begin; i < end; ++i) {
        visit(leading, i, part.subspan(static_cast<std::size_t>(i - begin) * width, width));
      }
    }
  });
}

}  // namespace headscope
