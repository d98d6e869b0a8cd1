// All heads as a grid of maps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/heads/pattern.h"
#include "core/picture/figure/figure_views.h"
#include "core/picture/figure/head_look.h"

namespace headscope {

namespace {

bool is_off(const Request& request, std::int64_t head) {
  return std::any_of(request.ablate.begin(), request.ablate.end(), [&](const AblatedHead& each) {
    return each.on && each.place.head == head && each.place.layer == request.layer.value_or(each.place.layer);
  });
}

// "it → animal .90" in [left, right], tokens in the colours of query and key. When room is short, what stands before
// the score is cut, so that the score stays.
void summary_line(Sheet& sheet, const HeadSummary& summary, double left, double right, double middle) {
  using Role = LabelPiece::Role;
  const double size = sheet.font(12), space = drawn_width(" ", FontRole::words, size);
  double score_room = 0;
  const std::vector<LabelPiece> pieces = summary_pieces(summary, *sheet.measured);
  for (const LabelPiece& piece : pieces) {
    if (piece.role == Role::score) score_room = space + drawn_width(piece.text, FontRole::words, size);
  }
  for (const LabelPiece& piece : pieces) {
    const double end = piece.role == Role::score ? right : right - score_room;
    const std::string shown = fit_text(piece.text, FontRole::words, size, end - left);
    if (shown.empty()) continue;
    const Rgba color = piece.role == Role::query ? sheet.colors.query
                       : piece.role == Role::key ? sheet.colors.key
                                                 : sheet.colors.text2;
    sheet.text_middle(left, middle, shown, FontRole::words, 12, color);
    left += drawn_width(shown, FontRole::words, size) + space;
  }
}

// Where the line above a map stands.
struct LabelPlace {
  int x = 0;
  double middle = 0;
  int width = 0;
};

// Square, number, pattern at the left and entropy at the right; without a summary the first two.
void head_label(Sheet& sheet, std::int64_t head, const HeadSummary* summary, const LabelPlace& at) {
  const auto [x, middle, width] = at;
  sheet.rect(x, static_cast<int>(std::lround(middle - sheet.font(5))), sheet.px(10), sheet.px(10), head_color(head));
  double pen = x + sheet.px(10) + sheet.px(6);
  const std::string number = std::to_string(head);
  sheet.text_middle(pen, middle, number, FontRole::numbers_bold, 12, sheet.colors.text);
  pen += sheet.width_of(number, FontRole::numbers_bold, 12) + sheet.px(7);
  double right = x + width;
  if (summary == nullptr) return;
  const bool off = is_off(sheet.trace.request, head);
  const std::string entropy = off                                 ? "off"
                              : std::isnan(summary->entropy_bits) ? "NaN"
                                                                  : fmt::format("{:.2f}", summary->entropy_bits);
  const double extent = sheet.width_of(entropy, FontRole::numbers, 11);
  if (pen + extent <= right) {
    sheet.text_right(right, middle, entropy, FontRole::numbers, 11, off ? sheet.colors.bad : sheet.colors.text2);
    right -= extent + sheet.px(8);
  }
  summary_line(sheet, *summary, pen, right, middle);
}

// The map of a head at its place.
MapItem map_of(const StagePicture& stage, std::int64_t head, const MapSize& size, const ValueRange& range,
               std::pair<int, int> place) {
  MapItem map{place.first, place.second, stage.spec(head), stage.cell_text()};
  map.spec.width = size.width;
  map.spec.height = size.height;
  map.spec.range = range;
  map.spec.hatch_x = map.x;
  map.spec.hatch_y = map.y;
  return map;
}

// A map with its label above, which begins at `top`.
void add_head(Sheet& sheet, const StagePicture& stage, MapItem map, int top, int width) {
  const std::int64_t head = map.spec.head;
  std::optional<HeadSummary> summary;
  if (stage.score_like() || is_off(sheet.trace.request, head)) summary = look_at_head(sheet, stage, head, map.spec);
  head_label(sheet, head, summary ? &*summary : nullptr, {map.x, top + sheet.font(9), width});
  sheet.plan.items.emplace_back(std::move(map));
}

struct Grid {
  int columns = 1;
  Fit fit;
  int tile = 0, gap = 0;  // pixels between the left edges of two maps: tile + gap
};

Grid grid_for(const Sheet& sheet, const StagePicture& stage, std::int64_t count) {
  const auto heads = static_cast<int>(std::min<std::int64_t>(count, 1 << 20));
  const bool many = heads > 16;
  FitRequest request{stage.rows(), stage.columns()};
  request.square = stage.score_like();
  request.column_labels = false;
  request.target = many ? 160 : 240;
  const int narrowest = sheet.px(sheet.view.width ? 96 : many ? 140 : 152);  // the label above needs room
  Grid grid;
  grid.gap = sheet.px(10);
  grid.columns = std::min(heads, many ? static_cast<int>(std::ceil(std::sqrt(heads))) : 4);
  for (;; --grid.columns) {
    request.maps_beside = grid.columns;
    request.fixed_room = 2 * sheet.margin() + (grid.columns - 1) * grid.gap;
    const bool last = grid.columns == 1;
    if (!last && sheet.view.width) {
      const int least =
          request.fixed_room + sheet.row_gutter(stage.row_names(), stage.rows(), 1e9) + grid.columns * sheet.px(96);
      if (*sheet.view.width < least) continue;
    }
    grid.fit = fitted(sheet, stage.names(), request);
    grid.tile = std::max(grid.fit.size.width, narrowest);
    const int natural = request.fixed_room + grid.fit.gutter + grid.columns * grid.tile;
    if (last || !sheet.view.width || natural <= *sheet.view.width) break;
  }
  if (sheet.view.width) {
    const int room = *sheet.view.width - 2 * sheet.margin() - grid.fit.gutter;
    // What is left over goes to the gaps.
    if (grid.columns > 1)
      grid.tile = std::max(grid.fit.size.width, (room - (grid.columns - 1) * grid.gap) / grid.columns);
    if (grid.columns == 1) grid.tile = std::max(grid.fit.size.width, std::min(grid.tile, room));
  }
  return grid;
}

}  // namespace

void plan_heads(Sheet& sheet, const StagePicture& stage, bool measure) {
  if (stage.heads() == 0) {
    throw UsageError("stage", fmt::format("{} has no heads {}; use --view stage for it", stage_name(stage.stage()),
                                          to_string(stage.shape())));
  }
  const std::vector<std::int64_t> heads = heads_of_grid(sheet.view, stage);
  const std::int64_t count = std::ssize(heads);
  const Grid grid = grid_for(sheet, stage, count);
  const MapSize& size = grid.fit.size;
  const int left = sheet.margin() + grid.fit.gutter;
  const int natural = left + grid.columns * grid.tile + (grid.columns - 1) * grid.gap + sheet.margin();
  const int width = figure_width(sheet, natural);
  sheet.plan.width = width;

  Sheet::Title title;
  title.name = "Heads";
  title.stage = stage_name(stage.stage());
  title.shape = to_string(stage.shape());
  if (stage.shape()[0] > 1) title.fact = fmt::format("batch {} of {}", sheet.view.batch, stage.shape()[0]);
  int y = sheet.header(title, width);

  const ValueRange range = measure ? ValueRange{} : stage.range(0, stage.heads());
  const int label_height = sheet.px(20);
  for (std::int64_t first = 0; first < count; first += grid.columns) {
    const int top = y + label_height;
    sheet.row_labels(stage.row_names(), stage.rows(), left, top,
                     static_cast<double>(size.height) / static_cast<double>(stage.rows()));
    for (int k = 0; k < grid.columns && first + k < count; ++k) {
      const std::int64_t head = heads[static_cast<std::size_t>(first + k)];
      const int x = left + k * (grid.tile + grid.gap);
      const MapItem map = map_of(stage, head, size, range, {x, top});
      if (measure) {
        sheet.plan.items.emplace_back(map);
      } else {
        add_head(sheet, stage, map, y, grid.tile);
      }
    }
    y = top + size.height + sheet.px(10);
  }

  std::vector<Span> words = legend(sheet, stage, ", one range for all heads", size, 0);
  add_words_of_numbers(sheet, size, stage.cell_text(), words);
  if (stage.score_like()) {
    words.push_back({"\n", {}});
    Span& above = words.emplace_back();
    above.text = "Above: pattern and its mean weight, else the strongest link; mean row entropy in bits.";
    above.color = sheet.colors.text3;
  }
  y += sheet.px(4);
  const int bar = std::min(std::max(grid.tile, sheet.px(160)), sheet.px(240));
  const int beside = left + (sheet.view.color_bar ? bar + sheet.px(20) : 0);
  sheet.level_bar(left, y, bar, stage.map(), range);
  const bool below = width - sheet.margin() - beside < sheet.px(260);
  const int bar_height = sheet.view.color_bar ? sheet.px(32) : 0;
  const int text_x = below ? sheet.margin() : beside, text_y = below ? y + bar_height + sheet.px(4) : y - sheet.px(3);
  const int text_height = sheet.paragraph(text_x, text_y, width - sheet.margin() - text_x, words);
  sheet.plan.height = std::max(y + bar_height, text_y + text_height) + sheet.px(10);
}

}  // namespace headscope
