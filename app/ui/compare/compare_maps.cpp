// A, B and A - B of one matrix.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/ui/compare/compare_panel.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/map_with_axes.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"
#include "core/text/text_difference.h"

namespace headscope::ui {
namespace {

constexpr float kTitle = 28, kReadout = 26, kLongestName = 110;

std::int64_t slice_in(const PanelData& data, const CompareShown& shown) {
  const std::int64_t head = std::min(shown.selection.head, data.trace().num_heads() - 1);
  return slice_of_head(data.trace(), shown.selection.stage, head);
}

std::int64_t batch_in(const PanelData& data, const CompareShown& shown) {
  return std::min(shown.selection.batch, data.trace().tensor(shown.selection.stage).dim(0) - 1);
}

HeatmapView view_of(Ui& ui, PanelData& data, const CompareShown& shown, const ValueRange& range) {
  const StageId stage = shown.selection.stage;
  const std::int64_t slice = slice_in(data, shown), batch = batch_in(data, shown);
  HeatmapView view;
  view.matrix = data.matrix(stage, batch, slice);
  view.mask = data.mask(stage);
  view.batch = batch;
  view.head = slice;
  view.weight_like = is_weight_like(stage);
  view.map = color_map_of(ui, view.weight_like);
  view.range = range;
  view.large = large_map_of(data, stage, batch, slice, ui.session.view.pooling);
  return view;
}

// One range for A and B, so that equal colours are equal numbers.
ValueRange shared_range(Ui& ui, const CompareShown& shown) {
  const StageId stage = shown.selection.stage;
  ValueRange range{0, 1, ui.session.view.log_scale, false};
  bool first = true;
  for (PanelData* data : {&shown.a, &shown.b}) {
    if (data->trace().find(stage) == nullptr) continue;
    ViewState whole = ui.session.view;
    whole.range_per_head = false;
    whole.range = whole.range == RangeKind::row ? RangeKind::automatic : whole.range;
    const ValueRange own = data->range(whole, stage, batch_in(*data, shown), slice_in(*data, shown));
    range.low = first ? own.low : std::min(range.low, own.low);
    range.high = first ? own.high : std::max(range.high, own.high);
    range.log_scale = own.log_scale;
    first = false;
  }
  return range;
}

void draw_title(Ui& ui, const Rect& area, const std::string& letter, const std::string& fact) {
  Rect line{{area.min.x + ui.px(14), area.min.y}, {area.max.x - ui.px(14), area.min.y + ui.px(kTitle)}};
  text_in(ui, take_left(line, std::ceil(text_width(ui, Type::title13, letter)) + 1, ui.px(10)), Type::title13,
          ui.colors.text, letter);
  text_in(ui, line, Type::words12, ui.colors.text2, fact);
}

void draw_missing(Ui& ui, const Rect& area, const std::string& words) {
  const float left = area.min.x + ui.px(14), top = area.min.y + ui.px(8);
  paragraph(ui, {{left, top}, {area.max.x - ui.px(14), top}}, Type::words12, ui.colors.text3, words);
}

ValueRange range_around_zero(double largest) {
  return {largest > 0 ? -largest : -1, largest > 0 ? largest : 1, false, false};
}

// Room for the longest names, "tired → wide" among them, and for all numbers of the bars: one for all three maps, so
// that their cells are equal.
MapMargins margins_for(Ui& ui, const CompareShown& shown, const ValueRange& range, const MatrixDifference* difference) {
  constexpr std::size_t kMostNamed = 200;  // of more, few are named
  const StageId stage = shown.selection.stage;
  const bool keys = is_score_like(stage);
  float rows = 0, columns = 0;
  const auto include = [&](const std::vector<std::string>& names, float& extent) {
    if (names.size() <= kMostNamed) extent = std::max(extent, labels_extent(ui, names, ui.px(kLongestName)));
  };
  MapMargins margins;
  for (PanelData* data : {&shown.a, &shown.b}) {
    if (data->trace().find(stage) == nullptr) continue;
    include(data->rows(stage), rows);
    if (keys) include(data->columns(stage), columns);
    margins.bar = std::max(margins.bar, color_bar_width(ui, range));
    const Tensor& tensor = data->trace().tensor(stage);
    margins.rows = std::max(margins.rows, tensor.dim(tensor.rank() - 2));
    margins.columns = std::max(margins.columns, tensor.dim(tensor.rank() - 1));
  }
  if (difference != nullptr) {
    include(difference->row_labels, rows);
    if (keys) include(difference->column_labels, columns);
    margins.bar = std::max(margins.bar, color_bar_width(ui, range_around_zero(difference->largest)));
  }
  margins.left = std::ceil(rows) + ui.px(14);
  margins.above = std::ceil(columns) + ui.px(8);
  return margins;
}

// What was computed, in a few words: the title of a side.
std::string words_of(const Trace& trace) {
  if (!trace.request.phrase.empty()) return trace.request.phrase;
  return fmt::format("{} tokens", grouped_digits(trace.query_len()));
}

// Why the stage has no difference, as far as the comparison has said it.
std::string why_not(const CompareShown& shown) {
  if (shown.comparison != nullptr && shown.comparison->answer) {
    for (const ComparedStage& stage : shown.comparison->answer->stages) {
      if (stage.stage == shown.selection.stage && !stage.incomparable.empty()) return stage.incomparable;
    }
  }
  return "their shapes differ by more than tokens that came or went";
}

using Difference = std::shared_ptr<const Differences::Result>;

// A - B of the stage; null while it is not computed, and where only one of the two has the stage.
Difference shown_difference(Ui& ui, const CompareShown& shown) {
  const StageId stage = shown.selection.stage;
  if (shown.a.trace().find(stage) == nullptr || shown.b.trace().find(stage) == nullptr) return nullptr;
  return ui.session.background.differences.want(
      {shown.a.shared_trace(), shown.b.shared_trace(), stage, shown.selection.batch, slice_in(shown.b, shown)});
}

const MatrixDifference* shown_matrix(const Difference& difference) {
  return difference != nullptr && difference->answer && *difference->answer ? &**difference->answer : nullptr;
}

// The three maps of a frame: what they share, and what was found while drawing them.
struct Maps {
  Ui& ui;
  const CompareShown& shown;
  Rect area;
  float most_height = 0;  // of a map
  bool keys = false;      // columns are keys
  ValueRange range = {};  // of A and B
  MapMargins margins = {};
  std::optional<Cell> marked = {};  // what the mouse points at in one map, for the others in the next frame

