// The metrics of a font file that the font atlas needs.
#pragma once

#include <cstddef>
#include <span>

namespace headscope::ui {

// Ascent and descent of a TrueType or OpenType face, in ems: how far letters reach above and below the baseline. Dear
// ImGui's builder takes sizes as ascent + descent, the visual system gives them in pixels an em.
struct VerticalMetrics {
  float ascent = 0.95f, descent = 0.25f;  // the defaults are for a face without readable tables
};
VerticalMetrics vertical_metrics(std::span<const std::byte> bytes, int face);

}  // namespace headscope::ui
