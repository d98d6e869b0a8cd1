#include "app/ui/map/named_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/map/axis_labels.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kNarrowestNames = 56, kLongestNames = 120, kFlatNames = 36, kBesideBar = 12, kNamedFrom = 11;

// The side of the room that the names of columns need: turned, or flat where only groups are named.
float height_of_names(Ui& ui, const NamedMap& map) {
  return std::max(ui.px(kFlatNames), std::ceil(labels_extent(ui, map.columns, ui.px(kLongestNames))) + ui.px(10));
}

bool names_cells(const Ui& ui, const CellGrid& grid) {
  return std::min(grid.cell_width, grid.cell_height) >= static_cast<double>(ui.px(kNamedFrom));
}

// The middle of a group on an axis, in pixels, and its size; where it is in sight.
struct GroupPlace {
  std::int64_t number = 0;
  float begin = 0, end = 0;
  float middle() const { return (begin + end) / 2; }
};

std::vector<GroupPlace> groups_in_sight(const NamedMap& map, bool rows) {
  const CellGrid& grid = map.view.grid;
  const std::int64_t count = rows ? grid.rows : grid.columns;
  const double first = rows ? grid.row0 : grid.column0, cell = rows ? grid.cell_height : grid.cell_width;
  const float low = rows ? grid.area.min.y : grid.area.min.x, high = rows ? grid.area.max.y : grid.area.max.x;
  std::vector<GroupPlace> found;
  for (std::int64_t at = 0; at < count; at += map.groups.cells) {
    const auto place = [&](std::int64_t index) {
      return std::clamp(low + static_cast<float>((static_cast<double>(index) - first) * cell), low, high);
    };
    const GroupPlace group{at / map.groups.cells, place(at), place(std::min(count, at + map.groups.cells))};
    if (group.end - group.begin >= 1) found.push_back(group);
  }
  return found;
}

// Every 1st, 2nd, 4th ... group, so that names do not touch.
std::int64_t group_step(const std::vector<GroupPlace>& groups, float needed) {
  std::int64_t step = 1;
  float widest = 1;
  for (const GroupPlace& group : groups) widest = std::max(widest, group.end - group.begin);
  while (widest * static_cast<float>(step) < needed) step *= 2;
  return step;
}

// Names layers at the left, and the marked row in place of those beside it.
void draw_row_groups(Ui& ui, const NamedMap& map, const Rect& gutter, std::int64_t marked) {
  const CellGrid& grid = map.view.grid;
  const std::vector<GroupPlace> groups = groups_in_sight(map, true);
  const std::int64_t step = group_step(groups, ui.px(15));
  const float mark = marked < 0 ? -1e9f : grid.cell_rect(marked, 0).center().y;
  for (const GroupPlace& group : groups) {
    if (group.number % step != 0 || std::fabs(group.middle() - mark) < ui.px(16)) continue;
    const float y = std::round(group.middle() - ui.px(8));
    text_in(ui, {{gutter.min.x, y}, {gutter.max.x, y + ui.px(16)}}, Type::words11, ui.colors.text2,
            fmt::format("layer {}", group.number + map.groups.first_row), 1);
  }
  draw_named_row_labels(ui, gutter, grid, map.rows, marked, ui.colors.query);
}

void draw_column_groups(Ui& ui, const NamedMap& map, const Rect& above, std::int64_t marked) {
  const std::vector<GroupPlace> groups = groups_in_sight(map, false);
  const bool words = !groups.empty() && groups.front().end - groups.front().begin >= ui.px(48);
  const std::int64_t step = group_step(groups, ui.px(words ? 48 : 22));
  const float mark = marked < 0 ? -1e9f : map.view.grid.cell_rect(0, marked).center().x;
  const std::string marked_name = marked < 0 ? "" : map.columns[static_cast<std::size_t>(marked)];
  const float marked_half = std::min(ui.px(kLongestNames), text_width(ui, Type::mono_bold11, marked_name)) / 2 + 1;
  const float top = above.max.y - ui.px(18);
  const auto name = [&](float x, float half, Type type, Rgba color, const std::string& word) {
    text_in(ui, {{x - half, top}, {x + half, top + ui.px(16)}}, type, color, word, 0.5f);
  };
  for (const GroupPlace& group : groups) {
    if (group.number % step != 0 || std::fabs(group.middle() - mark) < marked_half + ui.px(words ? 22 : 8)) continue;
    const std::int64_t number = group.number + map.groups.first_column;
    name(group.middle(), ui.px(24), Type::words11, ui.colors.text2,
         words ? fmt::format("layer {}", number) : std::to_string(number));
  }
  if (marked >= 0) name(mark, std::max(ui.px(24), marked_half), Type::mono_bold11, ui.colors.key, marked_name);
}

