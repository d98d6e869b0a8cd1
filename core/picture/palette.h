// The colours of the visual system, for the window and for exported pictures: one source for both.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/image.h"

namespace headscope {

// contrast: white on black, every word at least 7:1 on every ground and every outline at least 4.5:1 (WCAG 2.1, level
// AAA for text).
enum class Theme : std::uint8_t { dark, light, contrast };

struct Palette {
  Rgba chrome, panel, well;  // menu and status / regions / fields, plots, empty cells
  Rgba raised, hover, tint;  // controls, stages / hovered / selected rows
  Rgba line, hatch, edge;    // dividers / hidden cells / outline of every control
  Rgba text, text2, text3;   // values, titles / labels, units / indices, hints
  Rgba accent, accent_fill;  // focus, selection / on-state, under white text
  Rgba query, key, value;    // roles
  Rgba ok, warn, bad, ok_ground, warn_ground, bad_ground;
  Rgba bar_positive, bar_negative;  // signed bars of explanations and histograms
};
const Palette& palette(Theme theme);

constexpr Rgba kNanColor{0xc0, 0x26, 0xd3, 255};  // NaN and infinities, under a white mark

// The colour of head h, in order, repeating after twelve. For squares, bands and lines; never for text.
Rgba head_color(std::int64_t head);

// The head's hue at 30 % (first token) to 100 % (last token) brightness: provenance of a merged cell.
Rgba provenance_color(std::int64_t head, std::int64_t position, std::int64_t positions);

// WCAG relative luminance in [0, 1]; and the text colour for `ground`: black or white (threshold 0.179).
double relative_luminance(Rgba color);
Rgba ink_on(Rgba ground);

}  // namespace headscope
