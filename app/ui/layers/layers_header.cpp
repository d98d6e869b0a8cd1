// The header of the view over all layers and heads: what stands in the grid, in which order, in which colours.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/layers/layers_panel.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kRow = 44, kOneRowFrom = 1330;
constexpr const char* kTokens = "layers/tokens";

bool one_row(const Ui& ui, float width) {
  return width >= ui.px(kOneRowFrom);
}

// Metrics that the heads of this model have, in their order; the picked ones stay.
std::vector<HeadMetric> metrics_of(const LayersShown& shown, const LayersView& view) {
  std::vector<HeadMetric> metrics;
  for (const HeadMetric metric : all_head_metrics()) {
    bool there = view.sort == metric || view.filter == metric;
    for (std::int64_t l = 0; l < shown.layers && !there; ++l) {
      const HeadResult* head = shown.head_result(l, 0);
      there = head != nullptr && head->metrics[metric].rows > 0;
    }
    if (there) metrics.push_back(metric);
  }
  return metrics;
}

// A combo over "none of them" and the metrics.
struct MetricChoice {
  const char* name;  // of the control
  const char* none;  // the first line
  const char* tip;   // while none is chosen
  const std::vector<HeadMetric>& metrics;
};

void metric_combo(Ui& ui, const Rect& rect, const MetricChoice& choice, std::optional<HeadMetric>& value) {
  std::vector<std::string> items = {choice.none};
  int selected = 0;
  for (const HeadMetric metric : choice.metrics) {
    if (value == metric) selected = static_cast<int>(items.size());
    items.emplace_back(metric_name(metric));
  }
  const std::string words = value ? std::string(metric_formula(*value)) : std::string(choice.tip);
  if (!combo(ui, choice.name, rect, items, selected, {{true, false, words.c_str()}, Type::words12})) return;
  if (selected <= 0 || selected > static_cast<int>(choice.metrics.size())) {
    value.reset();
  } else {
    value = choice.metrics[static_cast<std::size_t>(selected) - 1];
  }
}

void label(Ui& ui, Rect& line, const char* words) {
  const float width = std::ceil(text_width(ui, Type::words12, words));
  text_in(ui, take_left(line, width + 1, ui.px(8)), Type::words12, ui.colors.text2, words);
}

void draw_sort_and_filter(Ui& ui, const LayersShown& shown, Rect line) {
  LayersView& view = ui.session.view.layers;
  const std::vector<HeadMetric> metrics = metrics_of(shown, view);
  label(ui, line, "sort");
  metric_combo(ui, take_left(line, ui.px(122), ui.px(18)),
               {.name = "layers/sort",
                .none = "by position",
                .tip = "A row for every layer, or all heads one after the other, the largest value of a metric first.",
                .metrics = metrics},
               view.sort);
  label(ui, line, "filter");
  const bool was_filtered = view.filter.has_value();
  metric_combo(ui, take_left(line, ui.px(122), ui.px(6)),
               {.name = "layers/filter", .none = "none", .tip = "Dims the heads that do not pass.", .metrics = metrics},
               view.filter);
  if (!was_filtered) return;
  int below = view.filter_below ? 1 : 0;
  const Rect sign = take_left(line, ui.px(58), ui.px(6));
  if (segments(ui, "layers/filter_sign", sign, {">", "<"}, below,
               {true, false, "Heads pass whose value is more, or less, than the number."})) {
    view.filter_below = below == 1;
  }
  number_field(ui, "layers/filter_value", take_left(line, ui.px(60), ui.px(12)), view.filter_value, false,
               {true, false, "What the metric is held against."});
  const std::string count = fmt::format("{} of {} pass", shown.passing, shown.order.size());
  const std::string all = count + "; the rest are dimmed";
  const bool roomy = text_width(ui, Type::words12, all) <= line.width();
  text_in(ui, line, Type::words12, ui.colors.text2, roomy ? all : count);
  ui.mark("layers/" + count, line);
}

