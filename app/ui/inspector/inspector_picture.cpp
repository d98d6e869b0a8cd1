// The picture of the matrix with what is around it: labels, colour bar, plots along the axes; mouse and keys.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/session.h"
#include "app/ui/inspector/cell_finder.h"
#include "app/ui/inspector/inspector_parts.h"
#include "app/ui/layout.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/axis_plots.h"
#include "app/ui/map/cell_highlight.h"
#include "app/ui/map/map_with_axes.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/map/provenance_view.h"
#include "app/ui/map/range_choice.h"
#include "app/ui/request/number_edit.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/stage_layout.h"

namespace headscope::ui {
namespace {

constexpr float kNarrowGutter = 48, kNumbersFrom = 24;  // pixels a cell
constexpr float kGutter = 62, kWordLabels = 50, kIndexLabels = 24, kThinLabels = 44, kBarRoom = 56, kBarGap = 12,
                kProfile = 28;

constexpr float kBlankLine = 18;  // what cells without a number hold
constexpr const char* kName = "inspector/picture";

// Rectangles of the picture and what is around it.
struct Places {
  CellGrid fitted;
  Rect gutter, above;
  bool profiles = false;
  std::string holds;  // what a pixel holds when zoomed out
  float bottom = 0;   // below the picture and its profile
};

Places places_of(Ui& ui, const Inspected& inspected, const Rect& area, float body) {
  Places places;
  const std::int64_t rows = inspected.matrix.dim(0);
  const std::int64_t columns = inspected.matrix.dim(1);
  const bool large = inspected.data.is_large(inspected.stage);
  // Numbers of a signed range are longer than those of weights, and those of a fitted one than 0 and 1.
  const float bar = std::max(ui.px(inspected.weight_like ? kBarRoom : kBarRoom + 14),
                             ui.px(kBarGap + 6) + color_bar_width(ui, inspected.range));
  float left = area.min.x + ui.px(14) + ui.px(kGutter);
  // Names give way where the cells would just lose their numbers.
  const float numbers = ui.px(kNumbersFrom) * static_cast<float>(columns), narrow = ui.px(kGutter - kNarrowGutter);
  const float missing = numbers - (area.max.x - bar - left);
  if (inspected.score_like && missing > 0 && missing <= narrow) left -= narrow;
  float width = area.max.x - bar - left;
  const float lines = picture_lines_height(ui, large);
  // A few words in the heads' place do not become a wall of colour.
  const bool bounded = inspected.score_like && ui.session.view.heads_show == HeadsShow::one;
  if (bounded) width = std::min(width, ui.px(kLargestCell) * static_cast<float>(columns));
  const auto fit = [&](float labels) {
    float room = std::max(ui.px(80), area.height() - labels - lines - body);
    if (bounded) room = std::min(room, ui.px(kLargestCell) * static_cast<float>(rows));
    const ImVec2 at{left, area.min.y + labels};
    if (large) return fitted_map({at, width, room}, rows, columns, inspected.score_like, ui.px(26), ui.px(24));
    return inspected.score_like ? fitted_square(at, width, room, rows, columns)
                                : fitted_oblong(at, width, room, rows, columns, ui.px(26));
  };
  float labels = ui.px(inspected.columns.empty() ? kIndexLabels : kWordLabels);
  places.fitted = fit(labels);
  if (inspected.score_like && places.fitted.cell_width < ui.px(11)) {
    labels = ui.px(kThinLabels);
    places.profiles = width > ui.px(200) && columns > kFewWords;
    if (places.profiles) width -= ui.px(kProfile) + ui.px(6);
    places.fitted = fit(labels);
  }
  places.gutter = {{area.min.x + ui.px(4), places.fitted.area.min.y}, {left - ui.px(8), places.fitted.area.max.y}};
  places.above = {{left, area.min.y - ui.px(inspected.columns.empty() ? 0 : 8)},
                  {places.fitted.area.max.x, places.fitted.area.min.y}};
  const CellGrid grid =
      grid_of(places.fitted, inspected.score_like ? ui.session.view.viewport : ui.session.view.stage_viewport);
  // Of what is visible now, not of the whole. What a large map holds is known when its picture is.
  if (large) {
    places.bottom = places.fitted.area.max.y + (places.profiles ? ui.px(kProfile) + ui.px(4) : 0);
    return places;
  }
  places.holds = pixel_holds(static_cast<std::int64_t>(std::ceil(grid.visible_rows())),
                             static_cast<std::int64_t>(std::ceil(grid.visible_columns())), grid.area.width(),
                             grid.area.height(), inspected.weight_like ? "weights" : "values, by size");
  places.bottom = places.fitted.area.max.y;
  const bool provenance = inspected.stage == StageId::concat && shows_provenance(ui, inspected.data.trace());
  const bool has_room = !provenance && places.bottom + lines + body + ui.px(kBlankLine) <= area.max.y;
  if (places.holds.empty() && has_room) {
    places.holds = words_of_blanks(ui, grid);
    if (!places.holds.empty()) say_blanks(ui);
  }
  if (places.profiles) places.bottom += ui.px(kProfile) + ui.px(4);
  return places;
}

void draw_corner(Ui& ui, const Places& places) {
  const Rect& gutter = places.gutter;
  const float y = places.fitted.area.min.y;
  const Rect queries{{gutter.min.x, y - ui.px(30)}, {gutter.max.x, y - ui.px(14)}};
  const Rect keys{{gutter.min.x, y - ui.px(15)}, {gutter.max.x, y + ui.px(1)}};
  text_in(ui, queries, Type::words11, ui.colors.query, "query ↓", 1);
  text_in(ui, keys, Type::words11, ui.colors.key, "key →", 1);
  interact_mouse(ui, "inspector/queries", queries, {}, false);
  interact_mouse(ui, "inspector/keys", keys, {}, false);
}

void draw_feature_corner(Ui& ui, const Places& places) {
  const Rect& gutter = places.gutter;
  const float y = places.fitted.area.min.y;
  text_in(ui, {{gutter.min.x, y - ui.px(20)}, {gutter.max.x, y - ui.px(4)}}, Type::words11, ui.colors.text3,
          "feature →", 1);
}

HeatmapView view_of(const Inspected& inspected, Pooling pooling) {
  HeatmapView view;
  view.matrix = inspected.matrix;
  view.mask = inspected.data.mask(inspected.stage);
  view.batch = inspected.batch;
  view.head = inspected.slice;
  view.map = inspected.map;
  view.range = inspected.range;
  view.weight_like = inspected.weight_like;
  view.large = large_map_of(inspected.data, inspected.stage, inspected.batch, inspected.slice, pooling);
  if (!view.large && view.range.per_row) {
    view.row_scale =
        &inspected.data.row_scale(inspected.stage, inspected.batch, inspected.slice, view.map, view.range.log_scale);
  }
  return view;
}

// The colour bar at the right; under a range per row with the numbers of `row`, or without any.
void draw_bar(Ui& ui, const HeatmapView& view, StageId stage, std::int64_t row, float x) {
  const Rect& picture = view.grid.area;
  const Rect bar{{x, picture.min.y}, {x + ui.px(10), std::max(picture.max.y, picture.min.y + ui.px(24))}};
  ui.mark("inspector/color_bar", bar);
  std::optional<ValueRange> range = view.range;
  if (view.range.per_row) {
    const bool known = view.row_scale != nullptr && row >= 0 && static_cast<std::size_t>(row) < view.row_scale->size();
    range = known ? range_of((*view.row_scale)[static_cast<std::size_t>(row)]) : std::nullopt;
  }
  if (is_fit(ui.session.view, stage)) {
    const Rect words{{bar.min.x - ui.px(4), bar.min.y - ui.px(22)}, {bar.max.x + ui.px(30), bar.min.y - ui.px(8)}};
    text_in(ui, words, Type::words11, ui.colors.text3, "fit");
    ui.mark("inspector/color_bar/fit", words);
  }
  if (!range) canvas().PushClipRect(bar.min, bar.max, true);
  color_bar(ui, bar, view.map, range.value_or(ValueRange{}), false);
  if (!range) canvas().PopClipRect();
}

// Rows and columns marked from here or from another panel.
Cell marked_cell(const Ui& ui, const Inspected& inspected, const std::optional<Cell>& hovered) {
  if (hovered) return *hovered;
  const Hover& hover = ui.state.hover;
  Cell marked{-1, -1};
  if (inspected.score_like) {
    marked = {hover.query, hover.key};
  } else {
    marked.row = rows_are_keys(inspected.stage) ? hover.key : hover.query;
    if (inspected.stage == StageId::concat || inspected.stage == StageId::output) marked.column = hover.feature;
  }
  if (marked.row < 0 && marked.column < 0 && inspected.selection.cell) marked = *inspected.selection.cell;
  return marked;
}

void link_hover(Ui& ui, const Inspected& inspected, Cell cell) {
  Hover& next = ui.state.next_hover;
  next.cell = place_of(inspected.data.trace(), inspected.stage, inspected.batch, inspected.slice, cell);
  if (inspected.score_like) {
    next.query = cell.row;
    next.key = cell.column;
    next.head = inspected.slice;
    return;
  }
  (rows_are_keys(inspected.stage) ? next.key : next.query) = cell.row;
  if (inspected.stage == StageId::concat || inspected.stage == StageId::output) next.feature = cell.column;
}

// Mouse and keys pick a cell, move what is seen of a large matrix, and edit a number.
HeatmapInput read_input(Ui& ui, Inspected& inspected, HeatmapView& heatmap, const CellGrid& fitted) {
  ViewState& view = ui.session.view;
  Viewport& viewport = inspected.score_like ? view.viewport : view.stage_viewport;
  std::optional<Cell> picked = inspected.selection.cell;
  const std::optional<Cell> before = picked;
  if (std::exchange(ui.state.panels.get<CellFinder>().reveal, false) && picked) {
    viewport = showing(fitted, viewport, *picked);
  }
  const HeatmapInput input = heatmap_input(ui, kName, heatmap, fitted, &viewport, &picked);
  if (picked != before) view.cell = picked;
  if (input.clicked) view.cell = picked = input.clicked;
  inspected.selection.cell = picked;
  const std::optional<Cell> own = input.double_clicked ? input.hovered : std::nullopt;
  if (own) {
    edit_cell(ui, inspected.data.trace(), inspected.stage, {inspected.batch, inspected.slice, *own},
              heatmap.grid.cell_rect(own->row, own->column));
  }
  if (input.hovered) link_hover(ui, inspected, *input.hovered);
  return input;
}

void draw_picked(Ui& ui, const std::optional<Cell>& picked, const CellGrid& grid) {
  if (!picked || picked->row >= grid.rows || picked->column >= grid.columns) return;
  const Range rows = grid.row_range();
  const Range columns = grid.column_range();
  const bool seen = picked->row >= rows.begin && picked->row < rows.end && picked->column >= columns.begin &&
                    picked->column < columns.end;
  if (!seen) return;
  const Rect frame = grid.cell_rect(picked->row, picked->column);
  ui.mark("inspector/cell", frame);
  draw_pick_frame(ui, frame, grid.area);
}

}  // namespace

void choose_linked(const Ui& ui, Inspected& inspected, const std::optional<Cell>& hovered) {
  const std::optional<Cell>& picked = inspected.selection.cell;
  const Hover& hover = ui.state.hover;
  const std::int64_t rows = inspected.matrix.dim(0), columns = inspected.matrix.dim(1);
  inspected.shown = hovered ? hovered : picked ? picked : inspected.shown;
  if (!hovered && inspected.score_like && hover.query >= 0 && hover.key >= 0 && hover.query < rows &&
      hover.key < columns) {
    inspected.shown = Cell{hover.query, hover.key};
  }
  if (inspected.shown && (inspected.shown->row >= rows || inspected.shown->column >= columns)) inspected.shown.reset();
  inspected.is_strongest = inspected.is_strongest && !hovered && !picked && hover.query < 0;
}

float draw_inspector_picture(Ui& ui, Inspected& inspected, const Rect& area, float body) {
  const Places places = places_of(ui, inspected, area, body);
  HeatmapView heatmap = view_of(inspected, ui.session.view.pooling);
  const HeatmapInput input = read_input(ui, inspected, heatmap, places.fitted);

  const CellGrid& grid = heatmap.grid;
  const bool provenance = inspected.stage == StageId::concat && shows_provenance(ui, inspected.data.trace());
  if (provenance) {
    draw_provenance(ui, inspected.data, "inspector", grid, 0);
  } else {
    draw_heatmap_view(ui, heatmap);
  }
  draw_edited_corners(ui, inspected.data.trace(), inspected.stage, inspected.batch, inspected.slice, grid);
  const Cell marked = marked_cell(ui, inspected, input.hovered);
  const bool in_range = marked.row < grid.rows && marked.column < grid.columns;
  draw_linked(ui, inspected.data, inspected.stage, inspected.batch, inspected.slice, grid);
  if (in_range) draw_crosshair(ui, grid, marked.row, marked.column);
  draw_picked(ui, inspected.selection.cell, grid);
  if (input.focused && ui.state.focus_by_keyboard) focus_ring(ui, grid.area, ui.px(2));

  draw_row_labels(ui, places.gutter, grid, inspected.rows, in_range ? marked.row : -1, ui.colors.query);
  draw_column_labels(ui, places.above, grid, inspected.columns, in_range ? marked.column : -1, ui.colors.key);
  if (inspected.score_like) {
    draw_corner(ui, places);
  } else {
    draw_feature_corner(ui, places);
  }
  float bar_x = grid.area.max.x + ui.px(kBarGap);
  if (places.profiles) {
    const Cell at = in_range && marked.row >= 0 ? marked : inspected.shown.value_or(Cell{-1, -1});
    draw_axis_plots(ui, heatmap, at, ui.px(kProfile));
    bar_x += ui.px(kProfile) + ui.px(6);
  }
  if (!provenance) {
    const std::int64_t row = in_range && marked.row >= 0 ? marked.row : inspected.shown ? inspected.shown->row : -1;
    draw_bar(ui, heatmap, inspected.stage, row, bar_x);
  }
  choose_linked(ui, inspected, input.hovered);
  return draw_picture_lines(ui, inspected, heatmap, places.holds, {{area.min.x, places.bottom}, area.max});
}

}  // namespace headscope::ui
