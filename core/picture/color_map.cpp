#include "core/picture/color_map.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

namespace headscope {

namespace {

using Table = std::array<Rgba, 256>;
using Rgb = std::array<double, 3>;  // each 0 to 255

// One corner of a piecewise linear curve through sRGB: the entry that it stands at, and its colour. The points are
// least-squares fits of ours to the maps' published definitions (viridis, magma: N. Smith and S. van der Walt;
// cividis: Nunez, Anderton and Renslow; icefire: M. Waskom); the worst entry differs by 1 of 255 in one channel.
struct ControlPoint {
  int entry;
  double r, g, b;
};

constexpr ControlPoint kViridis[] = {{0, 68.8, 1.2, 84.7},      {20, 72.7, 29.8, 111.7},   {35, 71.0, 48.5, 126.6},
                                     {59, 61.1, 77.2, 138.8},   {93, 44.9, 111.8, 142.8},  {132, 31.0, 148.3, 140.4},
                                     {147, 30.6, 162.4, 135.0}, {162, 41.3, 176.2, 127.0}, {179, 67.3, 191.0, 112.8},
                                     {198, 106.7, 205.9, 90.6}, {223, 169.9, 220.2, 50.4}, {237, 207.9, 225.3, 27.1},
                                     {244, 226.1, 227.6, 23.3}, {253, 248.6, 230.4, 32.2}, {255, 253.3, 231.1, 36.9}};

constexpr ControlPoint kMagma[] = {
    {0, 0.3, 0.1, 3.0},        {7, 2.4, 1.9, 15.2},        {20, 13.7, 11.4, 42.3},     {38, 36.9, 18.4, 85.1},
    {48, 54.0, 15.6, 107.4},   {58, 71.2, 15.2, 120.4},    {75, 98.0, 25.0, 128.6},    {105, 145.0, 42.9, 129.4},
    {133, 190.9, 57.3, 119.3}, {152, 220.6, 71.6, 105.1},  {168, 239.7, 92.4, 93.3},   {182, 248.5, 117.6, 91.6},
    {195, 252.5, 142.3, 99.3}, {213, 254.5, 176.0, 119.5}, {239, 253.4, 223.7, 160.7}, {255, 251.5, 252.8, 191.3}};

constexpr ControlPoint kCividis[] = {{0, 0.0, 34.7, 77.3},       {20, 0.0, 48.3, 112.6},     {23, 1.1, 49.9, 112.6},
                                     {29, 21.1, 54.1, 111.8},    {41, 41.5, 62.6, 109.4},    {65, 68.8, 79.2, 107.2},
                                     {102, 102.6, 104.9, 111.8}, {130, 126.2, 125.1, 121.0}, {163, 158.1, 150.0, 118.5},
                                     {199, 195.0, 179.3, 105.6}, {226, 224.2, 203.1, 86.6},  {244, 244.5, 219.9, 65.5},
                                     {251, 253.1, 226.5, 52.1},  {255, 254.1, 231.8, 54.9}};

constexpr ControlPoint kIcefire[] = {
    {0, 189.1, 230.1, 218.2},  {20, 132.2, 192.3, 206.4}, {34, 89.4, 167.5, 204.8},  {46, 62.7, 143.8, 206.3},
    {52, 54.5, 131.1, 208.1},  {58, 56.0, 117.3, 207.5},  {64, 65.2, 103.0, 200.0},  {72, 73.5, 85.5, 180.1},
    {80, 72.8, 72.5, 149.7},   {92, 60.1, 57.5, 104.3},   {105, 43.9, 42.9, 65.6},   {114, 35.3, 34.6, 45.9},
    {123, 30.6, 30.4, 32.8},   {130, 32.3, 29.5, 29.4},   {141, 48.2, 30.8, 34.0},   {154, 76.1, 37.7, 46.6},
    {171, 122.7, 45.1, 64.3},  {182, 156.5, 46.3, 69.2},  {189, 176.9, 49.3, 66.4},  {198, 199.8, 60.4, 58.4},
    {210, 222.2, 86.9, 50.6},  {218, 232.5, 108.4, 52.4}, {225, 238.2, 128.8, 65.4}, {236, 244.7, 159.9, 101.8},
    {255, 254.9, 211.8, 172.5}};

std::uint8_t byte_of(double value) {
  return static_cast<std::uint8_t>(std::floor(std::clamp(value, 0.0, 255.0) + 0.5));
}

Table piecewise_linear(std::span<const ControlPoint> points) {
  Table table;
  std::size_t k = 0;
  for (int entry = 0; entry < 256; ++entry) {
    while (k + 2 < points.size() && points[k + 1].entry <= entry) ++k;
    const ControlPoint &a = points[k], &b = points[k + 1];
    const double f = static_cast<double>(entry - a.entry) / (b.entry - a.entry);
    table[static_cast<std::size_t>(entry)] = {byte_of(a.r + f * (b.r - a.r)), byte_of(a.g + f * (b.g - a.g)),
                                              byte_of(a.b + f * (b.b - a.b)), 255};
  }
  return table;
}

Table gray_ramp() {
  Table table;
  for (std::size_t i = 0; i < 256; ++i) {
    const auto byte = static_cast<std::uint8_t>(i);
    table[i] = {byte, byte, byte, 255};
  }
  return table;
}

// K. Moreland, "Diverging Color Maps for Scientific Visualization" (2009): colours in Msh, the polar form of CIELAB,
// are interpolated from both ends to an unsaturated middle, the hue of the middle being turned on each side.
struct Msh {
  double magnitude, saturation, hue;
};

constexpr Rgb kWhiteD65 = {0.95047, 1.0, 1.08883};

Msh msh_of(const Rgb& srgb) {
  Rgb light;
  for (std::size_t c = 0; c < 3; ++c) {
    const double v = srgb[c] / 255.0;
    light[c] = v > 0.04045 ? std::pow((v + 0.055) / 1.055, 2.4) : v / 12.92;
  }
  const Rgb xyz = {0.4124 * light[0] + 0.3576 * light[1] + 0.1805 * light[2],
                   0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2],
                   0.0193 * light[0] + 0.1192 * light[1] + 0.9505 * light[2]};
  Rgb f;
  for (std::size_t c = 0; c < 3; ++c) {
    const double v = xyz[c] / kWhiteD65[c];
    f[c] = v > 0.008856 ? std::cbrt(v) : 7.787 * v + 16.0 / 116.0;
  }
  const double lightness = 116 * f[1] - 16, a = 500 * (f[0] - f[1]), b = 200 * (f[1] - f[2]);
  const double magnitude = std::sqrt(lightness * lightness + a * a + b * b);
  return {magnitude, std::acos(lightness / magnitude), std::atan2(b, a)};
}

Rgb srgb_of(const Msh& msh) {
  const double lightness = msh.magnitude * std::cos(msh.saturation);
  const double a = msh.magnitude * std::sin(msh.saturation) * std::cos(msh.hue);
  const double b = msh.magnitude * std::sin(msh.saturation) * std::sin(msh.hue);
  const double fy = (lightness + 16) / 116;
  const Rgb f = {fy + a / 500, fy, fy - b / 200};
  Rgb xyz;
  for (std::size_t c = 0; c < 3; ++c) {
    xyz[c] = kWhiteD65[c] * (f[c] > 0.206893 ? f[c] * f[c] * f[c] : (f[c] - 16.0 / 116.0) / 7.787);
  }
  const Rgb light = {3.2406 * xyz[0] - 1.5372 * xyz[1] - 0.4986 * xyz[2],
                     -0.9689 * xyz[0] + 1.8758 * xyz[1] + 0.0415 * xyz[2],
                     0.0557 * xyz[0] - 0.2040 * xyz[1] + 1.0570 * xyz[2]};
  Rgb srgb;
  for (std::size_t c = 0; c < 3; ++c) {
    const double v = std::clamp(light[c], 0.0, 1.0);
    srgb[c] = 255 * (v > 0.0031308 ? 1.055 * std::pow(v, 1 / 2.4) - 0.055 : 12.92 * v);
  }
  return srgb;
}

double turned_hue(const Msh& saturated, double unsaturated_magnitude) {
  if (saturated.magnitude >= unsaturated_magnitude) return saturated.hue;
  const double m = saturated.magnitude;
  const double turn = saturated.saturation * std::sqrt(unsaturated_magnitude * unsaturated_magnitude - m * m) /
                      (m * std::sin(saturated.saturation));
  return saturated.hue > -std::numbers::pi / 3 ? saturated.hue + turn : saturated.hue - turn;
}

Table cool_to_warm() {
  constexpr Rgb kCool = {59, 76, 192}, kWarm = {180, 4, 38};
  constexpr int kNodes = 33;  // as published; linear in sRGB between them
  const Msh cool = msh_of(kCool), warm = msh_of(kWarm);
  const double middle = std::max({cool.magnitude, warm.magnitude, 88.0});

  std::array<Rgb, kNodes> nodes;
  for (int k = 0; k < kNodes; ++k) {
    const double x = 2.0 * k / (kNodes - 1);
    const Msh& end = x < 1 ? cool : warm;
    const double share = x < 1 ? 1 - x : x - 1;  // of the saturated end
    const double middle_hue = turned_hue(end, middle);
    nodes[static_cast<std::size_t>(k)] = srgb_of({middle + share * (end.magnitude - middle), share * end.saturation,
                                                  middle_hue + share * (end.hue - middle_hue)});
  }
  Table table;
  for (std::size_t i = 0; i < 256; ++i) {
    const double at = static_cast<double>(i) / 255.0 * (kNodes - 1);
    const std::size_t k = std::min<std::size_t>(static_cast<std::size_t>(at), kNodes - 2);
    const double f = at - static_cast<double>(k);
    const auto channel = [&](std::size_t c) { return byte_of(nodes[k][c] + f * (nodes[k + 1][c] - nodes[k][c])); };
    table[i] = {channel(0), channel(1), channel(2), 255};
  }
  return table;
}

}  // namespace

