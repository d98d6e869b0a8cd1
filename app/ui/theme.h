// Scale and fonts of the window: the one place for sizes, spacing and type. Colours: core/picture/palette.h.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <vector>

#include "core/picture/palette.h"

namespace headscope::ui {

// Type of the visual system. Words are Inter, numbers JetBrains Mono, or the best fonts that fontconfig finds.
enum class Type {
  words11,      // axis and hints
  words12,      // controls, labels
  words13,      // sentences
  words16,      // the phrase
  title12,      // 600, sections
  title13,      // 600, panel titles
  title15,      // 600, dialog titles
  mono10,       // numbers in small cells
  mono11,       // axis, shapes
  mono12,       // numbers, tokens
  mono16,       // the phrase's tokens
  mono_bold11,  // 600, the marked row and column
  mono_bold12,  // 600, contract names
  mono_bold20,  // 600, results
  count,
};

// The fonts of the atlas, made by build_fonts() in app/ui/font_atlas.h.
struct Fonts {
  ImFont* by_type[static_cast<int>(Type::count)] = {};
  float pixels[static_cast<int>(Type::count)] = {};
  float ascent[static_cast<int>(Type::count)] = {};  // of the design, rounded as browsers round them
  float descent[static_cast<int>(Type::count)] = {};
  float scale = 1;
  std::vector<std::uint32_t> covered;  // code points beyond the interface's own that are in the atlas, sorted
  std::vector<std::uint32_t> missing;  // requested code points that no font has or the atlas cannot hold, sorted
  ImFont* operator[](Type type) const { return by_type[static_cast<int>(type)]; }
};

// Sizes at 1x; multiply by Ui::scale through Ui::px().
namespace size {
constexpr float panel_padding = 14, control_height = 24, row_height = 30, readonly_row_height = 24, panel_header = 40,
                status = 24, menu = 30, views = 36, phrase_row = 73, view_head = 64, view_head_small = 36, facts = 28,
                folded = 32, pipeline = 82, pipeline_small = 35, rail = 36, radius_inner = 3, radius_control = 4,
                radius_field = 5, radius_dialog = 8;
}

inline ImU32 color32(Rgba c, float alpha = 1) {
  return IM_COL32(c.r, c.g, c.b, static_cast<int>(static_cast<float>(c.a) * alpha + 0.5f));
}

}  // namespace headscope::ui