// Lines between groups.
void draw_borders(Ui& ui, const NamedMap& map) {
  const Rect& area = map.view.grid.area;
  for (const bool rows : {true, false}) {
    for (const GroupPlace& group : groups_in_sight(map, rows)) {
      const float at = std::round(group.begin) - ui.px(1);
      if (at <= (rows ? area.min.y : area.min.x)) continue;
      if (rows) {
        fill({{area.min.x, at}, {area.max.x, at + ui.px(2)}}, ui.colors.panel);
      } else {
        fill({{at, area.min.y}, {at + ui.px(2), area.max.y}}, ui.colors.panel);
      }
    }
  }
}

void draw_names(Ui& ui, const NamedMap& map, const Rect& gutter, const Rect& above, const std::optional<Cell>& at) {
  const bool single = map.groups.cells == 0 || names_cells(ui, map.view.grid);
  const std::int64_t row = at ? at->row : -1, column = at ? at->column : -1;
  if (single) {
    if (map.row_names) draw_row_labels(ui, gutter, map.view.grid, map.rows, row, ui.colors.query);
    draw_column_labels(ui, above, map.view.grid, map.columns, column, ui.colors.key);
  } else {
    if (map.row_names) draw_row_groups(ui, map, gutter, row);
    draw_column_groups(ui, map, above, column);
  }
  if (!map.row_names) return;
  const float top = above.max.y;
  text_in(ui, {{gutter.min.x, top - ui.px(31)}, {gutter.max.x, top - ui.px(15)}}, Type::words11, ui.colors.query,
          map.row_word, 1);
  text_in(ui, {{gutter.min.x, top - ui.px(16)}, {gutter.max.x, top}}, Type::words11, ui.colors.key, map.column_word, 1);
}

CellGrid grid_in(Ui& ui, const NamedMap& map, const Rect& area, float left, float right) {
  const std::int64_t rows = map.view.matrix.dim(0), columns = map.view.matrix.dim(1);
  const auto fit = [&](float above) {
    return fitted_square({left, area.min.y + above}, right - left, area.max.y - area.min.y - above, rows, columns);
  };
  const CellGrid named = fit(height_of_names(ui, map));
  return names_cells(ui, named) ? named : fit(ui.px(kFlatNames));
}

}  // namespace

float row_names_width(Ui& ui, const NamedMap& map) {
  if (!map.row_names) return 0;
  float widest = std::ceil(labels_extent(ui, map.rows, ui.px(kLongestNames)));
  for (const char* word : {map.row_word, map.column_word}) {
    widest = std::max(widest, std::ceil(text_width(ui, Type::words11, word)) + 1);
  }
  return std::max(ui.px(kNarrowestNames), widest + ui.px(30));
}

DrawnNamedMap draw_named_map(Ui& ui, NamedMap& map, const Rect& area) {
  DrawnNamedMap drawn;
  const float left = area.min.x + row_names_width(ui, map);
  const float right = map.bar ? area.max.x - ui.px(kBesideBar) - color_bar_width(ui, map.view.range) : area.max.x;
  if (right - left < ui.px(24) || area.height() < ui.px(kFlatNames + 24)) return drawn;
  drawn.fitted = grid_in(ui, map, area, left, right);
  if (drawn.fitted.empty()) return drawn;
  drawn.input = heatmap_input(ui, map.name, map.view, drawn.fitted, map.viewport, nullptr);
  draw_heatmap_view(ui, map.view);
  if (map.groups.cells > 0) draw_borders(ui, map);
  drawn.picture = map.view.grid.area;
  drawn.at = drawn.input.hovered ? drawn.input.hovered : map.picked;
  if (drawn.at) draw_crosshair(ui, map.view.grid, drawn.at->row, drawn.at->column);
  if (map.picked) {
    draw_pick_frame(ui, map.view.grid.cell_rect(map.picked->row, map.picked->column), drawn.picture);
  }
  const float top = drawn.picture.min.y;
  draw_names(ui, map, {{area.min.x, top}, {left - ui.px(8), drawn.picture.max.y}},
             {{left, area.min.y}, {drawn.picture.max.x, top}}, drawn.at);
  if (drawn.input.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(drawn.picture, -ui.px(3)), ui.px(3));
  if (map.bar) {
    const float x = drawn.picture.max.x + ui.px(kBesideBar);
    const Rect bar{{x, top}, {x + ui.px(10), std::max(drawn.picture.max.y, top + ui.px(60))}};
    color_bar(ui, bar, map.view.map, map.view.range, false);
  }
  return drawn;
}

}  // namespace headscope::ui
