// What the font atlas needs to know of a font file.
#pragma once

#include <cstddef>
#include <span>

namespace headscope::ui {

// Of a TrueType or OpenType face, in ems: how far letters reach above and below the baseline. Dear ImGui's builder
// takes sizes as ascent + descent, the visual system gives them in pixels an em.
struct VerticalMetrics {
  float ascent = 0.95f, descent = 0.25f;  // what a face without readable tables gets
};
VerticalMetrics vertical_metrics(std::span<const std::byte> bytes, int face);

}  // namespace headscope::ui
