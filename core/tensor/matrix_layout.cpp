#include "core/tensor/matrix_layout.h"

namespace headscope {

Tensor matrix_of(const Tensor& tensor, const MatrixLayout& layout, std::int64_t batch, std::int64_t head, Range rows,
                 Range columns) {
  Region at;
  for (int axis = 0; axis < tensor.rank(); ++axis) at.push_back({0, 1});
  at[layout.batch] = {batch, batch + 1};
  if (layout.head >= 0) at[layout.head] = {head, head + 1};
  const auto read = [tensor, at, layout, rows, columns](const Region& part, std::span<float> out) {
    Region region = at;
    region[layout.rows] = {rows.begin + part[0].begin, rows.begin + part[0].end};
    region[layout.columns] = {columns.begin + part[1].begin, columns.begin + part[1].end};
    tensor.read(region, out);
  };
  return Tensor::computed({rows.size(), columns.size()}, {tensor.axes()[layout.rows], tensor.axes()[layout.columns]},
                          read);
}

}  // namespace headscope
