#include "app/ui/mask/mask_brush.h"

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

constexpr const char* kPaints = "mask/paints";
constexpr const char* kTool = "mask/tool";
constexpr const char* kSize = "mask/size";
constexpr std::int64_t kLargest = 64;

// The cells that are passed so far, run by run.
void draw_stroke(Ui& ui, const CellGrid& grid, const MaskStroke& passed, MaskPaints paints) {
  Rgba ink = paint_color(ui, paints);
  ink.a = 130;
  for (std::int64_t i = 0; i < passed.query_len; ++i) {
    const auto row = passed.cells.begin() + i * passed.key_len, end = row + passed.key_len;
    for (auto from = std::find(row, end, 1); from != end;) {
      const auto to = std::find(from, end, 0);
      fill({grid.cell_rect(i, from - row).min, grid.cell_rect(i, to - row - 1).max}, ink);
      from = std::find(to, end, 1);
    }
  }
}

}  // namespace

bool paints_freely(const Ui& ui) {
  return ui.state.panels.get<MaskTools>().freely;
}

MaskPaints mask_paints(const Ui& ui) {
  return ui.state.panels.get<MaskTools>().paints;
}

Rgba paint_color(const Ui& ui, MaskPaints paints) {
  return paints == MaskPaints::hide ? ui.colors.bad : paints == MaskPaints::show ? ui.colors.ok : ui.colors.text2;
}

void draw_mask_tools(Ui& ui, Rect& controls, float y) {
  const auto place = [&](float width, float gap) {
    const Rect rect = take_right(controls, ui.px(width), ui.px(gap));
    return Rect{{rect.min.x, y}, {rect.max.x, y + ui.px(size::control_height)}};
  };
  auto& tools = ui.state.panels.get<MaskTools>();
  int paints = static_cast<int>(tools.paints);
  if (segments(
          ui, kPaints, place(156, 10), {"hide", "show", "erase"}, paints,
          {true, false, "What painting does to every cell it touches: hides it, shows it, or takes paint away."})) {
    tools.paints = static_cast<MaskPaints>(paints);
  }
  std::int64_t side = tools.brush_side;
  const bool freely = tools.freely;
  if (stepper(ui, kSize, place(86, 6), side, {.low = 1, .high = kLargest},
              {freely, false, freely ? "Cells along a side of the brush." : "Of the brush: choose it first."})) {
    tools.brush_side = std::clamp<std::int64_t>(side, 1, kLargest);
  }
  int tool = freely ? 1 : 0;
  if (segments(ui, kTool, place(140, 10), {"rectangle", "brush"}, tool,
               {true, false, "A drag paints a rectangle, or the cells that it passes over."})) {
    tools.freely = tool == 1;
  }
}

Cell nearest_cell(const CellGrid& grid, ImVec2 at) {
  const auto place = [](double from, double cell, std::int64_t count) {
    return static_cast<std::int64_t>(std::clamp(std::floor(from / cell), 0.0, static_cast<double>(count - 1)));
  };
  return {place(static_cast<double>(at.y - grid.area.min.y), grid.cell_height, grid.rows),
          place(static_cast<double>(at.x - grid.area.min.x), grid.cell_width, grid.columns)};
}

BrushStroke dab_at(const Ui& ui, const PaintedGrid& on, Cell at) {
  BrushStroke stroke{MaskStroke(on.grid.rows, on.keys), mask_paints(ui), at};
  stroke.passed.draw_line(at.row, at.column, at.row, at.column, ui.state.panels.get<MaskTools>().brush_side);
  return stroke;
}

std::optional<BrushStroke> read_brush(Ui& ui, const PaintedGrid& on, const Interaction& mouse) {
  auto& tools = ui.state.panels.get<MaskTools>();
  std::optional<BrushStroke>& stroke = tools.stroke;
  const ImGuiIO& io = ImGui::GetIO();
  const bool other_size = stroke && (stroke->passed.query_len != on.grid.rows || stroke->passed.key_len != on.keys);
  if (other_size) stroke.reset();  // another text came in the middle of it
  if (mouse.held) {
    if (!stroke) stroke = dab_at(ui, on, nearest_cell(on.grid, io.MouseClickedPos[0]));
    const Cell under = nearest_cell(on.grid, io.MousePos);
    stroke->passed.draw_line(stroke->last.row, stroke->last.column, under.row, under.column, tools.brush_side);
    stroke->last = under;
    draw_stroke(ui, on.grid, stroke->passed, stroke->paints);
    return std::nullopt;
  }
  if (stroke) {
    BrushStroke ended = std::move(*stroke);
    stroke.reset();
    return ended;
  }
  if (mouse.hovered && tools.brush_side > 1) {
    const Cell under = nearest_cell(on.grid, io.MousePos);
    draw_stroke(ui, on.grid, dab_at(ui, on, under).passed, mask_paints(ui));
  }
  return std::nullopt;
}

}  // namespace headscope::ui