  float bottom = 0;                  // the y below the lowest
  std::optional<Cell> pointed = {};  // in any of them
  std::string numbers = {};          // what each has there

  StageId stage() const { return shown.selection.stage; }
  const std::vector<std::string>& columns_of(PanelData& data) const {
    static const std::vector<std::string> none;
    return keys ? data.columns(stage()) : none;
  }
};

std::optional<Cell> cell_under(const Hover& hover, bool keys) {
  const std::int64_t column = keys ? hover.key : hover.feature;
  if (hover.query < 0 || column < 0) return std::nullopt;
  return Cell{hover.query, column};
}

float width_of_map(const Maps& maps) {
  return std::floor(maps.area.width() / 3);
}

Rect place_of_map(const Maps& maps, int column) {
  const float width = width_of_map(maps);
  const float x = maps.area.min.x + width * static_cast<float>(column);
  return {{x, maps.area.min.y}, {x + width, maps.area.max.y}};
}

Rect below_title(Ui& ui, const Rect& place) {
  return {{place.min.x, place.min.y + ui.px(kTitle)}, place.max};
}

// What the map that was drawn has at the cell under the mouse. The one that leads says which cell that is.
void note(Maps& maps, const DrawnMap& map, const std::string& letter, const HeatmapView& view, bool leads) {
  maps.bottom = std::max(maps.bottom, map.bottom);
  if (!map.at) return;
  const std::optional<double> value =
      cell_value(view.matrix, maps.keys, view.large ? &*view.large : nullptr, view.grid, *map.at);
  maps.numbers +=
      fmt::format("{}{} {}", maps.numbers.empty() ? "" : "   ", letter, value ? number_label(*value, 4, true) : "…");
  if (leads || !maps.pointed) maps.pointed = map.at;
}

// A or B.
void draw_side(Maps& maps, PanelData& data, const Rect& own) {
  Ui& ui = maps.ui;
  const bool is_a = &data == &maps.shown.a;
  const std::string letter = is_a ? "A" : "B";
  const float letters = (width_of_map(maps) - ui.px(110)) / text_width(ui, Type::words12, "n");
  const auto [words_a, words_b] = from_where_they_part(words_of(maps.shown.a.trace()), words_of(maps.shown.b.trace()),
                                                       static_cast<std::size_t>(std::max(8.0f, letters)));
  const std::string a =
      maps.shown.without ? without_words(maps.shown.b.trace(), *maps.shown.without) : "pinned: " + words_a;
  draw_title(ui, own, letter, is_a ? a : "now: " + words_b);
  ui.mark("compare/" + letter, own);
  if (data.trace().find(maps.stage()) == nullptr) {
    draw_missing(ui, below_title(ui, own), fmt::format("{} has no {}.", letter, stage_name(maps.stage())));
    return;
  }
  HeatmapView view = view_of(ui, data, maps.shown, maps.range);
  const MapAxes axes{data.rows(maps.stage()), maps.columns_of(data), maps.keys, maps.margins};
  note(maps,
       draw_map_with_axes(ui, "compare/" + letter + "/picture", view, axes,
                          {.area = below_title(ui, own), .most_height = maps.most_height},
                          {.picked = true, .marked = maps.marked}),
       letter, view, !is_a);
}

// Why there is no picture of A - B.
std::string no_difference(const CompareShown& shown, const Difference& difference) {
  const StageId stage = shown.selection.stage;
  if (shown.a.trace().find(stage) == nullptr || shown.b.trace().find(stage) == nullptr) {
    return "Only one of the two has this stage.";
  }
  if (difference == nullptr) return "Computing …";
  return !difference->failure.empty() ? difference->failure : "These two cannot be subtracted: " + why_not(shown) + ".";
}

void draw_difference(Maps& maps, const Difference& difference, const Rect& own) {
  Ui& ui = maps.ui;
  ui.mark("compare/difference", own);
  const MatrixDifference* found = shown_matrix(difference);
  if (found == nullptr) {
    draw_title(ui, own, "A − B", "");
    draw_missing(ui, below_title(ui, own), no_difference(maps.shown, difference));
    return;
  }
  draw_title(
      ui, own, "A − B",
      found->largest == 0 ? "equal to the last bit" : "largest difference " + number_label(found->largest, 4, true));
  HeatmapView view;
  view.matrix = found->matrix;
  view.mask = found->hidden;
  view.weight_like = false;
  view.map = color_map_of(ui, false);
  view.range = range_around_zero(found->largest);
  static const std::vector<std::string> none;
  const MapAxes axes{found->row_labels, maps.keys ? found->column_labels : none, maps.keys, maps.margins};
  const bool same_places = found->same_places && difference->question.stage == maps.stage();
  const DrawnMap map = draw_map_with_axes(ui, "compare/difference/picture", view, axes,
                                          {.area = below_title(ui, own), .most_height = maps.most_height},
                                          {.picked = same_places, .marked = same_places ? maps.marked : std::nullopt});
  note(maps, map, "A − B", view, false);
}

}  // namespace

float draw_compare_maps(Ui& ui, const CompareShown& shown, const Rect& area, float most_height) {
  const StageId stage = shown.selection.stage;
  Maps maps{ui, shown, area};
  maps.most_height = most_height - ui.px(kTitle + kReadout + 20);
  maps.keys = is_score_like(stage);
  maps.range = shared_range(ui, shown);
  maps.marked = cell_under(ui.state.hover, maps.keys);
  maps.bottom = area.min.y + ui.px(kTitle);
  const Difference difference = shown_difference(ui, shown);
  maps.margins = margins_for(ui, shown, maps.range, shown_matrix(difference));
  draw_side(maps, shown.a, place_of_map(maps, 0));
  draw_side(maps, shown.b, place_of_map(maps, 1));
  draw_difference(maps, difference, place_of_map(maps, 2));

  const float y = maps.bottom + ui.px(8);
  const Rect box{{area.min.x + ui.px(14), y}, {area.max.x - ui.px(14), y + ui.px(kReadout)}};
  PanelData& named = shown.b.trace().find(stage) != nullptr ? shown.b : shown.a;
  draw_map_readout(ui, box, {named.rows(stage), maps.columns_of(named), maps.keys}, maps.pointed, maps.numbers);
  ui.mark("compare/readout", box);
  return box.max.y + ui.px(8);
}

}  // namespace headscope::ui
