// Gradient x weight of every head as a small map, a row a layer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/gradients/gradients_panel.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/main_view.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/map/word_grid.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/picture/heatmap_spec.h"

namespace headscope::ui {
namespace {

constexpr float kWords = 98, kLine = 20;

void draw_tile(Ui& ui, const GradientsShown& shown, const LayerHead& at, const Rect& place) {
  const float gap = ui.px(3);
  const Rect inner{place.min, {place.max.x - gap, place.max.y - gap}};
  HeatmapSpec spec;
  spec.matrix = matrix_at(shown.found.layers[static_cast<std::size_t>(at.layer)].product, 0, at.head);
  spec.mask = shown.found.trace->model->layers[static_cast<std::size_t>(at.layer)]->mask;
  spec.head = at.head;
  spec.rows = static_cast<double>(spec.matrix.dim(0));
  spec.columns = static_cast<double>(spec.matrix.dim(1));
  spec.width = static_cast<int>(inner.width());
  spec.height = static_cast<int>(inner.height());
  spec.map = color_map_of(ui, false);
  const double end = shown.end_of(shown.of(at.layer, at.head));
  spec.range = {-end, end, false, false};
  spec.theme = ui.settings.theme;
  spec.pixel_scale = static_cast<double>(ui.scale);
  spec.grid = false;
  const TextureId texture = ui.textures.heatmap(spec);
  if (texture == 0) return fill(inner, ui.colors.well);
  canvas().AddImage(compat::texture(texture), inner.min, inner.max);
}

std::string head_words(const HeadWeightGradients& head) {
  return fmt::format("layer {}, head {}: sum {}, of absolute values {}", head.layer, head.head,
                     number_label(head.sum, 4), number_label(head.absolute, 4));
}

void draw_words(Ui& ui, const GradientsShown& shown, const HeadWeightGradients& here, const Rect& area) {
  const WeightGradients& found = shown.found;
  const double end = shown.end_of(here);
  const float bar = std::min(ui.px(200), area.width() / 3);
  color_bar(ui, {{area.min.x, area.min.y + ui.px(8)}, {area.min.x + bar, area.min.y + ui.px(18)}},
            color_map_of(ui, false), {-end, end, false, false}, true);
  const Rect beside{{area.min.x + bar + ui.px(16), area.min.y}, area.max};
  float y = area.min.y + ui.px(2);
  const auto line = [&](Rgba color, const std::string& words) {
    text_in(ui, row(beside, y, ui.px(kLine)), Type::words12, color, words);
  };
  line(ui.colors.text2,
       fmt::format("gradient × weight of the {}: {}", gradient_metric_words(shown), number_label(found.value, 4)));
  line(ui.colors.text, "strongest: " + head_words(shown.strongest()));
  const std::string words = head_words(here);
  if (&here != &shown.strongest()) line(ui.colors.text, words);
  ui.mark("gradients/readout: " + words, area);
}

}  // namespace

std::string gradient_metric_words(const GradientsShown& shown) {
  const WeightGradients& found = shown.found;
  const std::string metric = sweep_metric_text(*found.trace->model->checkpoint, found.metric);
  if (found.metric.kind == SweepMetric::Kind::loss) return metric;
  const std::string token = visible_piece(token_or_index(found.trace->inputs->tokens, found.position));
  return fmt::format("{}, at {} {}", metric, found.position, token);
}

void draw_gradients_grid(Ui& ui, const GradientsShown& shown, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  WordGrid grid;
  grid.name = kGradientsGrid;
  grid.cell_name = "gradients/head/";
  grid.rows = std::ssize(shown.found.layers);
  grid.columns = shown.found.trace->num_heads();
  grid.picked = Cell{shown.layer, shown.head};
  grid.picture = [&](std::int64_t layer, std::int64_t head, const Rect& place) {
    draw_tile(ui, shown, {layer, head}, place);
  };
  grid.row_name = [&ui](std::int64_t at) { return std::string(said(ui, fmt::format("layer {}", at))); };
  grid.column_name = [](std::int64_t at) { return fmt::format("{}", at); };
  grid.column_color = ui.colors.text2;
  const WordGridInput input =
      draw_word_grid(ui, grid, {{area.min.x + pad, area.min.y}, {area.max.x - pad, area.max.y - ui.px(kWords + 4)}});
  if (input.moved) ui.session.view.gradients.head = LayerHead{input.moved->row, input.moved->column};
  if (input.opened) open_one_layer(ui, input.opened->row, input.opened->column);
  const HeadWeightGradients& here =
      input.hovered ? shown.of(input.hovered->row, input.hovered->column) : shown.picked();
  draw_words(ui, shown, here, {{area.min.x + pad, input.bottom + ui.px(4)}, {area.max.x - pad, area.max.y}});
}

}  // namespace headscope::ui
