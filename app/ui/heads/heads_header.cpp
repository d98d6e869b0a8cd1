#include "app/ui/heads/heads_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/heads/arcs.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/minus_sign.h"

namespace headscope::ui {
namespace {

enum RangeChoice { shared_range, per_head, per_row, fixed_range, switch_log };

int range_choice(const ViewState& view) {
  if (view.range_fixed) return fixed_range;
  if (view.range == RangeKind::row) return per_row;
  return view.range_per_head ? per_head : shared_range;
}

void choose_range(ViewState& view, int choice, const ValueRange& now) {
  if (choice == switch_log) {
    view.log_scale = !view.log_scale;
    return;
  }
  if (choice == fixed_range && !view.range_fixed) {
    // Begins with what is on screen, so that nothing jumps.
    view.range_low = now.low;
    view.range_high = now.high;
  }
  view.range_fixed = choice == fixed_range;
  view.range_per_head = choice == per_head;
  view.range = choice == per_row ? RangeKind::row : RangeKind::automatic;
}

std::string spelled_range(const ValueRange& range) {
  if (range.low == -range.high && range.high > 0) return "±" + short_number(range.high);
  return short_number(range.low) + "–" + short_number(range.high);
}

const char* const kQuantityTip =
    "What the heatmaps show: weights = softmax(masked_scores) along keys, or one of the steps before or after it.";
const char* const kMapTip = "Colours of the numbers. A choice made here holds for both themes.";
const char* const kRangeTip =
    "Which numbers get the first and the last colour: one range for all heads, each head's or row's own smallest and "
    "largest, or two numbers that you type.";

}  // namespace

std::string short_number(double value) {
  std::string text = std::isnan(value)   ? "nan"
                     : std::isinf(value) ? (value > 0 ? "inf" : "-inf")
                                         : fmt::format("{:.3g}", value);
  if (text == "-0") text = "0";
  return with_minus_signs(text);
}

std::string range_label(const ViewState& view, const ValueRange& shared, bool weight_like) {
  const std::string log = view.log_scale && weight_like ? ", log" : "";
  switch (range_choice(view)) {
    case per_head:
      return "range: per head" + log;
    case per_row:
      return "range: per row" + log;
    case fixed_range:
      return "range: fixed " + spelled_range({view.range_low, view.range_high, false, false}) + log;
    default:
      return "range: shared " + spelled_range(shared) + log;
  }
}

std::string range_sentence(const ViewState& view) {
  switch (range_choice(view)) {
    case per_head:
      return "each head has its own range";
    case per_row:
      return "each row has its own range";
    case fixed_range:
      return "the range that you typed";
    default:
      return "one range for all heads";
  }
}

void color_map_combo(Ui& ui, const std::string& name, const Rect& rect, bool weight_like) {
  ViewState& view = ui.session.view;
  std::vector<std::string> items;
  const ColorMap current = color_map_of(view, weight_like);
  int selected = 0;
  for (const ColorMap map : all_color_maps()) {
    if (map == current) selected = static_cast<int>(items.size());
    items.emplace_back(color_map_name(map));
  }
  const auto maps = static_cast<int>(items.size());
  items.emplace_back("by theme");
  if (!combo(ui, name, rect, items, selected, {true, false, kMapTip}, Type::words12)) return;
  std::optional<ColorMap>& chosen = weight_like ? view.weight_map : view.signed_map;
  if (selected >= 0 && selected < maps) {
    chosen = all_color_maps()[static_cast<std::size_t>(selected)];
  } else {
    chosen.reset();
  }
}

void draw_heads_header(Ui& ui, const Rect& area, PanelData& data, const Selection& selection) {
  ViewState& view = ui.session.view;
  const Trace& trace = data.trace();
  const bool weight_like = is_weight_like(selection.quantity);
  const bool fixed = view.range_fixed;
  const float fields = fixed ? 2 * ui.px(64) + ui.px(12) : 0;
  const std::vector<StageId> quantities = quantities_of(trace);
  std::vector<std::string> names;
  int quantity = 0;
  float quantity_width = ui.px(98);
  for (const StageId id : quantities) {
    if (id == selection.quantity) quantity = static_cast<int>(names.size());
    names.emplace_back(stage_name(id));
    quantity_width = std::max(quantity_width, std::ceil(text_width(ui, Type::mono12, names.back())) + ui.px(34));
  }
  const float controls = quantity_width + ui.px(92) + ui.px(150) + ui.px(12) + ui.px(162) + fields;
  std::string fact = fmt::format("{} of {}", trace.num_heads(), trace.num_heads());
  if (trace.inputs->batch > 1) fact += fmt::format(", batch {} of {}", selection.batch, trace.inputs->batch);
  const float room = area.width() - ui.px(28) - text_width(ui, Type::title13, "Heads") - controls - ui.px(24);
  if (text_width(ui, Type::words12, fact) > room) fact.clear();
  Rect rest = panel_header(ui, area, "Heads", fact);
  const float y = std::round(rest.center().y - ui.px(12));
  rest = {{rest.min.x, y}, {rest.max.x, y + ui.px(size::control_height)}};
  draw_heads_show(ui, rest);

  if (fixed) {
    // The right one first: places are cut from the right.
    const Rect high = take_right(rest, ui.px(64), ui.px(6));
    const Rect low = take_right(rest, ui.px(64), ui.px(6));
    number_field(ui, "heads/range_low", low, view.range_low, false,
                 {true, false, "Numbers up to this get the first colour."});
    number_field(ui, "heads/range_high", high, view.range_high, false,
                 {true, false, "Numbers from this on get the last colour."});
  }
  const Rect range_rect = take_right(rest, ui.px(150), ui.px(6));
  const Rect map_rect = take_right(rest, ui.px(92), ui.px(6));
  const Rect quantity_rect = take_right(rest, std::min(quantity_width, std::max(ui.px(60), rest.width())), ui.px(6));

  if (combo(ui, "heads/quantity", quantity_rect, names, quantity, {true, false, kQuantityTip}) && quantity >= 0 &&
      static_cast<std::size_t>(quantity) < quantities.size()) {
    view.quantity = quantities[static_cast<std::size_t>(quantity)];
    if (is_score_like(view.stage)) view.stage = view.quantity;
  }

  color_map_combo(ui, "heads/colormap", map_rect, weight_like);

  ViewState as_shared = view;
  as_shared.range_fixed = as_shared.range_per_head = false;
  as_shared.range = RangeKind::automatic;
  const ValueRange shared = data.range(as_shared, selection.quantity, selection.batch, selection.head);
  int choice = range_choice(view);
  std::vector<std::string> ranges = {"range: shared " + spelled_range(shared), "range: per head", "range: per row",
                                     "range: fixed"};
  ranges[static_cast<std::size_t>(choice)] = range_label(view, shared, weight_like);
  if (weight_like) ranges.emplace_back(view.log_scale ? "switch to linear" : "switch to logarithmic");
  if (combo(ui, "heads/range", range_rect, ranges, choice, {true, false, kRangeTip}, Type::words12)) {
    choose_range(view, choice, data.range(view, selection.quantity, selection.batch, selection.head));
  }
}

}  // namespace headscope::ui
