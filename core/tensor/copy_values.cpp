#include "core/tensor/copy_values.h"

#include <algorithm>
#include <string>

#include "core/base/assert.h"

namespace headscope {

void copy_values(const Tensor& from, Tensor& to) {
  HEADSCOPE_ASSERT(from.shape() == to.shape(), to_string(from.shape()) + " into " + to_string(to.shape()));
  if (to.size() == 0) return;
  const int last = to.rank() - 1;
  const std::int64_t count = to.dim(last);
  HEADSCOPE_ASSERT(count == 1 || to.strides()[last] == 1, "gaps in the rows of " + to_string(to.shape()));
  const bool plain = from.stored() && (count == 1 || from.strides()[last] == 1);
  Index at;
  for (int axis = 0; axis < last; ++axis) at.push_back(0);
  while (true) {
    std::int64_t source = 0, target = 0;
    Region line;
    for (int axis = 0; axis < last; ++axis) {
      source += at[axis] * from.strides()[axis];
      target += at[axis] * to.strides()[axis];
      line.push_back({at[axis], at[axis] + 1});
    }
    line.push_back({0, count});
    float* row = to.mutable_data() + target;
    if (plain) {
      std::copy_n(from.data() + source, count, row);
    } else {
      from.read(line, {row, static_cast<std::size_t>(count)});
    }
    int axis = last - 1;
    for (; axis >= 0; --axis) {
      if (++at[axis] < to.dim(axis)) break;
      at[axis] = 0;
    }
    if (axis < 0) return;
  }
}

}  // namespace headscope
