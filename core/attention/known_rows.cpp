#include "core/attention/known_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "core/tensor/copy_values.h"

namespace headscope {

std::int64_t equal_rows(const Tensor& a, const Tensor& b, std::int64_t most) {
  if (!a.stored() || !b.stored() || a.dim(0) != b.dim(0) || a.dim(2) != b.dim(2)) return 0;
  std::int64_t same = std::min({most, a.dim(1), b.dim(1)});
  const std::size_t bytes = static_cast<std::size_t>(a.dim(2)) * sizeof(float);
  for (std::int64_t n = 0; n < a.dim(0); ++n) {
    const float* left = a.data() + n * a.strides()[0];
    const float* right = b.data() + n * b.strides()[0];
    std::int64_t i = 0;
    while (i < same && std::memcmp(left + i * a.strides()[1], right + i * b.strides()[1], bytes) == 0) ++i;
    same = i;
  }
  return same;
}

bool is_whole(const Tensor& before, std::int64_t same, std::int64_t len) {
  return !before.empty() && same == len && before.dim(1) == len;
}

Tensor with_rows_of(const Tensor& like, const Tensor& before, std::int64_t same) {
  Tensor result = Tensor::zeros(like.shape(), like.axes());
  if (same > 0) {
    Tensor rows = result.writable_sliced(1, 0, same);
    copy_values(before.sliced(1, 0, same), rows);
  }
  return result;
}

}  // namespace headscope
