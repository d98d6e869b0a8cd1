#include "app/ui/layers/layers_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

#include "app/session/background/models/predictions.h"
#include "app/session/session.h"
#include "app/ui/data_versions.h"
#include "app/ui/panels.h"
#include "app/ui/view_head.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/capture_trace.h"
#include "core/attention/model_trace.h"

namespace headscope::ui {
namespace {

constexpr float kDetail = 462, kNarrowDetail = 380, kTightDetail = 300, kNarrowBelow = 1400, kTightBelow = 1100;
constexpr float kPredictions = 266, kNarrowPredictions = 226;

// What outlives a frame: the last known numbers, until those of a newer result are there.
PanelData& layer_data(Ui& ui, const std::shared_ptr<const Trace>& layer) {
  std::shared_ptr<PanelData>& data = ui.state.panels.get<LayersState>().data;
  if (!data || data->shared_trace() != layer) {
    std::uint64_t& made = ui.state.panels.get<DataVersions>().made;
    made += 1;
    data = std::make_shared<PanelData>(layer, static_cast<std::uint64_t>(made), &ui.session.background);
  }
  return *data;
}

// The layer to look at: the picked one, or the next that is computed.
std::int64_t picked_layer(const ModelTrace& model, std::int64_t wished) {
  const auto count = static_cast<std::int64_t>(model.layers.size());
  const std::int64_t layer = wished < 0 ? model.layer : std::min(wished, count - 1);
  const auto computed = [&](std::int64_t l) { return model.layers[static_cast<std::size_t>(l)] != nullptr; };
  if (computed(layer)) return layer;
  for (std::int64_t l = count - 1; l >= 0; --l) {
    if (computed(l)) return l;
  }
  return -1;
}

std::vector<LayerHead> order_of(const LayersView& view, const LayersShown& shown) {
  std::vector<LayerHead> order;
  for (std::int64_t l = 0; l < shown.layers; ++l) {
    for (std::int64_t h = 0; h < shown.heads; ++h) order.push_back({l, h});
  }
  if (!view.sort) return order;
  const auto value = [&](const LayerHead& at) {
    const HeadResult* result = shown.head_result(at.layer, at.head);
    const double known = result != nullptr ? result->metrics[*view.sort].value : NAN;
    return std::isnan(known) ? -INFINITY : known;  // what has no value comes last
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const LayerHead& a, const LayerHead& b) { return value(a) > value(b); });
  return order;
}

// Header, predictions at the right, the picked head beside them, the grid in what is left.
void draw_parts(Ui& ui, const LayersShown& shown, const Rect& area) {
  say_finding(ui, MainView::layers,
              fmt::format("{} has {} layers of {} heads; layer {}, head {} is picked.", shown.model.name, shown.layers,
                          shown.heads, shown.layer, shown.head));
  Rect rest = area;
  const float header = layers_header_height(ui, area.width());
  draw_layers_header(ui, shown, {rest.min, {rest.max.x, rest.min.y + header}});
  rest.min.y += header;
  horizontal_line(ui, rest.min.x, rest.max.x, rest.min.y - std::max(1.0f, ui.px(1)), ui.colors.line);

  const bool narrow = area.width() < ui.px(kNarrowBelow);
  if (has_predictions(shown.model)) {
    const Rect predictions = take_right(rest, ui.px(narrow ? kNarrowPredictions : kPredictions), 0);
    vertical_line(ui, predictions.min.x, predictions.min.y, predictions.max.y, ui.colors.line);
    draw_layers_predictions(ui, shown, predictions);
  }
  const bool tight = area.width() < ui.px(kTightBelow);
  const Rect detail = take_right(rest, ui.px(tight ? kTightDetail : narrow ? kNarrowDetail : kDetail), 0);
  vertical_line(ui, detail.min.x, detail.min.y, detail.max.y, ui.colors.line);
  if (ui.session.view.layers.aggregate) {
    draw_layers_aggregate(ui, shown, rest);
  } else {
    draw_layers_grid(ui, shown, rest);
  }
  const float scores = layers_scores_height(ui, shown);
  const float y = draw_layers_detail(ui, shown, detail, scores);
  horizontal_line(ui, detail.min.x, detail.max.x, y, ui.colors.line);
  draw_layers_scores(ui, shown, {{detail.min.x, y + ui.px(1)}, detail.max});
}

}  // namespace

