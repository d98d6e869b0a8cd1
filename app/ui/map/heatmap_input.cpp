// Mouse and keys over a heatmap: zoom, pan, and the picked cell.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "app/ui/map/heatmap_view.h"

namespace headscope::ui {
namespace {

// Turns of the wheel that are not yet a whole one, by the name of the heatmap.
struct WheelRests {
  std::map<std::string, double> by_name;
};

// Where a turn of the wheel halves or doubles what a pixel holds, the small turns of a touchpad are gathered to whole
// ones.
double wheel_turns(Ui& ui, const std::string& name, const CellGrid& grid, double turned) {
  double& rest = ui.state.panels.get<WheelRests>().by_name[name];
  if (!grid.whole_pixels || std::min(grid.cell_width, grid.cell_height) >= 1) {
    rest = 0;
    return turned;
  }
  rest += turned;
  const double whole = std::trunc(rest);
  rest -= whole;
  return whole;
}

ImVec2 middle_of(const CellGrid& grid, const std::optional<Cell>& picked) {
  if (picked && picked->row < grid.rows && picked->column < grid.columns) {
    const ImVec2 center = grid.cell_rect(picked->row, picked->column).center();
    if (grid.area.contains(center)) return center;
  }
  return grid.area.center();
}

// How far a heatmap can be zoomed.
struct ZoomRoom {
  const CellGrid& fitted;
  double largest;  // pixels a cell
};

// Wheel and drag move the visible part.
void zoom_by_mouse(Ui& ui, const std::string& name, const Interaction& mouse, const ZoomRoom& room,
                   Viewport& viewport) {
  ImGuiIO& io = ImGui::GetIO();
  if (mouse.hovered && io.MouseWheel != 0) {
    const double turns = wheel_turns(ui, name, grid_of(room.fitted, viewport), static_cast<double>(io.MouseWheel));
    viewport = zoomed(room.fitted, viewport, turns, io.MousePos, room.largest);
    io.MouseWheel = 0;
  }
  if (mouse.held && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
    viewport = panned(room.fitted, viewport, io.MouseDelta);
  }
}

// + and - at `anchor`, Home.
void zoom_by_keys(Ui& ui, ImVec2 anchor, const ZoomRoom& room, Viewport& viewport) {
  if (ui.take_key(KeyName::plus)) viewport = zoomed(room.fitted, viewport, 1, anchor, room.largest);
  if (ui.take_key(KeyName::minus)) viewport = zoomed(room.fitted, viewport, -1, anchor, room.largest);
  if (ui.take_key(KeyName::home)) viewport = {};
}

// An arrow moves the picked cell, which stays visible; without one it picks the visible cell in the middle.
void pick_by_keys(Ui& ui, const CellGrid& fitted, Viewport* viewport, std::optional<Cell>& picked) {
  const std::optional<Cell> step = take_arrow(ui);
  if (!step) return;
  const CellGrid grid = viewport != nullptr ? grid_of(fitted, *viewport) : fitted;
  Cell cell = grid.cell_at(grid.area.center()).value_or(Cell{});
  if (picked) {
    cell.row = std::clamp<std::int64_t>(picked->row + step->row, 0, fitted.rows - 1);
    cell.column = std::clamp<std::int64_t>(picked->column + step->column, 0, fitted.columns - 1);
  }
  picked = cell;
  if (viewport != nullptr) *viewport = showing(fitted, *viewport, cell);
}

}  // namespace

std::optional<Cell> take_arrow(Ui& ui) {
  if (ui.take_key(KeyName::up)) return Cell{-1, 0};
  if (ui.take_key(KeyName::down)) return Cell{1, 0};
  if (ui.take_key(KeyName::left)) return Cell{0, -1};
  if (ui.take_key(KeyName::right)) return Cell{0, 1};
  return std::nullopt;
}

HeatmapInput heatmap_input(Ui& ui, const std::string& name, HeatmapView& view, const CellGrid& fitted,
                           Viewport* viewport, std::optional<Cell>* picked) {
  HeatmapInput input;
  view.grid = fitted;
  if (fitted.empty()) return input;
  const Interaction mouse = interact_mouse(ui, name, fitted.area, {});
  const ImGuiIO& io = ImGui::GetIO();
  const ZoomRoom room{fitted, std::max({fitted.cell_width, fitted.cell_height, 64.0 * static_cast<double>(ui.scale)})};
  input.focused = mouse.focused;
  input.hovering = mouse.hovered;
  if (viewport != nullptr) zoom_by_mouse(ui, name, mouse, room, *viewport);
  input.double_clicked = mouse.double_clicked;
  const auto update_grid = [&] { view.grid = viewport != nullptr ? grid_of(fitted, *viewport) : fitted; };
  update_grid();
  if (mouse.hovered) input.hovered = shown_cell(ui, view, io.MousePos);
  const float threshold = 4 * ui.scale;
  const bool dragged = io.MouseDragMaxDistanceSqr[0] > threshold * threshold;
  // A click that dragged a zoomed picture along picks nothing, nor does the second one of a double click.
  const bool moved = dragged && viewport != nullptr && !viewport->fitted();
  const bool second = viewport != nullptr && io.MouseClickedLastCount[0] >= 2;
  if (mouse.clicked && !second && !moved) input.clicked = shown_cell(ui, view, io.MousePos);
  if (mouse.focused) {
    const std::optional<Cell> current = picked != nullptr ? *picked : std::nullopt;
    if (viewport != nullptr) zoom_by_keys(ui, middle_of(view.grid, current), room, *viewport);
    if (picked != nullptr) pick_by_keys(ui, fitted, viewport, *picked);
    update_grid();
  }
  if (view.large) look_at_map(ui, *view.large, fitted, view.grid, 0);
  return input;
}

}  // namespace headscope::ui
