// A weight as the kernels read it: panels of 32 outputs, [out / 32][in][32], the last one filled up with zeros. The
// same for every vector width, so that a weight is packed once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "core/backend/kernels/matrix_source.h"
#include "core/tensor/parts.h"

namespace headscope {

class PackedMatrix {
 public:
  PackedMatrix() = default;
  // Room for a weight [out, in]; every panel has to be filled with pack(). Throws std::bad_alloc.
  PackedMatrix(std::int64_t out, std::int64_t in, PanelType type) { reshape(out, in, type); }

  // Room for another weight, in the same memory where it is large enough; every panel has to be filled again. Throws
  // std::bad_alloc, and then holds nothing.
  void reshape(std::int64_t out, std::int64_t in, PanelType type);

  std::int64_t out() const { return out_; }
  std::int64_t in() const { return in_; }
  std::int64_t panels() const { return parts_over(out_, kPanelColumns); }
  PanelType type() const { return type_; }
  std::int64_t bytes() const { return panels() * in_ * kPanelColumns * bytes_of(type_); }

  // Fills the panels [first, last) from rows of this matrix's type, whose first is row 32 first of the weight.
  // Different panels can be filled at the same time.
  void pack(std::int64_t first, std::int64_t last, const MatrixSource& rows);

  // [in][32] numbers, aligned to 64 bytes. T: float for float32, any two-byte type for the others.
  template <typename T>
  const T* panel(std::int64_t panel) const {
    return reinterpret_cast<const T*>(data_.get()) + panel * in_ * kPanelColumns;
  }

 private:
  static constexpr std::size_t kAlignment = 64;
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t(kAlignment)); }
  };
  std::int64_t out_ = 0, in_ = 0;
  PanelType type_ = PanelType::float32;
  std::size_t room_ = 0;  // bytes at data_
  std::unique_ptr<std::byte, Free> data_;
};

}  // namespace headscope
