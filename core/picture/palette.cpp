#include "core/picture/palette.h"

#include <cmath>
#include <cstddef>

namespace headscope {

namespace {

constexpr Rgba hex(std::uint32_t rgb) {
  return {static_cast<std::uint8_t>(rgb >> 16), static_cast<std::uint8_t>(rgb >> 8), static_cast<std::uint8_t>(rgb),
          255};
}

constexpr Palette kDark = {
    .chrome = hex(0x0e1116),
    .panel = hex(0x161a21),
    .well = hex(0x0b0d12),
    .raised = hex(0x242b36),
    .hover = hex(0x2f3845),
    .tint = hex(0x1a2a42),
    .line = hex(0x2a313c),
    .hatch = hex(0x39424f),
    .edge = hex(0x6c788c),
    .text = hex(0xe6eaf0),
    .text2 = hex(0xaab4c2),
    .text3 = hex(0x8791a1),
    .accent = hex(0x6aa8ff),
    .accent_fill = hex(0x2a60a8),
    .query = hex(0x3fd2c0),
    .key = hex(0xffb454),
    .value = hex(0xf08fb8),
    .ok = hex(0x57cb8c),
    .warn = hex(0xf2bd4e),
    .bad = hex(0xff8078),
    .ok_ground = hex(0x17291f),
    .warn_ground = hex(0x2e2716),
    .bad_ground = hex(0x351e20),
    .bar_positive = hex(0xdd6a52),
    .bar_negative = hex(0x7d9bf0),
};

constexpr Palette kLight = {
    .chrome = hex(0xe4e7ec),
    .panel = hex(0xf7f8fa),
    .well = hex(0xffffff),
    .raised = hex(0xe9ecf1),
    .hover = hex(0xdde2e9),
    .tint = hex(0xdfeafa),
    .line = hex(0xd3d8e0),
    .hatch = hex(0xc3cad4),
    .edge = hex(0x7a8493),
    .text = hex(0x181c23),
    .text2 = hex(0x4a5361),
    .text3 = hex(0x5f6978),
    .accent = hex(0x0f62c9),
    .accent_fill = hex(0x1a66c7),
    .query = hex(0x00756a),
    .key = hex(0x9a5200),
    .value = hex(0xab2e69),
    .ok = hex(0x1a7443),
    .warn = hex(0x875a00),
    .bad = hex(0xbe2a22),
    .ok_ground = hex(0xdcf2e4),
    .warn_ground = hex(0xfcf0d3),
    .bad_ground = hex(0xfde4e1),
    .bar_positive = hex(0xdd6a52),
    .bar_negative = hex(0x7d9bf0),
};

constexpr Palette kContrast = {
    .chrome = hex(0x000000),
    .panel = hex(0x000000),
    .well = hex(0x000000),
    .raised = hex(0x1a1a1a),
    .hover = hex(0x2a2a2a),
    .tint = hex(0x002a5c),
    .line = hex(0x8c8c8c),
    .hatch = hex(0x808080),
    .edge = hex(0xd0d0d0),
    .text = hex(0xffffff),
    .text2 = hex(0xececec),
    .text3 = hex(0xd4d4d4),
    .accent = hex(0x7cc4ff),
    .accent_fill = hex(0x00509e),
    .query = hex(0x5cf0dc),
    .key = hex(0xffc873),
    .value = hex(0xffaad2),
    .ok = hex(0x7df0aa),
    .warn = hex(0xffd866),
    .bad = hex(0xffa9a2),
    .ok_ground = hex(0x00301a),
    .warn_ground = hex(0x332600),
    .bad_ground = hex(0x420c08),
    .bar_positive = hex(0xff8f73),
    .bar_negative = hex(0xa3b9ff),
};

constexpr std::array<const Palette*, 3> kPalettes = {&kDark, &kLight, &kContrast};  // in the order of Theme

constexpr std::array<Rgba, 12> kHeads = {hex(0x5b9bf5), hex(0x4bbd80), hex(0xe5a63a), hex(0xd074dd),
                                         hex(0x38b8b4), hex(0xf0736f), hex(0xa9c043), hex(0x9a86f5),
                                         hex(0xd98b5f), hex(0x6fb3d9), hex(0xc6849f), hex(0x8fa3b8)};

// sRGB byte to linear light, IEC 61966-2-1.
double linear_light(std::uint8_t byte) {
  const double c = byte / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

}  // namespace

const Palette& palette(Theme theme) {
  return *kPalettes[static_cast<std::size_t>(theme)];
}

Rgba head_color(std::int64_t head) {
  const auto count = static_cast<std::int64_t>(kHeads.size());
  return kHeads[static_cast<std::size_t>(((head % count) + count) % count)];
}

Rgba provenance_color(std::int64_t head, std::int64_t position, std::int64_t positions) {
  const Rgba full = head_color(head);
  const double share =
      positions <= 1 ? 1.0 : 0.3 + 0.7 * static_cast<double>(position) / static_cast<double>(positions - 1);
  const auto dimmed = [share](std::uint8_t byte) {
    return static_cast<std::uint8_t>(std::floor(std::fmin(std::fmax(byte * share, 0.0), 255.0) + 0.5));
  };
  return {dimmed(full.r), dimmed(full.g), dimmed(full.b), 255};
}

double relative_luminance(Rgba color) {
  return 0.2126 * linear_light(color.r) + 0.7152 * linear_light(color.g) + 0.0722 * linear_light(color.b);
}

Rgba ink_on(Rgba ground) {
  return relative_luminance(ground) > 0.179 ? Rgba{0, 0, 0, 255} : Rgba{255, 255, 255, 255};
}

}  // namespace headscope
