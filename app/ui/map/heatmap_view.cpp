#include "app/ui/map/heatmap_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/settings.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/map/cell_labels.h"
#include "core/picture/cell_numbers.h"

namespace headscope::ui {
namespace {

constexpr float kNumbersFrom = 24;    // pixels a cell at 1x
constexpr float kSmallestNumber = 9;  // pixels at 1x

// What the maps of a frame left blank, and whether a panel says what that means.
struct BlankCells {
  bool drawn = false, said = false;
};

bool has_numbers(const Ui& ui, const CellGrid& grid) {
  return std::min(grid.cell_width, grid.cell_height) >= static_cast<double>(kNumbersFrom * ui.scale) - 0.5;
}

// 10 px below 26, 11 below 40, else 12.
Type type_of_numbers(const Ui& ui, const HeatmapView& view) {
  const double cell = std::min(view.grid.cell_width, view.grid.cell_height) / static_cast<double>(ui.scale);
  if (cell < 26 || view.small_numbers) return Type::mono10;
  return cell < 40 ? Type::mono11 : Type::mono12;
}

// The letters of the numbers in the cells of a view.
CellLetters number_type(Ui& ui, const HeatmapView& view, Type type) {
  CellLetters letters;
  letters.height = ui.fonts.pixels[static_cast<int>(type)];
  letters.advance = text_width(ui, type, "0");
  letters.smallest = std::min(letters.height, ui.px(kSmallestNumber));
  letters.room = static_cast<float>(view.grid.cell_width) - ui.px(2);
  return letters;
}

void draw_numbers(Ui& ui, const HeatmapView& view) {
  if (!has_numbers(ui, view.grid)) return;
  const Type type = type_of_numbers(ui, view);
  const CellLabels numbers = cell_labels(view, number_type(ui, view, type));
  if (numbers.blank) ui.state.panels.get<BlankCells>().drawn = true;
  const Rect& area = view.grid.area;
  if (!numbers.labels.empty()) ui.mark("map/numbers", area);
  ImDrawList& list = canvas();
  list.PushClipRect(area.min, area.max, true);
  for (const CellLabel& label : numbers.labels) {
    const float width = static_cast<float>(letters_of(label.text)) * numbers.advance;
    const ImVec2 corner{std::round(label.middle.x - width / 2), std::round(label.middle.y - numbers.height / 2)};
    const Rgba ink = label.hidden ? ui.colors.text2 : ink_on(label.ground);
    compat::add_text(list, {ui.fonts[type], numbers.height, color32(ink)}, corner, label.text);
  }
  list.PopClipRect();
}

// A frame of `thickness` device pixels whose outer edge is `rect`, drawn as four bars so that it stays crisp.
void draw_bars(const Rect& rect, float thickness, Rgba color) {
  ImDrawList& list = canvas();
  const ImU32 ink = color32(color);
  list.AddRectFilled(rect.min, {rect.max.x, rect.min.y + thickness}, ink);
  list.AddRectFilled({rect.min.x, rect.max.y - thickness}, rect.max, ink);
  list.AddRectFilled({rect.min.x, rect.min.y + thickness}, {rect.min.x + thickness, rect.max.y - thickness}, ink);
  list.AddRectFilled({rect.max.x - thickness, rect.min.y + thickness}, {rect.max.x, rect.max.y - thickness}, ink);
}

}  // namespace

std::optional<ValueRange> range_of(const ValueScale& scale) {
  constexpr float kSteep = 1e29f;  // value_scale's mark of a range without extent
  if (!(scale.scale > 0) || scale.scale >= kSteep) return std::nullopt;
  const double span = 255 / static_cast<double>(scale.scale);
  const auto low = static_cast<double>(scale.low);
  if (scale.log) return ValueRange{std::exp2(low), std::exp2(low + span), true, false};
  return ValueRange{low, low + span, false, false};
}

std::string words_of_blanks(const Ui& ui, const CellGrid& grid) {
  return has_numbers(ui, grid) ? kBlankWords : "";
}

void say_blanks(Ui& ui) {
  ui.state.panels.get<BlankCells>().said = true;
}

bool take_unsaid_blanks(Ui& ui) {
  const BlankCells seen = std::exchange(ui.state.panels.get<BlankCells>(), {});
  return seen.drawn && !seen.said;
}

void draw_heatmap_view(Ui& ui, const HeatmapView& view) {
  const CellGrid& grid = view.grid;
  if (grid.empty()) return;
  HeatmapSpec spec;
  spec.matrix = view.matrix;
  spec.mask = view.mask;
  spec.batch = view.batch;
  spec.head = view.head;
  spec.row0 = grid.row0;
  spec.column0 = grid.column0;
  spec.rows = grid.visible_rows();
  spec.columns = grid.visible_columns();
  spec.width = static_cast<int>(grid.area.width());
  spec.height = static_cast<int>(grid.area.height());
  spec.map = view.map;
  spec.range = view.range;
  spec.theme = ui.settings.theme;
  spec.hatch_x = static_cast<int>(grid.area.min.x);
  spec.hatch_y = static_cast<int>(grid.area.min.y);
  spec.pixel_scale = static_cast<double>(ui.scale);
  // Thumbnails are read as a whole until their cells have numbers.
  spec.grid = !view.small_numbers || has_numbers(ui, view.grid);
  const TextureId texture = view.large ? 0 : ui.textures.heatmap(spec);
  if (view.large) {
    draw_map(ui, *view.large, grid, spec);
  } else if (texture == 0) {
    fill(grid.area, ui.colors.well);
  } else {
    canvas().AddImage(compat::texture(texture), grid.area.min, grid.area.max);
  }
  draw_numbers(ui, view);
}

void draw_crosshair(Ui& ui, const CellGrid& grid, std::int64_t row, std::int64_t column) {
  if (grid.empty()) return;
  const Palette& dark = palette(Theme::dark);
  const float line = std::max(1.0f, ui.px(1));
  const Range rows = grid.row_range();
  const Range columns = grid.column_range();
  if (column >= columns.begin && column < columns.end) draw_bars(grid.column_rect(column), line, dark.key);
  if (row >= rows.begin && row < rows.end) draw_bars(grid.row_rect(row), line, dark.query);
}

void draw_pick_frame(Ui& ui, const Rect& rect, const Rect& clip) {
  const float line = std::max(1.0f, ui.px(1));
  canvas().PushClipRect({clip.min.x - 2 * line, clip.min.y - 2 * line}, {clip.max.x + 2 * line, clip.max.y + 2 * line},
                        true);
  draw_bars(inset(rect, -2 * line), line, Rgba{0, 0, 0, 255});
  draw_bars(inset(rect, -line), 2 * line, Rgba{255, 255, 255, 255});
  if (rect.width() > 4 * line && rect.height() > 4 * line) draw_bars(inset(rect, line), line, Rgba{0, 0, 0, 255});
  canvas().PopClipRect();
}

void draw_link_ring(Ui& ui, const Rect& rect, Rgba color) {
  const float line = std::max(1.0f, ui.px(1));
  draw_bars(inset(rect, -line), std::max(line, std::round(1.5f * ui.scale)) + line, Rgba{0, 0, 0, 255});
  draw_bars(inset(rect, -line), std::max(line, std::round(1.5f * ui.scale)), color);
}

std::optional<Cell> shown_cell(Ui& ui, const HeatmapView& view, ImVec2 point) {
  const CellGrid& grid = view.grid;
  if (view.large) return shown_map_cell(ui, *view.large, grid, point);
  const std::optional<Cell> under = grid.cell_at(point);
  if (!under || (grid.cell_width >= 1 && grid.cell_height >= 1)) return under;
  const auto cells = [](double begin, double count, float extent, float pixel, std::int64_t all) {
    const AxisWindow window = axis_window(begin, count, static_cast<int>(extent));
    const int at = static_cast<int>(pixel);
    const std::int64_t first = std::clamp<std::int64_t>(window.first_cell(at), 0, all - 1);
    return Range{first, std::clamp<std::int64_t>(window.end_cell(at), first + 1, all)};
  };
  const Range rows = cells(grid.row0, grid.visible_rows(), grid.area.height(), point.y - grid.area.min.y, grid.rows);
  const Range columns =
      cells(grid.column0, grid.visible_columns(), grid.area.width(), point.x - grid.area.min.x, grid.columns);
  std::vector<float> values(static_cast<std::size_t>(rows.size() * columns.size()));
  view.matrix.read(Region{rows, columns}, values);
  std::optional<Cell> best;
  float largest = 0;
  std::size_t at = 0;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    for (std::int64_t column = columns.begin; column < columns.end; ++column) {
      const float value = values[at++];
      if (std::isnan(value)) return Cell{row, column};
      if (view.mask && view.mask->hidden.hidden(view.batch, view.head, row, column)) continue;
      if (best && std::abs(value) <= std::abs(largest)) continue;
      best = Cell{row, column};
      largest = value;
    }
  }
  return best ? best : under;
}

}  // namespace headscope::ui
