// The grid of all layers and heads: where its pictures lie, mouse and keys.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/heads/head_menu.h"
#include "app/ui/layers/layers_panel.h"
#include "app/ui/layers/layers_tiles.h"
#include "app/ui/main_view.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/request/head_changes.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/fitting_words.h"
#include "app/ui/widgets/widgets.h"
#include "core/heads/token_groups.h"

namespace headscope::ui {
namespace {

constexpr float kPadding = 14, kHeads = 26, kLegend = 44;
constexpr const char* kName = "layers/grid";

void pick(Ui& ui, const LayerHead& at) {
  ui.session.view.layers.layer = at.layer;
  ui.session.view.head = at.head;
}

// The head in the main view: its layer becomes the request's.
void open_head(Ui& ui, const LayerHead& at) {
  open_one_layer(ui, at.layer, at.head);
  pick(ui, at);
}

// Arrows move, Enter opens, X switches the head off and on.
void read_keys(Ui& ui, const LayersGrid& grid, std::optional<std::int64_t>& followed) {
  const auto count = static_cast<std::int64_t>(grid.shown.order.size());
  const std::int64_t at = std::max<std::int64_t>(0, grid.index_of(grid.shown.layer, grid.shown.head));
  std::int64_t next = at;
  if (const std::optional<Cell> step = take_arrow(ui)) {
    // The heads of a layer may stand in several rows.
    const bool leaves_row = step->column != 0 && (at % grid.shown.heads) + step->column < 0;
    const bool wraps = step->column != 0 && (at % grid.shown.heads) + step->column >= grid.shown.heads;
    const std::int64_t moved = at + step->column + step->row * grid.layout.columns;
    if (moved >= 0 && moved < count && (grid.sorted || (!leaves_row && !wraps))) next = moved;
  } else if (ui.take_key(KeyName::home)) {
    next = 0;
  } else if (ui.take_key(KeyName::end)) {
    next = count - 1;
  } else if (ui.take_key(KeyName::enter)) {
    open_head(ui, grid.shown.order[static_cast<std::size_t>(at)]);
  } else if (ui.take_key(KeyName::x)) {
    switch_head(ui, {grid.shown.layer, grid.shown.head});
  }
  if (next != at) {
    pick(ui, grid.shown.order[static_cast<std::size_t>(next)]);
    followed.reset();
    ui.state.wants_frame = true;
  }
}

std::string tip_of(const LayersGrid& grid, const LayerHead& at) {
  const HeadResult* head = grid.shown.head_result(at.layer, at.head);
  std::string tip = fmt::format("{} Layer {}, head {}", kHeadMenuHint, at.layer, at.head);
  if (head == nullptr) return tip;
  for (const HeadMetric metric : all_head_metrics()) {
    const MetricValue& value = head->metrics[metric];
    if (value.rows == 0 || metric == HeadMetric::uniform) continue;
    tip += fmt::format(" · {} {}", metric_name(metric), number_label(value.value, 2));
  }
  return tip;
}

// The picture under the mouse; -1: none.
std::int64_t under_mouse(const Ui& ui, const LayersGrid& grid) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!mouse_over(ui, grid.area)) return -1;
  for (std::size_t k = 0; k < grid.shown.order.size(); ++k) {
    if (grid.place(static_cast<std::int64_t>(k)).contains(mouse)) return static_cast<std::int64_t>(k);
  }
  return -1;
}

void read_mouse(Ui& ui, const LayersGrid& grid, std::int64_t index) {
  const LayerHead at = grid.shown.order[static_cast<std::size_t>(index)];
  const Rect place = grid.place(index);
  const std::string tip = tip_of(grid, at);
  const Interaction it = interact_mouse(ui, tile_name(at), place, {true, false, tip.c_str()}, false);
  if (it.hovered) outline(ui, inset(place, -ui.px(1)), ui.colors.text2, 1);
  if (it.clicked) {
    pick(ui, at);
    ui.state.focus = kName;
    ui.state.focus_by_keyboard = false;
  }
  if (it.double_clicked) open_head(ui, at);
  if (it.right_clicked) {
    pick(ui, at);
    open_head_menu(ui, at);
  }
}

// Scrolls to the picked head when it changed, by whatever control.
void follow(Ui& ui, const LayersGrid& grid, std::optional<std::int64_t>& followed) {
  const std::int64_t index = grid.index_of(grid.shown.layer, grid.shown.head);
  if (index < 0 || followed == index || !grid.layout.scrolls) return;
  followed = index;
  double& offset = ui.state.panels.get<ScrollOffsets>().down["layers/grid"];
  const Rect place = grid.layout.place(index);
  const double top = static_cast<double>(place.min.y - grid.layout.label - ui.px(4));
  const double bottom = static_cast<double>(place.max.y + ui.px(6));
  offset = std::min(top, std::max(offset, bottom - static_cast<double>(grid.area.height())));
  offset = std::max(0.0, offset);
}