bool LayersShown::is_missing(std::int64_t l) const {
  if (model.capture == nullptr) return false;
  const auto has = [l](const std::vector<std::int64_t>& sorted) {
    return std::binary_search(sorted.begin(), sorted.end(), l);
  };
  return has(model.capture->missing) || has(model.capture->other_lengths);
}

const char* LayersShown::missing_text(std::int64_t l) const {
  const std::vector<std::int64_t>& other = model.capture->other_lengths;
  return std::binary_search(other.begin(), other.end(), l) ? "other lengths" : "not captured";
}

std::int64_t LayersShown::all_heads() const {
  const std::int64_t missing =
      model.capture == nullptr ? 0 : std::ssize(model.capture->missing) + std::ssize(model.capture->other_lengths);
  return (layers - missing) * heads;
}

const HeadResult* LayersShown::head_result(std::int64_t l, std::int64_t h) const {
  const auto& layer_result = result.layers[static_cast<std::size_t>(l)];
  if (!layer_result || h >= static_cast<std::int64_t>(layer_result->heads.size())) return nullptr;
  return &layer_result->heads[static_cast<std::size_t>(h)];
}

bool LayersShown::shows_weights() const {
  return result.picked == nullptr;
}

bool has_layers(const Ui& ui) {
  const auto trace = ui.session.trace();
  return trace != nullptr && trace->model != nullptr && trace->model->layers.size() > 1;
}

bool passes(const LayersView& view, const HeadMetrics& metrics) {
  if (!view.filter) return true;
  const double value = metrics[*view.filter].value;
  return view.filter_below ? value < view.filter_value : value > view.filter_value;
}

void draw_layers_panel(Ui& ui, const Rect& area) {
  ui.mark("layers", area);
  const std::shared_ptr<const Trace> trace = ui.session.trace();
  if (!has_layers(ui)) return;
  const ModelTrace& model = *trace->model;
  const LayersView& view = ui.session.view.layers;
  const std::int64_t layer = picked_layer(model, view.layer);
  if (layer < 0) return;
  const std::shared_ptr<const Trace>& picked = model.layers[static_cast<std::size_t>(layer)];
  if (picked->find(StageId::weights) == nullptr) return;
  const Selection selection = selection_of(ui.session.view, *picked);
  const auto result = ui.session.background.model_numbers.want({.trace = trace,
                                                                .batch = selection.batch,
                                                                .tokens = showing_of(trace->request),
                                                                .norms = view.norms,
                                                                .aggregate = view.aggregate,
                                                                .layer = layer,
                                                                .head = selection.head,
                                                                .position = selection.cell ? selection.cell->row : -1,
                                                                .alone = interventions_asked_alone(ui)});
  LayersShown shown{.trace = trace,
                    .model = model,
                    .result = result,
                    .data = layer_data(ui, picked),
                    .layers = static_cast<std::int64_t>(model.layers.size()),
                    .heads = picked->num_heads(),
                    .layer = layer,
                    .head = selection.head,
                    .batch = selection.batch,
                    .order = {}};
  shown.order = order_of(view, shown);
  shown.map = color_map_of(ui, true);
  double largest = 0;
  for (std::int64_t l = 0; l < shown.layers; ++l) {
    if (shown.known(l)) largest = std::max(largest, result.layers[static_cast<std::size_t>(l)]->largest);
  }
  const bool lengths = view.norms || trace->request.weighting == Weighting::value_norm;
  shown.largest = lengths && largest > 0 ? largest : 1;
  for (const LayerHead& at : shown.order) {
    const HeadResult* head = shown.head_result(at.layer, at.head);
    if (head != nullptr && passes(view, head->metrics)) ++shown.passing;
  }
  draw_parts(ui, shown, area);
}

}  // namespace headscope::ui
