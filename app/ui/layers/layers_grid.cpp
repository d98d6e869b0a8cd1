// The grid of all layers and heads: pictures, the strip of the layers, mouse and keys.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/heads/head_menu.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/layers/layers_layout.h"
#include "app/ui/layers/layers_panel.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/request/head_changes.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kPadding = 14, kHeads = 26, kLegend = 44, kNarrowTile = 44;
constexpr const char* kName = "layers/grid";

struct Grid {
  const LayersShown& shown;
  LayersLayout layout;
  Rect area;  // of the pictures that are seen
  float scrolled = 0;
  bool sorted = false;

  Rect place(std::int64_t index) const {
    const Rect at = layout.place(index);
    const ImVec2 origin{area.min.x, area.min.y - scrolled};
    return {{origin.x + at.min.x, origin.y + at.min.y}, {origin.x + at.max.x, origin.y + at.max.y}};
  }
  std::int64_t index_of(std::int64_t layer, std::int64_t head) const {
    const auto found = std::find(shown.order.begin(), shown.order.end(), LayerHead{layer, head});
    return found == shown.order.end() ? -1 : found - shown.order.begin();
  }
};

std::string tile_name(const LayerHead& at) {
  return fmt::format("layers/{}.{}", at.layer, at.head);
}

void pick(Ui& ui, const LayerHead& at) {
  ui.session.view.layers.layer = at.layer;
  ui.session.view.head = at.head;
}

// The head in the main view: its layer becomes the request's.
void open_head(Ui& ui, const LayerHead& at) {
  ui.session.end_undo_step();
  pick(ui, at);
  ui.session.draft.layer = at.layer;
  ui.session.view.stage = ui.session.view.quantity = StageId::weights;
  ui.session.view.main_view = MainView::layer;
  ui.state.focus = fmt::format("heads/{}", at.head);
}

void draw_picture(Ui& ui, const Grid& grid, const HeadResult* head, const Rect& place, bool dimmed) {
  if (head == nullptr || head->picture.empty()) {
    fill(place, ui.colors.well);
    if (head == nullptr) text_in(ui, place, Type::words11, ui.colors.text3, "…", 0.5f);
    return;
  }
  HeatmapSpec spec;
  spec.matrix = head->picture;
  spec.mask = head->mask;
  spec.rows = static_cast<double>(head->picture.dim(0));
  spec.columns = static_cast<double>(head->picture.dim(1));
  spec.width = static_cast<int>(place.width());
  spec.height = static_cast<int>(place.height());
  spec.map = grid.shown.map;
  spec.range = {0, grid.shown.largest, ui.session.view.log_scale, false};
  spec.theme = ui.settings.theme;
  spec.pixel_scale = static_cast<double>(ui.scale);
  spec.grid = false;
  const TextureId texture = ui.textures.heatmap(spec);
  if (texture == 0) return fill(place, ui.colors.well);
  const ImU32 tint = IM_COL32(255, 255, 255, dimmed ? 64 : 255);
  canvas().AddImage(compat::texture(texture), place.min, place.max, {0, 0}, {1, 1}, tint);
}

void draw_off_mark(Ui& ui, const Rect& place) {
  outline(ui, inset(place, -ui.px(1)), ui.colors.bad, 2);
  const float side = std::min(ui.px(15), std::round(place.width() / 2));
  const Rect box{{place.max.x - side, place.min.y}, {place.max.x, place.min.y + side}};
  fill(box, ui.colors.bad, ui.px(2));
  const float a = std::round(side * 0.3f);
  const ImU32 ink = IM_COL32(0, 0, 0, 255);
  canvas().AddLine({box.min.x + a, box.min.y + a}, {box.max.x - a, box.max.y - a}, ink, ui.px(2));
  canvas().AddLine({box.min.x + a, box.max.y - a}, {box.max.x - a, box.min.y + a}, ink, ui.px(2));
}

