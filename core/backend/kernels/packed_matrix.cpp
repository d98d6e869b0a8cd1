#include "core/backend/kernels/packed_matrix.h"

#include <algorithm>
#include <new>

namespace headscope {
namespace {

template <typename T>
void pack(const T* from, std::int64_t out_stride, std::int64_t in_stride, std::int64_t columns, std::int64_t in,
          T* panel) {
  if (out_stride == 1) {
    for (std::int64_t i = 0; i < in; ++i, panel += kPanelColumns) {
      std::fill(std::copy_n(from + i * in_stride, columns, panel), panel + kPanelColumns, T(0));
    }
    return;
  }
  // Sixteen inputs at a time: a cache line of every row, so that lines of many rows need not stay cached together.
  constexpr std::int64_t kInputs = 16;
  for (std::int64_t first = 0; first < in; first += kInputs) {
    const std::int64_t inputs = std::min(kInputs, in - first);
    for (std::int64_t n = 0; n < kPanelColumns; ++n) {
      T* to = panel + first * kPanelColumns + n;
      const T* row = from + n * out_stride + first * in_stride;
      for (std::int64_t i = 0; i < inputs; ++i) to[i * kPanelColumns] = n < columns ? row[i * in_stride] : T(0);
    }
  }
}

}  // namespace

PackedMatrix::PackedMatrix(std::int64_t out, std::int64_t in, PanelType type) : out_(out), in_(in), type_(type) {
  constexpr std::size_t kAlignment = 64;
  const std::size_t size = (static_cast<std::size_t>(bytes()) / kAlignment + 1) * kAlignment;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, size)));
  if (!data_) throw std::bad_alloc();
}

void PackedMatrix::pack_panel(std::int64_t panel, const MatrixSource& from) {
  const std::int64_t first = panel * kPanelColumns * from.out_stride * bytes_of(type_);
  pack_panel_rows(panel,
                  {static_cast<const std::byte*>(from.data) + first, from.type, from.out_stride, from.in_stride});
}

void PackedMatrix::pack_panel_rows(std::int64_t panel, const MatrixSource& rows) {
  const std::int64_t columns = std::min(kPanelColumns, out_ - panel * kPanelColumns);
  const std::int64_t to = panel * in_ * kPanelColumns;
  if (type_ == PanelType::float32) {
    pack(static_cast<const float*>(rows.data), rows.out_stride, rows.in_stride, columns, in_,
         reinterpret_cast<float*>(data_.get()) + to);
  } else {
    pack(static_cast<const std::uint16_t*>(rows.data), rows.out_stride, rows.in_stride, columns, in_,
         reinterpret_cast<std::uint16_t*>(data_.get()) + to);
  }
}

}  // namespace headscope
