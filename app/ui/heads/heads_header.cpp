#include "app/ui/heads/heads_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/heads/arcs.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/map/range_choice.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

// The line of the list below the range choices.
constexpr int kSwitchLog = static_cast<int>(RangeChoice::fixed) + 1;

void choose_line(ViewState& view, int line, const ValueRange& now) {
  if (line == kSwitchLog) {
    view.log_scale = !view.log_scale;
    return;
  }
  const auto choice = static_cast<RangeChoice>(line);
  if (choice == RangeChoice::fixed && !view.range_fixed) {
    // Begins with what is on screen, so that nothing jumps.
    view.range_low = now.low;
    view.range_high = now.high;
  }
  choose_range(view, choice);
}

const char* const kQuantityTip =
    "What the heatmaps show: weights = softmax(masked_scores) along keys, or one of the steps before or after it.";
const char* const kRangeTip =
    "Which numbers get the first and the last colour: one range for all heads, each head's or row's own smallest and "
    "largest, 98 in 100 of the cells, or two numbers that you type.";

}  // namespace

void draw_heads_header(Ui& ui, const Rect& area, PanelData& data, const Selection& selection) {
  ViewState& view = ui.session.view;
  const Trace& trace = data.trace();
  const bool weight_like = is_weight_like(selection.quantity);
  const bool fixed = view.range_fixed;
  const std::vector<StageId> quantities = quantities_of(trace);
  std::vector<std::string> names;
  int quantity = 0;
  float quantity_width = ui.px(98);
  for (const StageId id : quantities) {
    if (id == selection.quantity) quantity = static_cast<int>(names.size());
    names.emplace_back(stage_name(id));
    quantity_width = std::max(quantity_width, std::ceil(text_width(ui, Type::mono12, names.back())) + ui.px(34));
  }
  std::string fact = fmt::format("{} of {}", trace.num_heads(), trace.num_heads());
  if (trace.inputs->batch > 1) fact += fmt::format(", batch {} of {}", selection.batch, trace.inputs->batch);
  Rect rest = draw_heads_title(ui, area);

  if (fixed) {
    // The right one first: places are cut from the right.
    const Rect high = take_right(rest, ui.px(64), ui.px(6));
    const Rect low = take_right(rest, ui.px(64), ui.px(6));
    number_field(ui, "heads/range_low", low, view.range_low, false,
                 {true, false, "Numbers up to this get the first colour."});
    number_field(ui, "heads/range_high", high, view.range_high, false,
                 {true, false, "Numbers from this on get the last colour."});
  }
  // In a narrow panel the range's words are cut first, then the maps' combo goes.
  const float beside = quantity_width + ui.px(92) + 2 * ui.px(6);
  const Rect range_rect = take_right(rest, std::clamp(rest.width() - beside, ui.px(84), ui.px(150)), ui.px(6));
  const bool has_maps = rest.width() >= ui.px(92 + 6 + 60);
  const Rect map_rect = has_maps ? take_right(rest, ui.px(92), ui.px(6)) : Rect{};
  const Rect quantity_rect = take_right(rest, std::min(quantity_width, std::max(ui.px(60), rest.width())), ui.px(12));
  if (text_width(ui, Type::words12, fact) <= rest.width()) text_in(ui, rest, Type::words12, ui.colors.text2, fact);

  if (combo(ui, "heads/quantity", quantity_rect, names, quantity, {{true, false, kQuantityTip}}) && quantity >= 0 &&
      static_cast<std::size_t>(quantity) < quantities.size()) {
    view.quantity = quantities[static_cast<std::size_t>(quantity)];
    if (is_score_like(view.stage)) view.stage = view.quantity;
  }

  if (has_maps) color_map_combo(ui, "heads/colormap", map_rect, weight_like);

  ViewState as_shared = view;
  choose_range(as_shared, RangeChoice::shared);
  const ValueRange shared = data.range(as_shared, selection.quantity, selection.batch, selection.head);
  int choice = static_cast<int>(range_choice(view));
  std::vector<std::string> ranges = {"range: shared " + spelled_range(shared), "range: per head", "range: per row",
                                     "range: fit", "range: fixed"};
  const ValueRange now = data.range(view, selection.quantity, selection.batch, selection.head);
  const bool fits = range_choice(view) == RangeChoice::fit;
  ranges[static_cast<std::size_t>(choice)] = range_label(view, fits ? now : shared, weight_like);
  if (weight_like) ranges.emplace_back(view.log_scale ? "switch to linear" : "switch to logarithmic");
  if (combo(ui, "heads/range", range_rect, ranges, choice, {{true, false, kRangeTip}, Type::words12})) {
    choose_line(view, choice, now);
  }
}

}  // namespace headscope::ui