void draw_tile(Ui& ui, const Grid& grid, std::int64_t index, const Rect& place) {
  const LayersView& view = ui.session.view.layers;
  const LayerHead at = grid.shown.order[static_cast<std::size_t>(index)];
  const HeadResult* head = grid.shown.head_result(at.layer, at.head);
  const bool dimmed = head != nullptr && !passes(view, head->metrics);
  const bool selected = at == LayerHead{grid.shown.layer, grid.shown.head};
  draw_picture(ui, grid, head, place, dimmed);
  if (grid.sorted) {
    const float label = grid.layout.label;
    Rect line{{place.min.x, place.min.y - label}, {place.max.x, place.min.y}};
    if (head != nullptr && view.sort && place.width() >= ui.px(72)) {
      const std::string value = number_label(head->metrics[*view.sort].value, 2);
      text_in(ui, line, Type::mono11, ui.colors.text2, value, 1);
    }
    text_in(ui, line, selected ? Type::title12 : Type::mono11, selected ? ui.colors.text : ui.colors.text2,
            fmt::format("{}.{}", at.layer, at.head));
  }
  if (is_off(ui, at)) draw_off_mark(ui, place);
  if (!selected) return;
  outline(ui, inset(place, -ui.px(3)), ui.colors.accent, 2, ui.px(4));
  answer_head_menu(ui, at, place);
}

void draw_head_numbers(Ui& ui, const Grid& grid, const Rect& line) {
  const bool words = grid.layout.tile >= ui.px(kNarrowTile);
  const std::int64_t step = grid.layout.tile >= ui.px(18) || words ? 1 : 2;
  for (std::int64_t h = 0; h < grid.shown.heads; h += step) {
    const Rect place = grid.layout.place(h);
    const Rect label{{grid.area.min.x + place.min.x - grid.layout.gap, line.min.y},
                     {grid.area.min.x + place.max.x + grid.layout.gap, line.max.y}};
    const bool selected = h == grid.shown.head;
    text_in(ui, label, selected ? Type::mono_bold12 : Type::mono11, selected ? ui.colors.text : ui.colors.text2,
            words ? fmt::format("head {}", h) : std::to_string(h), 0.5f);
  }
}

// One layer of the strip: its number and the mean entropy of its heads, as a bar and in bits.
void draw_layer_strip(Ui& ui, const Grid& grid, std::int64_t layer, const Rect& line, double most) {
  const bool selected = layer == grid.shown.layer;
  if (selected) {
    const Rect ground{{line.min.x - ui.px(7), line.min.y}, {grid.area.min.x - ui.px(2), line.max.y}};
    fill(ground, ui.colors.tint, ui.px(3));
  }
  const Rgba ink = selected ? ui.colors.text : ui.colors.text2;
  const auto& result = grid.shown.result.layers[static_cast<std::size_t>(layer)];
  const std::string entropy = result ? number_label(result->mean_entropy, 2) : "…";
  if (line.height() < ui.px(kNarrowTile)) {
    text_in(ui, line, selected ? Type::title12 : Type::words12, ink, std::to_string(layer));
    text_in(ui, {line.min, {grid.area.min.x - ui.px(10), line.max.y}}, Type::mono11, ui.colors.text2, entropy, 1);
    return;
  }
  const float middle = std::round(line.center().y);
  text_in(ui, {{line.min.x, middle - ui.px(21)}, {line.max.x, middle - ui.px(5)}},
          selected ? Type::title12 : Type::words12, ink, fmt::format("layer {}", layer));
  const Rect bar{{line.min.x, middle - ui.px(2)}, {line.min.x + ui.px(52), middle + ui.px(3)}};
  fill(bar, ui.colors.well);
  if (result && most > 0 && std::isfinite(result->mean_entropy)) {
    const float share = static_cast<float>(std::clamp(result->mean_entropy / most, 0.0, 1.0));
    fill({bar.min, {bar.min.x + std::round(bar.width() * share), bar.max.y}}, ui.colors.text2);
  }
  text_in(ui, {{line.min.x, middle + ui.px(5)}, {line.max.x, middle + ui.px(21)}}, Type::mono11, ui.colors.text2,
          entropy);
}

