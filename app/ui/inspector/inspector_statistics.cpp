#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/session/control_words.h"
#include "app/ui/inspector/histogram_handles.h"
#include "app/ui/inspector/inspector_parts.h"
#include "app/ui/inspector/statistics_rows.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"

namespace headscope::ui {
namespace {

constexpr const char* kHistogramTip =
    "How many numbers of this slice fall into each of equal bins between its smallest and largest finite value.";
constexpr float kStatisticsTitle = 32, kStatisticsRow = 18, kHistogram = 64, kAxis = 20, kBelow = 8;

// For a large slice whose numbers are not computed yet: how many there are, and a button to compute them. Stored slices
// are read without a request.
void draw_unknown(Ui& ui, const Inspected& inspected, const Rect& area, float& y) {
  using State = SliceNumbers::State;
  PanelData& data = inspected.data;
  const Tensor& tensor = data.trace().tensor(inspected.stage);
  const SliceNumbers::Numbers numbers = data.large_numbers(inspected.stage, inspected.batch, inspected.slice);
  const std::string cells = grouped_digits(inspected.matrix.size()) + " cells";
  std::string sentence = "Not computed: " + cells + ", computed where you look.";
  if (numbers.state == State::failed) sentence = "Not computed: " + control_words(numbers.failure);
  if (numbers.state == State::waiting) sentence = "Waiting: " + cells + ".";
  if (numbers.state == State::running) {
    sentence = fmt::format("Going through {}: {:.0f} %.", cells, std::floor(numbers.progress * 100));
  }
  y += ui.px(4);
  y += paragraph(ui, {{area.min.x, y}, {area.max.x, y + ui.px(40)}}, Type::words12, ui.colors.text2, sentence) +
       ui.px(8);
  const bool runs = numbers.state == State::waiting || numbers.state == State::running;
  const Rect place{{area.min.x, y}, {area.min.x + ui.px(112), y + ui.px(size::control_height)}};
  if (runs && tensor.stored()) {
    progress_bar(ui, {{area.min.x, y + ui.px(9)}, {area.max.x, y + ui.px(15)}}, numbers.progress);
  } else if (runs) {
    if (button(ui, "inspector/statistics/stop", place, "Stop")) {
      data.stop_numbers(inspected.stage, inspected.batch, inspected.slice);
    }
    progress_bar(ui, {{place.max.x + ui.px(10), y + ui.px(9)}, {area.max.x, y + ui.px(15)}}, numbers.progress);
  } else if (numbers.state != State::failed) {
    const ControlState state{true, false, "Goes through all of it in the background: statistics, histogram, pattern."};
    const bool pressed = button(ui, "inspector/statistics/compute", place, "Compute", state);
    if (pressed || tensor.stored()) data.ask_for_numbers(inspected.stage, inspected.batch, inspected.slice);
  }
}

void draw_rows(Ui& ui, const Inspected& inspected, const Rect& area, float& y) {
  const Trace& trace = inspected.data.trace();
  const Tensor& tensor = trace.tensor(inspected.stage);
  const Statistics* known = inspected.data.statistics(inspected.stage, inspected.batch, inspected.slice);
  if (known == nullptr) return draw_unknown(ui, inspected, area, y);
  const Statistics& slice = *known;
  const bool whole_is_slice = inspected.matrix.size() == tensor.size();
  const float column = std::floor((area.width() - ui.px(72)) / 2);
  const auto line = [&](const std::string& name, const char* tip, const std::string& whole, const std::string& own,
                        Rgba color) {
    Rect rest = row(area, y, ui.px(kStatisticsRow));
    interact_mouse(ui, "inspector/statistics/" + name, {rest.min, {rest.min.x + ui.px(64), rest.max.y}},
                   {true, false, tip}, false);
    const Rect right = take_right(rest, column, 0);
    const Rect middle = take_right(rest, column, 0);
    text_in(ui, rest, Type::mono11, ui.colors.text2, name);
    if (!whole_is_slice) text_in(ui, middle, Type::mono12, color, whole, 1);
    text_in(ui, right, Type::mono12, color, own, 1);
  };
  if (!whole_is_slice) {
    Rect rest = row(area, y, ui.px(kStatisticsRow));
    text_in(ui, take_right(rest, column, 0), Type::words11, ui.colors.text3, "this slice", 1);
    text_in(ui, take_right(rest, column, 0), Type::words11, ui.colors.text3, "whole stage", 1);
  }
  line("shape", "Sizes of the axes, slowest first.", to_string(tensor.shape()), to_string(inspected.matrix.shape()),
       ui.colors.text);
  const std::vector<StatisticsRow> own = statistics_rows(slice);
  const Statistics* all = whole_is_slice ? &slice : inspected.data.statistics(inspected.stage);
  std::vector<StatisticsRow> whole = all != nullptr ? statistics_rows(*all) : own;
  if (all == nullptr) {
    for (StatisticsRow& each : whole) each.value = "…";
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    // Infinities that the mask put there are as they should be.
    const bool expected = own[i].is_infinite && inspected.data.mask(inspected.stage) != nullptr;
    const bool warn = own[i].is_count && !expected && (own[i].count > 0 || whole[i].count > 0);
    line(own[i].name, own[i].formula, whole[i].value, own[i].value, warn ? ui.colors.bad : ui.colors.text);
  }
}

void draw_statistics_histogram(Ui& ui, const Inspected& inspected, const Rect& area) {
  const Histogram* known = inspected.data.histogram(inspected.stage, inspected.batch, inspected.slice);
  if (known == nullptr) return;
  const Histogram& histogram = *known;
  const Rect plot{area.min, {area.max.x, area.max.y - ui.px(kAxis)}};
  const Rect inner = inset(plot, ui.px(4));
  ui.mark("inspector/histogram", plot);
  // Before the plot, which lies below them.
  const RangeHandles handles = read_range_handles(ui, inspected, histogram, inner);
  if (!handles.hovered) interact_mouse(ui, "inspector/histogram", plot, {true, false, kHistogramTip}, false);
  fill(plot, ui.colors.well, ui.px(size::radius_inner));
  const std::int64_t most =
      histogram.counts.empty() ? 0 : *std::max_element(histogram.counts.begin(), histogram.counts.end());
  const Rect axis{{area.min.x, plot.max.y + ui.px(2)}, area.max};
  if (most == 0) {
    text_in(ui, plot, Type::words12, ui.colors.text3, "no finite number", 0.5f);
    return;
  }
  const auto bins = static_cast<float>(histogram.counts.size());
  const double span = histogram.high - histogram.low;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  std::string hovered;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    const float x0 = std::round(inner.min.x + inner.width() * static_cast<float>(i) / bins);
    const float x1 = std::round(inner.min.x + inner.width() * static_cast<float>(i + 1) / bins);
    const double low = histogram.low + span * static_cast<double>(i) / static_cast<double>(bins);
    const double high = histogram.low + span * static_cast<double>(i + 1) / static_cast<double>(bins);
    const bool under = ui.on_top() && mouse.x >= x0 && mouse.x < x1 && plot.contains(mouse);
    if (under) {
      fill({{x0, inner.min.y}, {x1, inner.max.y}}, ui.colors.raised);
      hovered =
          fmt::format("{} from {} to {}", histogram.counts[i], number_label(low, 4, true), number_label(high, 4, true));
    }
    if (histogram.counts[i] == 0) continue;
    const float share = static_cast<float>(static_cast<double>(histogram.counts[i]) / static_cast<double>(most));
    const float top = std::round(inner.max.y - std::max(ui.px(1), share * inner.height()));
    fill({{x0, top}, {std::max(x0 + 1, x1 - ui.px(1)), inner.max.y}},
         (low + high) / 2 < 0 ? ui.colors.bar_negative : ui.colors.bar_positive);
  }
  if (histogram.low < 0 && histogram.high > 0) {
    const float zero = std::round(inner.min.x + inner.width() * static_cast<float>(-histogram.low / span));
    vertical_line(ui, zero, inner.min.y, inner.max.y, ui.colors.text3);
    const float from_ends = std::min(zero - axis.min.x, axis.max.x - zero);
    if (hovered.empty() && from_ends > ui.px(70)) {
      text_in(ui, {{zero - ui.px(20), axis.min.y}, {zero + ui.px(20), axis.max.y}}, Type::mono11, ui.colors.text2, "0",
              0.5f);
    }
  }
  draw_range_handles(ui, handles, inner);
  text_in(ui, axis, Type::mono11, ui.colors.text2, number_label(histogram.low, 4, true));
  text_in(ui, axis, Type::mono11, ui.colors.text2, number_label(histogram.high, 4, true), 1);
  if (!hovered.empty()) text_in(ui, axis, Type::mono11, ui.colors.text, hovered, 0.5f);
  text_in(ui, {{inner.min.x, inner.min.y}, {inner.max.x, inner.min.y + ui.px(12)}}, Type::mono11, ui.colors.text3,
          fmt::format("{}", most), 1);
}

}  // namespace

float statistics_height(Ui& ui, const Inspected& inspected) {
  const bool two = inspected.matrix.size() != inspected.data.trace().tensor(inspected.stage).size();
  constexpr float rows = 8;
  return ui.px(kStatisticsTitle) + (rows + (two ? 1.0f : 0.0f)) * ui.px(kStatisticsRow) + ui.px(kHistogram) +
         ui.px(kAxis) + ui.px(kBelow) + ui.px(6);
}

void draw_statistics(Ui& ui, const Inspected& inspected, const Rect& area) {
  ui.mark("inspector/statistics", area);
  draw_range_buttons(ui, inspected,
                     section_title(ui, {area.min, {area.max.x, area.min.y + ui.px(kStatisticsTitle)}}, "Statistics",
                                   std::string(stage_name(inspected.stage))));
  float y = area.min.y + ui.px(kStatisticsTitle) - ui.px(2);
  draw_rows(ui, inspected, area, y);
  y += ui.px(6);
  draw_statistics_histogram(ui, inspected, {{area.min.x, y}, {area.max.x, y + ui.px(kHistogram) + ui.px(kAxis)}});
}

}  // namespace headscope::ui
