#include "app/ui/widgets/font_metrics.h"

#include <cstdint>

namespace headscope::ui {

namespace {

// Big-endian reads that give 0 beyond the end.
struct Bytes {
  std::span<const std::byte> data;
  std::uint32_t u8(std::size_t at) const { return at < data.size() ? static_cast<std::uint32_t>(data[at]) : 0; }
  std::uint32_t u16(std::size_t at) const { return (u8(at) << 8) | u8(at + 1); }
  int s16(std::size_t at) const { return static_cast<std::int16_t>(u16(at)); }
  std::uint32_t u32(std::size_t at) const { return (u16(at) << 16) | u16(at + 2); }
};

std::size_t table(const Bytes& bytes, std::size_t face, const char (&tag)[5]) {
  const std::uint32_t count = bytes.u16(face + 4);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t entry = face + 12 + std::size_t{16} * i;
    bool same = true;
    for (std::size_t k = 0; k < 4; ++k) same = same && bytes.u8(entry + k) == static_cast<unsigned char>(tag[k]);
    if (same) return bytes.u32(entry + 8);
  }
  return 0;
}

}  // namespace

VerticalMetrics vertical_metrics(std::span<const std::byte> data, int face) {
  const Bytes bytes{data};
  const bool collection = bytes.u32(0) == 0x74746366;  // "ttcf"
  const std::size_t start = collection ? bytes.u32(12 + std::size_t{4} * static_cast<std::size_t>(face)) : 0;
  const std::size_t head = table(bytes, start, "head"), hhea = table(bytes, start, "hhea");
  const int em = head == 0 ? 0 : static_cast<int>(bytes.u16(head + 18));
  const int up = hhea == 0 ? 0 : bytes.s16(hhea + 4), down = hhea == 0 ? 0 : -bytes.s16(hhea + 6);
  if (em <= 0 || up <= 0 || up + down <= 0 || up + down > 8 * em) return {};
  return {static_cast<float>(up) / static_cast<float>(em), static_cast<float>(down) / static_cast<float>(em)};
}

}  // namespace headscope::ui
