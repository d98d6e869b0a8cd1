// Heads on paper: their maps side by side, query names at the left, keys below, one colour bar at the right.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/attention/model_trace.h"
#include "core/base/grouped_digits.h"
#include "core/picture/cell_numbers.h"
#include "core/picture/figure/figure_views.h"
#include "core/picture/figure/head_look.h"
#include "core/request/stage_info.h"

namespace headscope {

namespace {

constexpr double kLargestCell = 64;  // units
constexpr double kTallest = 1.5;     // of the width: what is taller names its tokens by numbers

// Where the maps stand, in pixels.
struct Grid {
  int columns = 1, rows = 1;  // of maps
  int cell_width = 1, cell_height = 1;
  int gap = 0, gutter = 0;
  int title = 0, labels = 0, below = 0;  // heights: above every map, of key names, below the last
  MapSize size;
};

// Rows of maps that have their keys below.
int rows_with_keys(const Sheet& sheet, const Grid& grid) {
  return sheet.view.paper.key_labels == KeyLabels::outer ? 1 : grid.rows;
}

int height_of(const Sheet& sheet, const Grid& grid) {
  const int with_keys = rows_with_keys(sheet, grid);
  return grid.rows * (grid.title + grid.size.height) + with_keys * grid.labels + (grid.rows - with_keys) * sheet.px(6) +
         grid.below;
}

Grid grid_of(const Sheet& sheet, const StagePicture& stage, int maps, int columns) {
  Grid grid;
  grid.rows = (maps + columns - 1) / columns;
  grid.columns = (maps + grid.rows - 1) / grid.rows;
  grid.gap = sheet.px(8);
  const double named = sheet.named_from();
  const auto fit = [&](double cell_height) {
    grid.gutter = sheet.row_gutter(stage.row_names(), stage.rows(), cell_height);
    if (sheet.view.labels) {  // the word above them
      const double word = sheet.width_of(stage.score_like() ? "query" : "token", FontRole::words, 11);
      grid.gutter = std::max(grid.gutter, static_cast<int>(std::ceil(word)) + sheet.px(8));
    }
    const int fixed = 2 * sheet.margin() + grid.gutter + sheet.upright_bar_room() + (grid.columns - 1) * grid.gap;
    MapRoom room;
    room.rows = stage.rows();
    room.columns = stage.columns();
    room.width = std::max((*sheet.view.width - fixed) / grid.columns, 1);
    room.height = 2 * room.width;
    // Without room for names, cells stay too small for them.
    const bool names = cell_height >= named;
    room.largest_cell = names ? sheet.px(kLargestCell) : std::max(1, static_cast<int>(std::ceil(named)) - 1);
    room.square = stage.score_like();
    room.row_height = sheet.px(22);
    if (sheet.view.cell) room.explicit_cell = sheet.px(*sheet.view.cell);
    grid.size = map_size(room);
  };
  fit(named);
  if (grid.size.cell_height < named) fit(1);
  grid.title = sheet.px(17);
  grid.labels = sheet.column_height(stage.column_names(), grid.size.cell_width);
  grid.below = sheet.view.labels ? sheet.px(16) : sheet.px(2);
  return grid;
}

// The most maps beside each other whose tokens can be named; by numbers where the picture would be a tower.
Grid best_grid(const Sheet& sheet, const StagePicture& stage, int maps) {
  const int most = maps <= 16 ? std::min(maps, 8) : static_cast<int>(std::ceil(std::sqrt(maps)));
  const double named = sheet.named_from();
  for (int columns = most; columns >= 1 && sheet.view.labels; --columns) {
    const Grid grid = grid_of(sheet, stage, maps, columns);
    const bool fits = grid.size.cell_height >= named && (!stage.score_like() || grid.size.cell_width >= named);
    if (fits && height_of(sheet, grid) <= kTallest * *sheet.view.width) return grid;
  }
  const int across = std::min(maps, maps <= 16 ? 4 : most);
  for (int columns = across; columns > 1; --columns) {
    const Grid grid = grid_of(sheet, stage, maps, columns);
    if (grid.size.width >= sheet.px(40)) return grid;
  }
  return grid_of(sheet, stage, maps, 1);
}

std::string range_words(const Sheet& sheet, const StagePicture& stage, bool several) {
  const ViewSpec& view = sheet.view;
  std::string words = several ? "one colour range for all heads" : "colours over the values of this head";
  if (view.range == RangeKind::row) {
    words = "each row with a colour range of its own";
  } else if (view.range == RangeKind::fixed) {
    words = fmt::format("colours from {} to {}", view.range_low, view.range_high);
  } else if (stage_info(stage.stage()).picture.range == StageRange::zero_to_one) {
    words = several ? "one colour range, 0 to 1, for all heads" : "colours from 0 to 1";
  }
  return words + (view.log_scale ? ", logarithmic" : "");
}

std::vector<Span> words_about(const Sheet& sheet, const StagePicture& stage, const MapSize& size,
                              const std::vector<std::int64_t>& heads) {
  const Rgba ink = sheet.colors.text;
  const std::string axes =
      stage.score_like() ? "Rows are queries, columns keys; " : "Rows are tokens, columns features; ";
  std::vector<Span> words = {{axes + range_words(sheet, stage, heads.size() > 1) + ".", ink}};
  const std::string pooled = pooled_note(size, stage.rows(), stage.columns(), cell_noun(stage.stage()));
  if (!pooled.empty()) words.push_back({pooled + ".", ink});
  const std::int64_t hidden = stage.hidden_cells(heads.front());
  if (hidden > 0) {
    const bool hatched = std::min(size.cell_width, size.cell_height) >= 8 * sheet.view.scale;
    words.push_back({fmt::format("{}: hidden, {} of {} cells.", hatched ? "Hatched" : "Empty", grouped_digits(hidden),
                                 grouped_digits(stage.rows() * stage.columns())),
                     ink});
  }
  if (has_cell_numbers(stage.cell_text(), std::min(size.cell_width, size.cell_height), sheet.view.scale)) {
    words.push_back({fmt::format("B{}.", std::string(kBlankWords).substr(1)), ink});
  }
  const std::string masked = is_weight_like(stage.stage()) ? mask_sentences(sheet.trace) : "";
  if (!masked.empty()) words.push_back({masked, ink});
  return words;
}

Sheet::Title title_of(const Sheet& sheet, const StagePicture& stage, const std::vector<std::int64_t>& heads) {
  std::string what(stage_name(stage.stage()));
  std::replace(what.begin(), what.end(), '_', ' ');
  if (stage.stage() == StageId::weights) what = "attention weights";
  Sheet::Title title;
  title.name = what;
  if (static_cast<std::int64_t>(heads.size()) < stage.heads()) {
    title.name +=
        heads.size() == 1 ? fmt::format(", head {}", heads.front()) : fmt::format(", heads {}", fmt::join(heads, ", "));
  }
  if (sheet.trace.model != nullptr) title.name = fmt::format("Layer {}, {}", sheet.trace.model->layer, title.name);
  if (stage.shape()[0] > 1) title.fact = fmt::format("batch {} of {}", sheet.view.batch, stage.shape()[0]);
  return title;
}

struct PlacedHead {
  std::int64_t head = 0;
  MapSize size;
  ValueRange range;
  int x = 0, y = 0;
};

void add_map(Sheet& sheet, const StagePicture& stage, const PlacedHead& at) {
  const double middle = at.y - sheet.font(8);
  std::string name = fmt::format("Head {}", at.head);
  if (sheet.width_of(name, FontRole::words_bold, 11) > at.size.width + sheet.px(6)) name = std::to_string(at.head);
  sheet.text_centred(at.x + at.size.width / 2.0, middle, name, FontRole::words_bold, 11, sheet.colors.text);
  MapItem map{at.x, at.y, stage.spec(at.head), stage.cell_text()};
  map.spec.width = at.size.width;
  map.spec.height = at.size.height;
  map.spec.range = at.range;
  map.spec.grid = false;  // the frame holds it together
  map.spec.hatch_x = at.x;
  map.spec.hatch_y = at.y;
  choose_pixels(sheet, stage, map.spec);
  sheet.plan.items.emplace_back(map);
  sheet.frame(at.x, at.y, at.size.width, at.size.height);
}

}  // namespace

void plan_paper_heads(Sheet& sheet, const StagePicture& stage, const std::vector<std::int64_t>& heads) {
  const int maps = static_cast<int>(heads.size());
  const Grid grid = best_grid(sheet, stage, maps);
  const MapSize& size = grid.size;
  const int left = sheet.margin() + grid.gutter, step = size.width + grid.gap;
  const int across = grid.columns * step - grid.gap;
  sheet.plan.width = figure_width(sheet, left + across + sheet.upright_bar_room() + sheet.margin());
  int y = sheet.header(title_of(sheet, stage, heads), sheet.plan.width);
  const ValueRange range = stage.range(0, stage.heads());
  const bool outer = sheet.view.paper.key_labels == KeyLabels::outer;
  const int first_top = y + grid.title;
  int last_bottom = 0;
  for (int row = 0; row < grid.rows; ++row) {
    const int top = y + grid.title, bottom = top + size.height;
    sheet.row_labels(stage.row_names(), stage.rows(), left, top,
                     static_cast<double>(size.height) / static_cast<double>(stage.rows()));
    for (int k = row * grid.columns; k < std::min((row + 1) * grid.columns, maps); ++k) {
      const int x = left + (k % grid.columns) * step;
      add_map(sheet, stage, {heads[static_cast<std::size_t>(k)], size, range, x, top});
      if (outer && k + grid.columns < maps) continue;
      sheet.column_labels_below(stage.column_names(), stage.columns(), x, bottom,
                                static_cast<double>(size.width) / static_cast<double>(stage.columns()));
    }
    last_bottom = bottom;
    y = bottom + (outer && row + 1 < grid.rows ? sheet.px(6) : grid.labels);
  }
  if (sheet.view.labels) {
    sheet.text_right(left - sheet.px(8), first_top - sheet.font(8), stage.score_like() ? "query" : "token",
                     FontRole::words, 11, sheet.colors.text2);
    sheet.text_centred(left + across / 2.0, y + sheet.font(8), stage.score_like() ? "key" : "feature", FontRole::words,
                       11, sheet.colors.text2);
  }
  const int bar = std::clamp(last_bottom - first_top, sheet.px(36), sheet.px(200));
  sheet.upright_bar(left + across + sheet.upright_bar_gap(), first_top, bar, stage.map(), range);
  sheet.plan.height = y + grid.below + sheet.px(8);
  sheet.paragraph(0, 0, 0, words_about(sheet, stage, size, heads));
}

}  // namespace headscope
