#include "app/ui/inspector/histogram_handles.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/session/session.h"
#include "app/ui/map/provenance_view.h"
#include "app/ui/map/range_choice.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kReach = 9, kOverlap = 2, kGrip = 12;
constexpr const char* kLowTip =
    "Numbers up to here get the first colour. Drag, or use the arrow keys; a double click or Enter goes back to the "
    "range of the numbers.";
constexpr const char* kHighTip =
    "Numbers from here on get the last colour. Drag, or use the arrow keys; a double click or Enter goes back to the "
    "range of the numbers.";

// Where numbers lie on the histogram.
struct HandleAxis {
  const Histogram& histogram;
  const Rect& plot;

  double span() const { return histogram.high - histogram.low; }
  float x_of(double value) const {
    const double share = std::clamp((value - histogram.low) / span(), 0.0, 1.0);
    return std::round(plot.min.x + plot.width() * static_cast<float>(share));
  }
  // A short number: to less than a pixel.
  double value_at(float x) const {
    const double share = static_cast<double>(std::clamp((x - plot.min.x) / plot.width(), 0.0f, 1.0f));
    return rounded(histogram.low + span() * share);
  }
  double rounded(double value) const {
    const double unit = std::pow(10.0, std::floor(std::log10(span() / 500)));
    return unit > 0 && std::isfinite(unit) ? std::round(value / unit) * unit : value;
  }
};

// The range with one end moved by mouse or keys; the other end stays away from it.
ValueRange moved(Ui& ui, const Interaction& it, const HandleAxis& axis, ValueRange range, bool low_end) {
  double& end = low_end ? range.low : range.high;
  const double step = axis.span() / 100;
  if (it.held && ImGui::GetIO().MouseDelta.x != 0) end = axis.value_at(ImGui::GetIO().MousePos.x);
  if (it.focused) {
    const double at = std::clamp(end, axis.histogram.low, axis.histogram.high);
    if (ui.take_key(KeyName::right) || ui.take_key(KeyName::up)) end = axis.rounded(at + step);
    if (ui.take_key(KeyName::left) || ui.take_key(KeyName::down)) end = axis.rounded(at - step);
    if (ui.take_key(KeyName::page_up)) end = axis.rounded(at + 10 * step);
    if (ui.take_key(KeyName::page_down)) end = axis.rounded(at - 10 * step);
    if (ui.take_key(KeyName::home)) end = axis.histogram.low;
    if (ui.take_key(KeyName::end)) end = axis.histogram.high;
  }
  const double least = axis.span() / 200;
  if (low_end) {
    range.low = std::min(range.low, range.high - least);
  } else {
    range.high = std::max(range.high, range.low + least);
  }
  return range;
}

void draw_handle(Ui& ui, const Rect& plot, float x, bool strong) {
  const Rgba color = strong ? ui.colors.accent : ui.colors.text2;
  vertical_line(ui, x, plot.min.y, plot.max.y, color);
  const float half = ui.px(3), middle = std::round(plot.center().y);
  fill({{x - half, middle - ui.px(kGrip) / 2}, {x + half + ui.px(1), middle + ui.px(kGrip) / 2}}, color, ui.px(2));
}

}  // namespace

RangeHandles read_range_handles(Ui& ui, const Inspected& inspected, const Histogram& histogram, const Rect& plot) {
  RangeHandles handles;
  const HandleAxis axis{histogram, plot};
  if (!(axis.span() > 0) || !std::isfinite(axis.span())) return handles;
  if (inspected.stage == StageId::concat && shows_provenance(ui, inspected.data.trace())) return handles;
  ValueRange range = inspected.range;
  if (range.per_row) range = {histogram.low, histogram.high, range.log_scale, false};
  for (const bool low_end : {true, false}) {
    const float x = axis.x_of(low_end ? range.low : range.high);
    const float outside = ui.px(kReach), inside = ui.px(kOverlap);
    const Rect reach{{x - (low_end ? outside : inside), plot.min.y}, {x + (low_end ? inside : outside), plot.max.y}};
    const Interaction it = interact_mouse(ui, low_end ? "inspector/histogram/low" : "inspector/histogram/high", reach,
                                          {true, false, low_end ? kLowTip : kHighTip});
    handles.shown.push_back({x, reach, it});
    handles.hovered = handles.hovered || it.hovered || it.held;
    if (it.double_clicked || (it.focused && ui.take_key(KeyName::enter))) {
      choose_automatic(ui.session.view, inspected.stage);
      continue;
    }
    const ValueRange wanted = moved(ui, it, axis, range, low_end);
    if (wanted == range) continue;
    choose_fixed(ui.session.view, inspected.stage, wanted.low, wanted.high);
    ui.state.wants_frame = true;
  }
  return handles;
}

void draw_range_handles(Ui& ui, const RangeHandles& handles, const Rect& plot) {
  if (handles.shown.size() < 2) return;
  const float low = handles.shown[0].x, high = handles.shown[1].x;
  const Rgba veil{ui.colors.well.r, ui.colors.well.g, ui.colors.well.b, 170};
  if (low > plot.min.x) fill({plot.min, {low, plot.max.y}}, veil);
  if (high < plot.max.x) fill({{high, plot.min.y}, plot.max}, veil);
  for (const RangeHandles::Handle& handle : handles.shown) {
    draw_handle(ui, plot, handle.x, handle.mouse.hovered || handle.mouse.held || handle.mouse.focused);
    if (handle.mouse.focused && ui.state.focus_by_keyboard) focus_ring(ui, handle.reach, ui.px(2));
  }
}

void draw_range_buttons(Ui& ui, const Inspected& inspected, const Rect& line) {
  ViewState& view = ui.session.view;
  Rect rest{{line.min.x, std::round(line.center().y - ui.px(11))},
            {line.max.x, std::round(line.center().y + ui.px(11))}};
  if (rest.width() < ui.px(96)) return;
  const Rect all = take_right(rest, ui.px(44), ui.px(4));
  const Rect fit = take_right(rest, ui.px(36), ui.px(4));
  if (button(ui, "inspector/range/auto", all, "auto",
             {!is_automatic(view, inspected.stage), false, "Colours for all of the numbers."})) {
    choose_automatic(view, inspected.stage);
  }
  if (button(ui, "inspector/range/fit", fit, "fit",
             {!is_fit(view, inspected.stage), false,
              "Colours for 98 in 100 of the numbers: from the 1st to the 99th percentile of what is visible."})) {
    choose_fit(view, inspected.stage);
  }
}

}  // namespace headscope::ui
