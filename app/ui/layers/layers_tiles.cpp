#include "app/ui/layers/layers_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/heads/head_menu.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/request/head_changes.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kNarrowTile = 44;

void draw_picture(Ui& ui, const LayersGrid& grid, const LayerHead& at, const Rect& place, bool dimmed) {
  const HeadResult* head = grid.shown.head_result(at.layer, at.head);
  if (head == nullptr || head->picture.empty()) {
    fill(place, ui.colors.well);
    if (head == nullptr)
      text_in(ui, place, Type::words11, ui.colors.text3,
              grid.shown.is_missing(at.layer) ? grid.shown.missing_text(at.layer) : "…", 0.5f);
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

}  // namespace

std::string tile_name(const LayerHead& at) {
  return fmt::format("layers/{}.{}", at.layer, at.head);
}

void draw_tile(Ui& ui, const LayersGrid& grid, std::int64_t index, const Rect& place) {
  const LayersView& view = ui.session.view.layers;
  const LayerHead at = grid.shown.order[static_cast<std::size_t>(index)];
  const HeadResult* head = grid.shown.head_result(at.layer, at.head);
  const bool dimmed = head != nullptr && !passes(view, head->metrics);
  const bool selected = at == LayerHead{grid.shown.layer, grid.shown.head};
  draw_picture(ui, grid, at, place, dimmed);
  if (grid.layout.label > 0) {
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

void draw_head_numbers(Ui& ui, const LayersGrid& grid, const Rect& line) {
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

void draw_layer_strip(Ui& ui, const LayersGrid& grid, std::int64_t layer, const Rect& line, double most) {
  const bool selected = layer == grid.shown.layer;
  if (selected) {
    const Rect ground{{line.min.x - ui.px(7), line.min.y}, {grid.area.min.x - ui.px(2), line.max.y}};
    fill(ground, ui.colors.tint, ui.px(3));
  }
  const Rgba ink = selected ? ui.colors.text : ui.colors.text2;
  const auto& result = grid.shown.result.layers[static_cast<std::size_t>(layer)];
  const std::string entropy = result                         ? number_label(result->mean_entropy, 2)
                              : grid.shown.is_missing(layer) ? "missing"
                                                             : "…";
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

}  // namespace headscope::ui