// Arrows move, Enter opens, X switches the head off and on.
void read_keys(Ui& ui, const Grid& grid, double& followed) {
  const auto count = static_cast<std::int64_t>(grid.shown.order.size());
  const std::int64_t at = std::max<std::int64_t>(0, grid.index_of(grid.shown.layer, grid.shown.head));
  std::int64_t next = at;
  if (const std::optional<Cell> step = take_arrow(ui)) {
    const bool leaves_row = step->column != 0 && (at % grid.layout.columns) + step->column < 0;
    const bool wraps = step->column != 0 && (at % grid.layout.columns) + step->column >= grid.layout.columns;
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
    followed = -1;
    ui.state.wants_frame = true;
  }
}

std::string tip_of(const Grid& grid, const LayerHead& at) {
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
std::int64_t under_mouse(const Ui& ui, const Grid& grid) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!mouse_over(ui, grid.area)) return -1;
  for (std::size_t k = 0; k < grid.shown.order.size(); ++k) {
    if (grid.place(static_cast<std::int64_t>(k)).contains(mouse)) return static_cast<std::int64_t>(k);
  }
  return -1;
}

void read_mouse(Ui& ui, const Grid& grid, std::int64_t index) {
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
void follow(Ui& ui, const Grid& grid, double& followed) {
  const std::int64_t index = grid.index_of(grid.shown.layer, grid.shown.head);
  if (index < 0 || followed == static_cast<double>(index) || !grid.layout.scrolls) return;
  followed = static_cast<double>(index);
  double& offset = ui.state.number["layers/grid/scroll"];
  const Rect place = grid.layout.place(index);
  const double top = static_cast<double>(place.min.y - grid.layout.label - ui.px(4));
  const double bottom = static_cast<double>(place.max.y + ui.px(6));
  offset = std::min(top, std::max(offset, bottom - static_cast<double>(grid.area.height())));
  offset = std::max(0.0, offset);
}

void draw_legend(Ui& ui, const Grid& grid, const Rect& area) {
  const float bar = std::min(ui.px(200), area.width() / 2);
  const Rect place{{area.min.x, area.min.y + ui.px(8)}, {area.min.x + bar, area.min.y + ui.px(18)}};
  color_bar(ui, place, grid.shown.map, {0, grid.shown.largest, ui.session.view.log_scale, false}, true);
  const Rect words{{place.max.x + ui.px(14), area.min.y + ui.px(4)}, {area.max.x, area.min.y + ui.px(22)}};
  const std::string what = ui.session.view.layers.norms ? std::string(value_weighted_formula())
                                                        : std::string("weight, one range for all heads");
  text_in(ui, words, Type::words11, ui.colors.text2, what);
  const std::string tokens = token_view_sentence(ui.session.view.layers.tokens);
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
  Grid grid{shown,
            layers_layout(inner.width() - ui.px(6), inner.height() - heads - ui.px(kLegend), shown.layers, shown.heads,
                          sorted, ui.scale),
            {},
            0,
            sorted};
  grid.area = {{inner.min.x + grid.layout.left, inner.min.y + heads}, {inner.max.x, inner.max.y - ui.px(kLegend)}};
  if (grid.area.width() < ui.px(20) || grid.area.height() < ui.px(20)) return;
  double& followed = ui.state.number["layers/followed"];
  follow(ui, grid, followed);
  if (!sorted) {
    const Rect line{{inner.min.x, inner.min.y}, {inner.max.x, inner.min.y + heads - ui.px(4)}};
    text_in(ui, line, Type::words11, ui.colors.text3, "entropy");
    draw_head_numbers(ui, grid, line);
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
    if (!sorted && index % grid.layout.columns == 0) {
      draw_layer_strip(ui, grid, index / grid.layout.columns,
                       {{inner.min.x, place.min.y}, {grid.area.min.x, place.max.y}}, most * 1.25);
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
