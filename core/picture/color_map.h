// Colour maps: 256 entries each, the same table on screen and in exports.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/image.h"
#include "core/picture/palette.h"

namespace headscope {

enum class ColorMap { viridis, magma, cividis, gray, icefire, coolwarm };

std::string_view color_map_name(ColorMap map);
// nullopt for another name.
std::optional<ColorMap> color_map_named(std::string_view name);
const std::vector<ColorMap>& all_color_maps();
bool is_diverging(ColorMap map);  // icefire, coolwarm: centred on zero

const std::array<Rgba, 256>& color_table(ColorMap map);

// t in [0, 1], clamped; entry floor(t * 255 + 0.5). The caller must not pass NaN.
Rgba color_at(ColorMap map, double t);

// viridis for weights; for signed data icefire in dark, coolwarm in light.
ColorMap default_color_map(bool signed_data, Theme theme);

}  // namespace headscope
