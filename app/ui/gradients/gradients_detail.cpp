// The picked head: its map of gradient x weight, the arithmetic of a cell, and what a layer's sum misses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/session/session.h"
#include "app/ui/gradients/gradients_panel.h"
#include "app/ui/main_view.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/map/map_with_axes.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"

namespace headscope::ui {
namespace {

constexpr float kReadout = 26, kSentence = 60;

// "1.2 × 0.41 = 0.49".
std::string product_words(const GradientsShown& shown, Cell at) {
  const auto layer = static_cast<std::size_t>(shown.layer);
  const LayerWeightGradients& found = shown.found.layers[layer];
  const Tensor& weights = shown.found.trace->model->layers[layer]->tensor(StageId::weights);
  const auto number = [&](const Tensor& tensor) {
    return number_label(static_cast<double>(tensor.at({0, shown.head, at.row, at.column})), 4);
  };
  return fmt::format("{} × {} = {}", number(found.gradient), number(weights), number(found.product));
}

std::string layer_words(const GradientsShown& shown) {
  const LayerWeightGradients& layer = shown.found.layers[static_cast<std::size_t>(shown.layer)];
  const std::string sum = number_label(layer.sum, 4);
  if (!layer.difference) {
    return fmt::format(
        "All heads of layer {} together: {}. Of first order: what a small change of the weights does, times the "
        "weights.",
        shown.layer, sum);
  }
  return fmt::format(
      "All heads of layer {} together: {}. Without any weight of this layer the number changes by {}: gap {} with {} "
      "steps.",
      shown.layer, sum, number_label(*layer.difference, 4), number_label(*layer.difference - layer.sum, 2),
      shown.query.steps);
}

}  // namespace

void draw_gradients_detail(Ui& ui, const GradientsShown& shown, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  Rect header{area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}};
  Rect buttons = header;
  Rect open = take_right(buttons, ui.px(112) + pad, 0);
  open = {{open.min.x, std::round(header.center().y - ui.px(12))}, {open.max.x - pad, 0}};
  open.max.y = open.min.y + ui.px(size::control_height);
  panel_header(ui, buttons, fmt::format("Layer {}, head {}", shown.layer, shown.head),
               "sum " + number_label(shown.picked().sum, 4));
  if (button(ui, "gradients/open", open, "Open the head",
             {true, false, "Its weights and all else in one layer: Enter."})) {
    open_one_layer(ui, shown.layer, shown.head);
  }
  const Trace& layer = *shown.found.trace->model->layers[static_cast<std::size_t>(shown.layer)];
  HeatmapView view;
  view.matrix = matrix_at(shown.found.layers[static_cast<std::size_t>(shown.layer)].product, 0, shown.head);
  view.mask = layer.mask;
  view.head = shown.head;
  view.map = color_map_of(ui, false);
  const double end = shown.end_of(shown.picked());
  view.range = {-end, end, false, false};
  view.weight_like = false;
  const std::vector<std::string> rows = layer.query_labels(), columns = layer.key_labels();
  const MapAxes axes{rows, columns};
  const Rect body{{area.min.x, header.max.y}, area.max};
  const float most = std::max(ui.px(160), body.height() - ui.px(kReadout + kSentence + 24));
  const DrawnMap map =
      draw_map_with_axes(ui, "gradients/picture", view, axes, {.area = body, .most_height = most}, {.picked = true});
  float y = map.bottom + ui.px(8);
  const Rect box{{area.min.x + pad, y}, {area.max.x - pad, y + ui.px(kReadout)}};
  const std::string words = map.at ? product_words(shown, *map.at) : "";
  draw_map_readout(ui, box, axes, map.at, words);
  ui.mark("gradients/product: " + words, box);
  y = box.max.y + ui.px(8);
  const std::string sentence = layer_words(shown);
  const float below = y + paragraph(ui, {{area.min.x + pad, y}, {area.max.x - pad, area.max.y}}, Type::words12,
                                    ui.colors.text2, sentence);
  ui.mark("gradients/layer: " + sentence, {{area.min.x + pad, y}, {area.max.x, below}});
  draw_strongest_looks(ui, shown, {{area.min.x, below + ui.px(14)}, area.max});
}

}  // namespace headscope::ui