std::string_view color_map_name(ColorMap map) {
  switch (map) {
    case ColorMap::viridis:
      return "viridis";
    case ColorMap::magma:
      return "magma";
    case ColorMap::cividis:
      return "cividis";
    case ColorMap::gray:
      return "gray";
    case ColorMap::icefire:
      return "icefire";
    case ColorMap::coolwarm:
      return "coolwarm";
  }
  return "viridis";
}

std::optional<ColorMap> color_map_named(std::string_view name) {
  for (const ColorMap map : all_color_maps()) {
    if (color_map_name(map) == name) return map;
  }
  return std::nullopt;
}

const std::vector<ColorMap>& all_color_maps() {
  static const std::vector<ColorMap> maps = {ColorMap::viridis, ColorMap::magma,   ColorMap::cividis,
                                             ColorMap::gray,    ColorMap::icefire, ColorMap::coolwarm};
  return maps;
}

bool is_diverging(ColorMap map) {
  return map == ColorMap::icefire || map == ColorMap::coolwarm;
}

const Table& color_table(ColorMap map) {
  static const Table viridis = piecewise_linear(kViridis), magma = piecewise_linear(kMagma),
                     cividis = piecewise_linear(kCividis), gray = gray_ramp(), icefire = piecewise_linear(kIcefire),
                     coolwarm = cool_to_warm();
  switch (map) {
    case ColorMap::viridis:
      return viridis;
    case ColorMap::magma:
      return magma;
    case ColorMap::cividis:
      return cividis;
    case ColorMap::gray:
      return gray;
    case ColorMap::icefire:
      return icefire;
    case ColorMap::coolwarm:
      return coolwarm;
  }
  return viridis;
}

Rgba color_at(ColorMap map, double t) {
  return color_table(map)[static_cast<std::size_t>(std::floor(std::fmin(std::fmax(t, 0.0), 1.0) * 255.0 + 0.5))];
}

ColorMap default_color_map(bool signed_data, Theme theme) {
  if (!signed_data) return ColorMap::viridis;
  return theme == Theme::light ? ColorMap::coolwarm : ColorMap::icefire;
}

}  // namespace headscope
