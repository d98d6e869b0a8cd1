// A matrix somewhere in memory, as panels are packed from it, and what a panel is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headscope {

inline constexpr std::int64_t kPanelColumns = 32;

// Rows in main memory that are read side by side: as many as a processor follows by itself (24 GB/s with 16 of them, 10
// with 32).
inline constexpr std::int64_t kRowsSideBySide = 16;

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

}  // namespace headscope
