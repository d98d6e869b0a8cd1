#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/explain/follow.h"
#include "app/ui/explain/follow_items.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/cell_highlight.h"
#include "app/ui/map/concat_grid.h"
#include "app/ui/map/explain_state.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/stage_layout.h"
#include "core/explain/cell_origin.h"
#include "core/explain/explain.h"

namespace headscope::ui {
namespace {

constexpr float kOperator = 22, kLargestCell = 56, kTallRow = 26, kLegend = 40;
constexpr float kFile = 180, kWidestFile = 320;  // pictures of the weights file
constexpr float kLegibleCell = 16;               // of small tensors
// Of a row's room, at most, that a small tensor needs for such cells; and all of them beside wide ones.
constexpr float kSmallShare = 0.5f, kSmallTogether = 0.7f;
constexpr std::int64_t kMostOfFile = std::int64_t{1} << 21;  // numbers of the weights file drawn as one picture

// The mouse on a picture of a stage: hovering links, a click picks.
void read_mouse(Ui& ui, PanelData& data, const FollowItem& item, HeatmapView& view) {
  const std::string name = fmt::format("follow/{}{}", stage_name(item.stage), item.again ? "/again" : "");
  const HeatmapInput input = heatmap_input(ui, name, view, view.grid, nullptr, nullptr);
  if (input.hovered) {
    const CellPlace cell = place_of(data.trace(), item.stage, item.batch, item.slice, *input.hovered);
    const TokenPair tokens = tokens_of(data.trace(), cell);
    ui.state.next_hover = {tokens.query, tokens.key, item.slice, -1, cell};
  }
  if (input.clicked) {
    show_place(ui.session.view, data.trace(),
               place_of(data.trace(), item.stage, item.batch, item.slice, *input.clicked));
    ui.state.focus = "follow";
  }
}

void draw_marks(Ui& ui, PanelData& data, const FollowItem& item, const CellGrid& grid) {
  draw_linked(ui, data, item.stage, item.batch, item.slice, grid);
  const std::optional<CellPlace> own = picked_place(ui.session.view, data.trace());
  if (!own || own->stage != item.stage) return;
  const SlicePlace at = slice_place(*own);
  if (at.batch == item.batch && at.slice == item.slice) {
    draw_pick_frame(ui, grid.cell_rect(at.cell.row, at.cell.column), grid.area);
  }
}

// The row or column of the weights file that is multiplied.
void draw_file_marks(Ui& ui, PanelData& data, const CellPlace& place, const FollowItem& item, const CellGrid& grid) {
  if (std::min(grid.cell_width, grid.cell_height) < 2) return;
  for (const CellSource& source : sources_of(data.trace(), place.stage, place.index).sources) {
    if (source.stage || source.name != item.name || source.region.count != 2) continue;
    const Range rows = source.region[0], columns = source.region[1];
    draw_link_ring(ui,
                   {grid.cell_rect(rows.begin, columns.begin).min, grid.cell_rect(rows.end - 1, columns.end - 1).max});
  }
}

// How high rows may become: as wide as the columns are, or a little more than their numbers need.
float highest_row(Ui& ui, float width, std::int64_t columns) {
  return std::clamp(width / static_cast<float>(columns), ui.px(kTallRow), ui.px(kLargestCell));
}

// Returns the y below the picture.
float draw_item(Ui& ui, PanelData& data, const CellPlace& place, const FollowItem& item, const Rect& area) {
  draw_item_name(ui, item, {area.min, {area.max.x, area.min.y + ui.px(kFollowHeader)}});
  const ImVec2 at{area.min.x, area.min.y + ui.px(kFollowHeader)};
  const float width = area.width(), height = area.max.y - at.y;
  HeatmapView view = item_view(ui, data, item);
  view.grid = view.large
                  ? fitted_map({at, width, height}, item.rows, item.columns, is_score_like(item.stage),
                               ui.px(kLargestCell), ui.px(12))
                  : fitted_oblong(at, width, height, item.rows, item.columns, highest_row(ui, width, item.columns));
  if (item.of_file) {
    if (item.rows * item.columns > kMostOfFile) {
      fill(view.grid.area, ui.colors.well);
      paragraph(ui, inset(view.grid.area, ui.px(8)), Type::words12, ui.colors.text2,
                "Too large for a picture: click a factor at the right for the numbers around it.");
      return view.grid.area.max.y;
    }
    view.range = data.file_range(item.name, item.matrix);
    draw_heatmap_view(ui, view);
    draw_file_marks(ui, data, place, item, view.grid);
    return view.grid.area.max.y;
  }
  read_mouse(ui, data, item, view);
  draw_heatmap_view(ui, view);
  draw_marks(ui, data, item, view.grid);
  const bool by_key = rows_are_keys(item.stage);
  const TokenPair tokens = marked_tokens(ui);
  draw_row_labels(ui, {{area.min.x - ui.px(kFollowGutter), at.y}, {area.min.x - ui.px(8), view.grid.area.max.y}},
                  view.grid, data.rows(item.stage), by_key ? tokens.key : tokens.query,
                  by_key ? ui.colors.key : ui.colors.query);
  return view.grid.area.max.y;
}

// Of a picture of the weights file: its name is not cut where there is room.
float file_width(Ui& ui, const FollowItem& item) {
  return std::clamp(std::ceil(text_width(ui, Type::mono_bold12, item.name)), ui.px(kFile), ui.px(kWidestFile));
}

// Widths of pictures whose cells would be narrower than kLegibleCell, as those of `widths`: small tensors get such
// cells, as far as the others keep a share of `room`, which these divide by their columns.
void widen_small(Ui& ui, const FollowRow& row, float room, std::vector<float>& widths) {
  const auto wish = [&](const FollowItem& item) { return static_cast<float>(item.columns) * ui.px(kLegibleCell); };
  float all = 0;
  for (const FollowItem& item : row) all += item.of_file ? 0 : wish(item);
  const auto is_small = [&](const FollowItem& item) {
    return !item.of_file && (all <= room || wish(item) <= kSmallShare * room);
  };
  float small = 0, columns = 0;
  for (const FollowItem& item : row) {
    if (is_small(item)) small += wish(item);
    if (!item.of_file && !is_small(item)) columns += static_cast<float>(item.columns);
  }
  if (small > (columns > 0 ? kSmallTogether * room : room)) return;
  for (std::size_t at = 0; at < row.size(); ++at) {
    if (row[at].of_file) continue;
    widths[at] = is_small(row[at]) ? std::max(widths[at], wish(row[at]))
                                   : std::floor((room - small) * static_cast<float>(row[at].columns) / columns);
  }
}

// Where each picture of a row lies: cells as large as fit into width and height, square where there is room.
std::vector<Rect> places_of(Ui& ui, const FollowRow& row, const Rect& area) {
  float gaps = 0, columns = 0, files = 0;
  std::int64_t rows = 1;
  for (const FollowItem& item : row) {
    if (item.of_file) {
      files += file_width(ui, item) + ui.px(16);
    } else {
      gaps += ui.px(kFollowGutter);
      columns += static_cast<float>(item.columns);
      rows = std::max(rows, item.rows);
    }
    if (item.before[0] != '\0') gaps += ui.px(kOperator);
  }
  const float room = std::max(ui.px(60), area.width() - gaps - files);
  const float high = std::max(ui.px(24), area.height() - ui.px(kFollowHeader));
  float cell = std::min({room / columns, high / static_cast<float>(rows), ui.px(kLargestCell)});
  if (cell >= 1) cell = std::floor(cell);
  const auto width_of = [&](const FollowItem& item) {
    const float own = static_cast<float>(item.columns);
    return item.of_file ? file_width(ui, item)
           : cell >= 1  ? std::max(own * cell, std::min(ui.px(40), room * own / columns))
                        : std::floor(room * own / columns);
  };
  // The last name has no gap beside it that it could reach into.
  const float last_name = std::ceil(text_width(ui, Type::mono_bold12, row.back().name));
  const auto too_wide = [&] {
    float sum = gaps + std::max(0.0f, last_name - width_of(row.back()));
    for (const FollowItem& item : row) sum += width_of(item);
    return sum > area.width();
  };
  while (cell > ui.px(8) && too_wide()) cell -= 1;
  std::vector<float> widths;
  for (const FollowItem& item : row) widths.push_back(width_of(item));
  const float reach = std::max(0.0f, last_name - width_of(row.back()));
  if (cell < ui.px(kLegibleCell)) widen_small(ui, row, room - reach, widths);
  std::vector<Rect> places;
  float x = area.min.x;
  for (std::size_t at = 0; at < row.size(); ++at) {
    const FollowItem& item = row[at];
    if (item.before[0] != '\0') x += ui.px(kOperator);
    if (!item.of_file) x += ui.px(kFollowGutter);
    const float width = widths[at];
    places.push_back({{x, area.min.y}, {x + std::max(8.0f, width), area.max.y}});
    x += width + (item.of_file ? ui.px(16) : 0);
  }
  return places;
}

void draw_legend(Ui& ui, PanelData& data, const CellPlace& place, const Rect& area) {
  const float width = ui.px(130);
  const auto bar = [&](float x, bool weight_like, const ValueRange& range, const std::string& words) {
    const Rect rect{{x, area.min.y + ui.px(18)}, {x + width, area.min.y + ui.px(28)}};
    color_bar(ui, rect, color_map_of(ui, weight_like), range, true);
    text_in(ui, {{rect.max.x + ui.px(10), rect.min.y - ui.px(4)}, {rect.max.x + ui.px(150), rect.max.y + ui.px(4)}},
            Type::words11, ui.colors.text2, words);
  };
  float x = area.min.x;
  // A capture of weights has no scores.
  const StageId shown = is_weight_like(place.stage) ? StageId::raw_scores : place.stage;
  if (data.trace().find(shown) != nullptr) {
    bar(x, false, data.range(ui.session.view, shown, slice_place(place).batch, 0), std::string(stage_name(shown)));
    x += width + ui.px(130);
  }
  if (data.trace().find(StageId::weights) != nullptr && area.width() > 2 * width + ui.px(180)) {
    bar(x, true, {0, 1, false, false}, "weights");
  }
}

}  // namespace

void draw_follow_tensors(Ui& ui, PanelData& data, const CellPlace& place, const Rect& area) {
  const std::vector<FollowRow> rows = follow_rows(data, place);
  const Rect body{area.min, {area.max.x, area.max.y - ui.px(kLegend)}};
  const float gap = ui.px(14);
  const float each = (body.height() - gap * static_cast<float>(rows.size() - 1)) / static_cast<float>(rows.size());
  if (each < ui.px(kFollowHeader) + ui.px(20)) return;
  float y = body.min.y;
  ImVec2 from{0, 0};  // the cell that concat takes
  for (const FollowRow& row : rows) {
    const Rect line{{body.min.x, y}, {body.max.x, y + each}};
    if (row.size() == 1 && row.front().stage == StageId::concat) {
      draw_follow_concat(ui, data, row.front(), {{line.min.x + ui.px(kFollowGutter), line.min.y}, line.max}, from);
      y += each + gap;
      continue;
    }
    const std::vector<Rect> places = places_of(ui, row, line);
    float bottom = y;
    for (std::size_t at = 0; at < row.size(); ++at) {
      const float below = draw_item(ui, data, place, row[at], places[at]);
      bottom = std::max(bottom, below);
      if (row[at].before[0] != '\0') {
        const float gutter = row[at].of_file ? 0 : ui.px(kFollowGutter);
        const float top = line.min.y + ui.px(kFollowHeader);
        const float middle = std::round((top + std::min(below, line.max.y)) / 2);
        text_in(ui,
                {{places[at].min.x - gutter - ui.px(kOperator), middle - ui.px(9)},
                 {places[at].min.x - gutter, middle + ui.px(9)}},
                Type::title13, ui.colors.text2, row[at].before, 0.5f);
      }
      if (ui.probe != nullptr) ui.mark("follow/picture/" + row[at].name, places[at]);
    }
    if (row.back().stage == StageId::context && place.stage == StageId::concat) {
      const FollowItem& context = row.back();
      const CellGrid grid =
          fitted_oblong({places.back().min.x, places.back().min.y + ui.px(kFollowHeader)}, places.back().width(),
                        places.back().height() - ui.px(kFollowHeader), context.rows, context.columns,
                        highest_row(ui, places.back().width(), context.columns));
      const CellOrigin origin = sources_of(data.trace(), place.stage, place.index);
      const Rect cell = grid.cell_rect(origin.sources[0].region[2].begin, origin.sources[0].region[3].begin);
      from = {cell.center().x, grid.area.max.y};
    }
    y = bottom + gap;  // below what was drawn
  }
  const float legend = std::min(y - gap, area.max.y - ui.px(kLegend));
  draw_legend(ui, data, place, {{area.min.x + ui.px(kFollowGutter), legend}, {area.max.x, legend + ui.px(kLegend)}});
}

}  // namespace headscope::ui
