// A weight as the kernels read it: panels of 32 outputs, [out / 32][in][32], the last one filled up with zeros. The
// same for every vector width, so that a weight is packed once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "core/tensor/parts.h"

namespace headscope {

inline constexpr std::int64_t kPanelColumns = 32;

// How the numbers of a panel are stored. Two-byte numbers are widened, exactly, inside the kernels.
enum class PanelType { float32, float16, bfloat16 };

inline std::int64_t bytes_of(PanelType type) {
  return type == PanelType::float32 ? 4 : 2;
}

// A matrix [out, in] somewhere in memory: element (o, i) is number o * out_stride + i * in_stride.
struct MatrixSource {
  const void* data = nullptr;
  PanelType type = PanelType::float32;
  std::int64_t out_stride = 0, in_stride = 0;
};

// The same from row `out` and input `in` on.
inline MatrixSource source_from(const MatrixSource& source, std::int64_t out, std::int64_t in) {
  MatrixSource part = source;
  part.data = static_cast<const std::byte*>(source.data) +
              (out * source.out_stride + in * source.in_stride) * bytes_of(source.type);
  return part;
}

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
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::int64_t out_ = 0, in_ = 0;
  PanelType type_ = PanelType::float32;
  std::size_t room_ = 0;  // bytes at data_
  std::unique_ptr<std::byte, Free> data_;
};

}  // namespace headscope
