// A, B and A - B of one matrix.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/compare/compare_panel.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/map_with_axes.h"
#include "app/ui/widgets/widgets.h"
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
  view.map = color_map_of(ui.session.view, view.weight_like);
  view.range = range;
  if (data.is_large(stage)) {
    view.large = LargeMap{data.map_key(stage, batch, slice),
                          data.map_source(stage, batch, slice),
                          ui.session.view.pooling,
                          nullptr,
                          nullptr,
                          "",
                          false};
  }
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
  return fmt::format("{} tokens", trace.query_len());
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

}  // namespace

float draw_compare_maps(Ui& ui, const CompareShown& shown, const Rect& area, float most_height) {
  const StageId stage = shown.selection.stage;
  const bool keys = is_score_like(stage);
  const float width = std::floor(area.width() / 3);
  const float most = most_height - ui.px(kTitle + kReadout + 20);
  const ValueRange range = shared_range(ui, shown);
  float bottom = area.min.y + ui.px(kTitle);
  std::optional<Cell> pointed;
  std::string numbers;
  const auto note = [&](const DrawnMap& map, const std::string& letter, const HeatmapView& view, bool leads) {
    bottom = std::max(bottom, map.bottom);
    if (!map.at) return;
    const std::optional<double> value =
        cell_value(view.matrix, keys, view.large ? &*view.large : nullptr, view.grid, *map.at);
    numbers +=
        fmt::format("{}{} {}", numbers.empty() ? "" : "   ", letter, value ? number_label(*value, 4, true) : "…");
    if (leads || !pointed) pointed = map.at;
  };
  const auto place = [&](int column) {
    const float x = area.min.x + width * static_cast<float>(column);
    return Rect{{x, area.min.y}, {x + width, area.max.y}};
  };
  const auto below_title = [&](const Rect& r) { return Rect{{r.min.x, r.min.y + ui.px(kTitle)}, r.max}; };
  // What the mouse points at in one map is marked in the others in the next frame.
  std::optional<Cell> marked;
  const Hover& hover = ui.state.hover;
  if (hover.query >= 0 && (keys ? hover.key : hover.feature) >= 0) {
    marked = Cell{hover.query, keys ? hover.key : hover.feature};
  }
  const bool in_both = shown.a.trace().find(stage) != nullptr && shown.b.trace().find(stage) != nullptr;
  const std::shared_ptr<const Differences::Result> difference =
      !in_both ? nullptr
               : ui.session.differences().want({shown.a.shared_trace(), shown.b.shared_trace(), stage,
                                                shown.selection.batch, slice_in(shown.b, shown)});
  const bool subtracted = difference != nullptr && difference->answer && *difference->answer;
  const MapMargins margins = margins_for(ui, shown, range, subtracted ? &**difference->answer : nullptr);
  int column = 0;
  for (PanelData* data : {&shown.a, &shown.b}) {
    const bool is_a = data == &shown.a;
    const std::string letter = is_a ? "A" : "B";
    const Rect own = place(column++);
    const float letters = (width - ui.px(110)) / text_width(ui, Type::words12, "n");
    const auto [words_a, words_b] = from_where_they_part(words_of(shown.a.trace()), words_of(shown.b.trace()),
                                                         static_cast<std::size_t>(std::max(8.0f, letters)));
    draw_title(ui, own, letter, is_a ? "pinned: " + words_a : "now: " + words_b);
    ui.mark("compare/" + letter, own);
    if (data->trace().find(stage) == nullptr) {
      draw_missing(ui, below_title(own), fmt::format("{} has no {}.", letter, stage_name(stage)));
      continue;
    }
    HeatmapView view = view_of(ui, *data, shown, range);
    static const std::vector<std::string> none;
    const MapAxes axes{data->rows(stage), keys ? data->columns(stage) : none, keys, margins};
    note(draw_map_with_axes(ui, "compare/" + letter + "/picture", view, axes, below_title(own), most, true, marked),
         letter, view, !is_a);
  }

  const Rect own = place(2);
  ui.mark("compare/difference", own);
  if (!in_both) {
    draw_title(ui, own, "A − B", "");
    draw_missing(ui, below_title(own), "Only one of the two has this stage.");
  } else if (difference == nullptr) {
    draw_title(ui, own, "A − B", "");
    draw_missing(ui, below_title(own), "Computing …");
  } else if (!subtracted) {
    draw_title(ui, own, "A − B", "");
    draw_missing(
        ui, below_title(own),
        !difference->failure.empty() ? difference->failure : "These two cannot be subtracted: " + why_not(shown) + ".");
  } else {
    const MatrixDifference& found = **difference->answer;
    const double largest = found.largest;
    draw_title(ui, own, "A − B",
               largest == 0 ? "equal to the last bit" : "largest difference " + number_label(largest, 4, true));
    HeatmapView view;
    view.matrix = found.matrix;
    view.mask = found.hidden;
    view.weight_like = false;
    view.map = color_map_of(ui.session.view, false);
    view.range = range_around_zero(largest);
    static const std::vector<std::string> none;
    const MapAxes axes{found.row_labels, keys ? found.column_labels : none, keys, margins};
    const bool same_places = found.same_places && difference->question.stage == stage;
    const DrawnMap map = draw_map_with_axes(ui, "compare/difference/picture", view, axes, below_title(own), most,
                                            same_places, same_places ? marked : std::nullopt);
    note(map, "A − B", view, false);
  }

  const float y = bottom + ui.px(8);
  const Rect box{{area.min.x + ui.px(14), y}, {area.max.x - ui.px(14), y + ui.px(kReadout)}};
  static const std::vector<std::string> none;
  const bool in_b = shown.b.trace().find(stage) != nullptr;
  PanelData& named = in_b ? shown.b : shown.a;
  draw_map_readout(ui, box, {named.rows(stage), keys ? named.columns(stage) : none, keys}, pointed, numbers);
  ui.mark("compare/readout", box);
  return box.max.y + ui.px(8);
}

}  // namespace headscope::ui
