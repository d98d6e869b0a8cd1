#include "core/backend/kernels/packed_matrix.h"

#include <algorithm>
#include <new>

#include "core/backend/kernels/pack_panels.h"

namespace headscope {

void PackedMatrix::reshape(std::int64_t out, std::int64_t in, PanelType type) {
  out_ = out;
  in_ = in;
  type_ = type;
  const std::size_t size = (static_cast<std::size_t>(bytes()) / kAlignment + 1) * kAlignment;
  if (size <= room_) return;
  room_ = 0;
  data_.reset();
  data_.reset(static_cast<std::byte*>(::operator new(size, std::align_val_t(kAlignment), std::nothrow)));
  if (!data_) {
    out_ = in_ = 0;
    throw std::bad_alloc();
  }
  room_ = size;
}

void PackedMatrix::pack(std::int64_t first, std::int64_t last, const MatrixSource& rows) {
  const std::int64_t count = std::min(last * kPanelColumns, out_) - first * kPanelColumns;
  pack_panels(rows, last - first, count, in_, data_.get() + first * in_ * kPanelColumns * bytes_of(type_));
}

}  // namespace headscope
