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
  const void* data;
  PanelType type;
  std::int64_t out_stride, in_stride;
};

class PackedMatrix {
 public:
  // Room for a weight [out, in]; every panel has to be filled with pack_panel.
  PackedMatrix(std::int64_t out, std::int64_t in, PanelType type);

  std::int64_t out() const { return out_; }
  std::int64_t in() const { return in_; }
  std::int64_t panels() const { return parts_over(out_, kPanelColumns); }
  PanelType type() const { return type_; }
  std::int64_t bytes() const { return panels() * in_ * kPanelColumns * bytes_of(type_); }

  // Copies the rows [32 panel, 32 panel + 32) of `from`, whose type is this one's. Panels can be packed at the same
  // time.
  void pack_panel(std::int64_t panel, const MatrixSource& from);
  // The same of a source whose first row is the panel's.
  void pack_panel_rows(std::int64_t panel, const MatrixSource& rows);

  // [in][32] numbers, aligned to 64 bytes. T: float for float32, any two-byte type for the others.
  template <typename T>
  const T* panel(std::int64_t panel) const {
    return reinterpret_cast<const T*>(data_.get()) + panel * in_ * kPanelColumns;
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::int64_t out_, in_;
  PanelType type_;
  std::unique_ptr<std::byte, Free> data_;
};

}  // namespace headscope
