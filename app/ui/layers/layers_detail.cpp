// The picked head beside the grid: its whole map with tokens, numbers, colour bar and readout.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/control_words.h"
#include "app/session/session.h"
#include "app/ui/heads/head_menu.h"
#include "app/ui/layers/layers_panel.h"
#include "app/ui/map/map_with_axes.h"
#include "app/ui/request/head_changes.h"
#include "app/ui/widgets/widgets.h"
#include "core/heads/token_groups.h"

namespace headscope::ui {
namespace {

constexpr float kReadout = 26;
constexpr const char *kPicture = "layers/picture", *kAggregate = "layers/aggregate_picture";

void draw_detail_header(Ui& ui, const LayersShown& shown, const Rect& area) {
  const HeadResult* result = shown.head_result(shown.layer, shown.head);
  Rect all = area;
  Rect right = take_right(all, ui.px(size::panel_padding) + ui.px(104 + 30), 0);
  right.max.x -= ui.px(size::panel_padding);
  const std::string fact =
      result != nullptr ? "entropy " + number_label(result->metrics[HeadMetric::entropy].value, 2) + " bit" : "";
  panel_header(ui, all, fmt::format("Layer {}, head {}", shown.layer, shown.head), fact);
  const LayerHead place{shown.layer, shown.head};
  const bool off = is_off(ui, place);
  const char* stays = why_heads_stay(ui);
  const float y = std::round(area.center().y - ui.px(12));
  const Rect more = take_right(right, ui.px(24), ui.px(6));
  if (icon_button(ui, "layers/more", {{more.min.x, y}, {more.max.x, y + ui.px(24)}}, Icon::menu_dots,
                  {true, false, "Holds the head's weights, multiplies its query or key (Ctrl+H)."})) {
    open_head_menu(ui, place);
  }
  answer_head_menu(ui, place, more);
  if (button(ui, "layers/switch", {{right.min.x, y}, {right.max.x, y + ui.px(24)}},
             off ? "Switch on  X" : "Switch off  X",
             {off || stays == nullptr, false,
              off || stays == nullptr ? "A head that is off adds nothing: its context is set to zero." : stays})) {
    switch_head(ui, place);
  }
}

// The map with its readout line below; returns the y below both.
float draw_map_and_readout(Ui& ui, const char* name, HeatmapView& view, const MapAxes& axes, const MapPlace& place,
                           bool picked) {
  const Rect& area = place.area;
  const DrawnMap map = draw_map_with_axes(
      ui, name, view, axes, {.area = area, .most_height = std::max(0.0f, place.most_height - ui.px(kReadout + 16))},
      {.picked = picked});
  const float y = map.bottom + ui.px(8);
  const Rect box{{area.min.x + ui.px(14), y}, {area.max.x - ui.px(14), y + ui.px(kReadout)}};
  std::string number;
  if (map.at) {
    const std::optional<double> value =
        cell_value(view.matrix, true, view.large ? &*view.large : nullptr, view.grid, *map.at);
    number = value ? number_label(*value, 4) : "…";
  }
  draw_map_readout(ui, box, axes, map.at, number);
  ui.mark("layers/readout", box);
  return box.max.y + ui.px(8);
}

}  // namespace

float draw_layers_detail(Ui& ui, const LayersShown& shown, const Rect& area, float below) {
  draw_detail_header(ui, shown, {area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}});
  const Rect body{{area.min.x, area.min.y + ui.px(size::panel_header)}, area.max};
  const float most = std::max(ui.px(220), body.height() - below);
  HeatmapView view;
  view.map = shown.map;
  view.range = {0, shown.largest, ui.session.view.log_scale, false};
  if (shown.result.picked) {
    view.matrix = shown.result.picked->matrix;
    if (view.matrix.empty()) {
      text_in(ui, inset(body, ui.px(14)), Type::words12, ui.colors.text3, "Every column is hidden.");
      return body.min.y + ui.px(40);
    }
    view.mask = shown.result.picked->mask;
    const bool own_cells = !showing_of(shown.trace->request).changes_something();
    return draw_map_and_readout(ui, kPicture, view,
                                {shown.result.groups->row_labels, shown.result.groups->column_labels}, {body, most},
                                own_cells);
  }
  PanelData& data = shown.data;
  view.matrix = data.matrix(StageId::weights, shown.batch, shown.head);
  view.mask = data.mask(StageId::weights);
  view.batch = shown.batch;
  view.head = shown.head;
  view.large = large_map_of(data, StageId::weights, shown.batch, shown.head, ui.session.view.pooling);
  return draw_map_and_readout(ui, kPicture, view, {data.rows(StageId::weights), data.columns(StageId::weights)},
                              {body, most}, true);
}

void draw_layers_aggregate(Ui& ui, const LayersShown& shown, const Rect& area) {
  const auto& result = shown.result.aggregate;
  const Aggregate aggregate = *ui.session.view.layers.aggregate;
  const float padding = ui.px(14);
  Rect rest{{area.min.x, area.min.y + ui.px(10)}, area.max};
  const Rect words{{rest.min.x + padding, rest.min.y}, {rest.max.x - padding, rest.min.y}};
  rest.min.y += paragraph(ui, words, Type::words12, ui.colors.text2, aggregate_formula(aggregate)) + ui.px(4);
  const std::string tokens = shown_sentence(*shown.trace);
  if (!tokens.empty()) {
    const Rect line{{words.min.x, rest.min.y}, {words.max.x, rest.min.y}};
    rest.min.y += paragraph(ui, line, Type::words11, ui.colors.text3, tokens) + ui.px(2);
  }
  ui.mark("layers/aggregate_map", rest);
  if (!result || !result->failure.empty() || result->matrix.empty()) {
    const Rect line{{words.min.x, rest.min.y + ui.px(10)}, {words.max.x, rest.min.y + ui.px(10)}};
    const std::string why = !result                   ? "Computing …"
                            : result->failure.empty() ? "Every column is hidden."
                                                      : control_words(result->failure);
    paragraph(ui, line, Type::words12, result && !result->failure.empty() ? ui.colors.text : ui.colors.text3, why);
    ui.mark("layers/aggregate_failure", rest);
    return;
  }
  HeatmapView view;
  view.matrix = result->matrix;
  view.mask = result->mask;
  view.map = shown.map;
  view.range = {0, 1, ui.session.view.log_scale, false};
  draw_map_and_readout(ui, kAggregate, view, {shown.result.groups->row_labels, shown.result.groups->column_labels},
                       {rest, rest.height()}, false);
}

}  // namespace headscope::ui