void draw_token_menu(Ui& ui, const Rect& rect) {
  Request& draft = ui.session.draft;
  const char* tip =
      "Hides columns of special tokens or of the first one, and merges pieces into words, here, in exports and in "
      "metrics: options of the request, which also has top-p and value norms. The computed numbers stay what they are.";
  const std::string words = showing_of(draft).changes_something() ? "tokens: changed" : "tokens: all";
  if (button(ui, kTokens, rect, words, {true, false, tip})) ui.state.open_combo = kTokens;
  const int picked = take_chosen(ui, kTokens);
  const auto hide = [&](HideTokens tokens) {
    draft.hide_tokens = draft.hide_tokens == tokens ? HideTokens::none : tokens;
  };
  if (picked >= 0) ui.session.end_undo_step();
  if (picked == 0) hide(HideTokens::special);
  if (picked == 1) hide(HideTokens::first);
  if (picked == 2) draft.renormalise = !draft.renormalise;
  if (picked == 3) draft.groups = draft.groups == GroupBy::words ? GroupBy::pieces : GroupBy::words;
  if (ui.state.open_combo != kTokens) return;
  show_menu(ui, kTokens, rect,
            {{"hide special tokens", "", true, draft.hide_tokens == HideTokens::special},
             {"hide the first token", "", true, draft.hide_tokens == HideTokens::first},
             {"renormalise rows", "", true, draft.renormalise},
             {"merge pieces into words", "", true, draft.groups == GroupBy::words, true}},
            ui.px(250));
}

void draw_view_controls(Ui& ui, Rect& line) {
  LayersView& view = ui.session.view.layers;
  std::vector<std::string> items = {"heads"};
  int selected = 0;
  for (const Aggregate aggregate : all_aggregates()) {
    if (view.aggregate == aggregate) selected = static_cast<int>(items.size());
    items.emplace_back(aggregate_name(aggregate));
  }
  const Rect kinds = take_right(line, ui.px(284), ui.px(6));
  const std::string formula = view.aggregate ? std::string(aggregate_formula(*view.aggregate))
                                             : "Every head by itself, or one map made of all of them.";
  if (segments(ui, "layers/aggregate", kinds, items, selected, {true, false, formula.c_str()})) {
    view.aggregate.reset();
    if (selected > 0) view.aggregate = all_aggregates()[static_cast<std::size_t>(selected) - 1];
  }
  color_map_combo(ui, "layers/colormap", take_right(line, ui.px(92), ui.px(6)), true);
  int norms = view.norms ? 1 : 0;
  const Rect what = take_right(line, ui.px(118), ui.px(6));
  if (combo(ui, "layers/quantity", what, {"weights", "value-weighted"}, norms,
            {{!view.aggregate, false,
              view.aggregate ? "Aggregates are made of weights."
                             : "weights, or |w (v Wo)|: how much each weight moves "
                               "of the output (Kobayashi et al. 2020)."},
             Type::words12})) {
    view.norms = norms == 1;
  }
  draw_token_menu(ui, take_right(line, ui.px(112), ui.px(6)));
}

}  // namespace

float layers_header_height(const Ui& ui, float width) {
  return ui.px(one_row(ui, width) ? kRow : 2 * kRow - 8);
}

void draw_layers_header(Ui& ui, const LayersShown& shown, const Rect& area) {
  const float padding = ui.px(size::panel_padding);
  const auto row_at = [&](float middle) {
    const float top = std::round(middle - ui.px(size::control_height) / 2);
    return Rect{{area.min.x + padding, top}, {area.max.x - padding, top + ui.px(size::control_height)}};
  };
  Rect line = row_at(area.min.y + ui.px(kRow / 2));
  draw_view_controls(ui, line);
  const std::string fact = fmt::format("{} heads, {} × {}", shown.all_heads(),
                                       shown.all_heads() / std::max<std::int64_t>(1, shown.heads), shown.heads);
  const float fact_width = std::ceil(text_width(ui, Type::words12, fact)) + 1;
  const bool single = one_row(ui, area.width());
  if (line.width() > fact_width + (single ? ui.px(640) : 0)) {
    text_in(ui, take_left(line, fact_width, ui.px(20)), Type::words12, ui.colors.text2, fact);
  }
  draw_sort_and_filter(ui, shown, single ? line : row_at(area.min.y + ui.px(kRow + kRow / 2 - 8)));
}

}  // namespace headscope::ui