void draw_legend(Ui& ui, const LayersGrid& grid, const Rect& area) {
  const float bar = std::min(ui.px(200), area.width() / 2);
  const Rect place{{area.min.x, area.min.y + ui.px(8)}, {area.min.x + bar, area.min.y + ui.px(18)}};
  color_bar(ui, place, grid.shown.map, {0, grid.shown.largest, ui.session.view.log_scale, false}, true);
  const Rect words{{place.max.x + ui.px(14), area.min.y + ui.px(4)}, {area.max.x, area.min.y + ui.px(22)}};
  const std::string what = ui.session.view.layers.norms
                               ? std::string(value_weighted_formula())
                               : fitting_words(ui, Type::words11, words.width(),
                                               {"weight, one range for all heads", "one range for all", "weight"});
  text_in(ui, words, Type::words11, ui.colors.text2, what);
  const std::string tokens = shown_sentence(*grid.shown.trace);
  if (!tokens.empty()) {
    const Rect second{{words.min.x, words.max.y - ui.px(2)}, {words.max.x, words.max.y + ui.px(14)}};
    text_in(ui, second, Type::words11, ui.colors.text3, tokens);
    ui.mark("layers/tokens_sentence", second);
  }
}

}  // namespace

void draw_layers_grid(Ui& ui, const LayersShown& shown, const Rect& outer) {
  const bool sorted = ui.session.view.layers.sort.has_value();
  const float padding = ui.px(kPadding);
  const float heads = sorted ? ui.px(6) : ui.px(kHeads);
  Rect inner{{outer.min.x + padding, outer.min.y + ui.px(4)}, {outer.max.x - padding, outer.max.y}};
  LayersGrid grid{shown,
                  layers_layout(inner.width() - ui.px(6), inner.height() - heads - ui.px(kLegend), shown.layers,
                                shown.heads, sorted, ui.scale),
                  {},
                  0,
                  sorted};
  grid.area = {{inner.min.x + grid.layout.left, inner.min.y + heads}, {inner.max.x, inner.max.y - ui.px(kLegend)}};
  if (grid.area.width() < ui.px(20) || grid.area.height() < ui.px(20)) return;
  std::optional<std::int64_t>& followed = ui.state.panels.get<LayersState>().followed;
  follow(ui, grid, followed);
  if (!sorted) {
    const Rect line{{inner.min.x, inner.min.y}, {inner.max.x, inner.min.y + heads - ui.px(4)}};
    text_in(ui, line, Type::words11, ui.colors.text3, "entropy");
    if (grid.layout.label == 0) draw_head_numbers(ui, grid, line);
  }
  const Rect scrolled{{outer.min.x, grid.area.min.y - ui.px(3)}, {outer.max.x, grid.area.max.y}};
  const ScrollArea scroll =
      begin_scroll(ui, kName, scrolled, grid.layout.scrolls ? grid.layout.content_height + ui.px(6) : 0);
  grid.scrolled = scroll.offset;
  const std::int64_t pointed = under_mouse(ui, grid);
  // A picture under the mouse is a control of its own.
  const Interaction it = interact_mouse(ui, kName, pointed >= 0 ? Rect{grid.area.min, grid.area.min} : grid.area, {});
  if (it.focused) read_keys(ui, grid, followed);
  // The bars of the strip share one scale, so that layers can be compared.
  double most = 0;
  for (std::int64_t l = 0; l < shown.layers; ++l) {
    if (shown.known(l)) most = std::max(most, shown.result.layers[static_cast<std::size_t>(l)]->mean_entropy);
  }
  for (std::size_t k = 0; k < shown.order.size(); ++k) {
    const auto index = static_cast<std::int64_t>(k);
    const Rect place = grid.place(index);
    if (place.max.y < scrolled.min.y || place.min.y - grid.layout.label > scrolled.max.y) continue;
    if (!sorted && index % shown.heads == 0) {
      draw_layer_strip(ui, grid, index / shown.heads, {{inner.min.x, place.min.y}, {grid.area.min.x, place.max.y}},
                       most * 1.25);
    }
    draw_tile(ui, grid, index, place);
    ui.mark(tile_name(shown.order[k]), place);
  }
  if (pointed >= 0) read_mouse(ui, grid, pointed);
  end_scroll(ui);
  if (it.focused && ui.state.focus_by_keyboard) {
    const std::int64_t index = grid.index_of(shown.layer, shown.head);
    if (index >= 0) focus_ring(ui, inset(grid.place(index), -ui.px(2)), ui.px(4));
  }
  const float below = std::min(grid.area.max.y, grid.area.min.y + grid.layout.content_height);
  draw_legend(ui, grid, {{grid.area.min.x, below}, {inner.max.x, below + ui.px(kLegend)}});
}

}  // namespace headscope::ui
