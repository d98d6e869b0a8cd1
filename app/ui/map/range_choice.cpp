#include "app/ui/map/range_choice.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kButton = 36;
constexpr const char* kWords = "99 % of cells share 5 % of the colours";
constexpr const char* kFitTip =
    "Gives the colours to 98 in 100 of the cells: from the 1st to the 99th percentile of what is visible.";
constexpr const char* kLogTip = "Logarithmic colours: every factor of the values gets the same share of the colours.";

// What the setting did last.
struct ContrastState {
  std::uint64_t version = 0;  // of the result that it looked at
  StageId stage = StageId::weights;
  bool by_setting = false;  // the range is fitted, and not by hand
};

}  // namespace

RangeChoice range_choice(const ViewState& view) {
  if (view.range_fixed) return RangeChoice::fixed;
  if (view.range == RangeKind::fit) return RangeChoice::fit;
  if (view.range == RangeKind::row) return RangeChoice::per_row;
  return view.range_per_head ? RangeChoice::per_head : RangeChoice::shared;
}

void choose_range(ViewState& view, RangeChoice choice) {
  view.range_fixed = choice == RangeChoice::fixed;
  view.range_per_head = choice == RangeChoice::per_head;
  view.range = choice == RangeChoice::per_row ? RangeKind::row
               : choice == RangeChoice::fit   ? RangeKind::fit
                                              : RangeKind::automatic;
}

void choose_fixed(ViewState& view, StageId stage, double low, double high) {
  if (!is_score_like(stage)) {
    view.stage_range = RangeOfStage{stage, RangeKind::fixed, low, high};
    return;
  }
  choose_range(view, RangeChoice::fixed);
  view.range_low = low;
  view.range_high = high;
}

void choose_fit(ViewState& view, StageId stage) {
  if (is_score_like(stage)) return choose_range(view, RangeChoice::fit);
  view.stage_range = RangeOfStage{stage, RangeKind::fit, 0, 1};
}

void choose_automatic(ViewState& view, StageId stage) {
  if (is_score_like(stage)) return choose_range(view, RangeChoice::shared);
  view.stage_range.reset();
}

bool is_automatic(const ViewState& view, StageId stage) {
  if (is_score_like(stage)) {
    return range_choice(view) == RangeChoice::shared || range_choice(view) == RangeChoice::per_head;
  }
  return !view.stage_range || view.stage_range->stage != stage;
}

bool is_fit(const ViewState& view, StageId stage) {
  if (is_score_like(stage)) return range_choice(view) == RangeChoice::fit;
  return view.stage_range && view.stage_range->stage == stage && view.stage_range->range == RangeKind::fit;
}

bool offers_contrast(const Ui& ui, PanelData& data, const MapSlice& of) {
  const ViewState& view = ui.session.view;
  const bool logarithmic = view.log_scale && is_weight_like(of.stage);
  return is_automatic(view, of.stage) && !logarithmic && data.crowded(view, of.stage, of.batch, of.slice);
}

float draw_contrast_offer(Ui& ui, const std::string& name, const Rect& line, StageId stage) {
  ViewState& view = ui.session.view;
  Rect rest = line;
  const Rect log = is_weight_like(stage) ? take_right(rest, ui.px(kButton), ui.px(4)) : Rect{};
  const Rect fit = take_right(rest, ui.px(kButton), ui.px(8));
  if (is_weight_like(stage) && button(ui, name + "/log", log, "log", {true, false, kLogTip})) view.log_scale = true;
  if (button(ui, name + "/fit", fit, "fit", {true, false, kFitTip})) choose_fit(view, stage);
  const float words = std::ceil(text_width(ui, Type::words11, kWords)) + 1;
  if (words <= rest.width()) text_in(ui, rest, Type::words11, ui.colors.text2, kWords, 1);
  return line.max.x - fit.min.x + ui.px(8) + (words <= rest.width() ? words : 0);
}

void follow_contrast_setting(Ui& ui, PanelData& data, const MapSlice& of) {
  ViewState& view = ui.session.view;
  auto& state = ui.state.panels.get<ContrastState>();
  if (!is_fit(view, of.stage)) state.by_setting = false;
  if (!ui.settings.auto_contrast) return;
  if (state.version == data.version() && state.stage == of.stage) return;
  if (data.spread(of.stage, of.batch, true) == nullptr) return;
  state.version = data.version();
  state.stage = of.stage;
  ViewState automatic = view;
  choose_automatic(automatic, of.stage);
  const bool crowded = data.crowded(automatic, of.stage, of.batch, of.slice);
  if (state.by_setting && !crowded) {
    choose_automatic(view, of.stage);
    state.by_setting = false;
  } else if (range_choice(view) == RangeChoice::shared && crowded && !view.log_scale) {
    choose_fit(view, of.stage);
    state.by_setting = true;
  }
}

}  // namespace headscope::ui
