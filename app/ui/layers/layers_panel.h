// All layers and heads of a model: the grid, the picked head, what the model predicts. layers_panel.cpp puts the parts
// together, one file each.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/background/models/model_numbers.h"
#include "app/ui/panel_data.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// What is shown in this frame.
struct LayersShown {
  std::shared_ptr<const Trace> trace;
  const ModelTrace& model;
  const ModelResult& result;
  PanelData& data;  // of the picked layer
  std::int64_t layers = 0, heads = 0;
  std::int64_t layer = 0, head = 0, batch = 0;  // picked
  std::vector<LayerHead> order;                 // the order in which the heads are drawn
  std::int64_t passing = 0;                     // heads that pass the filter; all when there is none
  double largest = 1;                           // the high end of the pictures' colours

  bool known(std::int64_t l) const { return result.layers[static_cast<std::size_t>(l)] != nullptr; }
  // Whether the file of a capture does not hold the layer, or holds other numbers of tokens there: nothing of it will
  // ever be shown beside this one.
  bool is_missing(std::int64_t l) const;
  const char* missing_text(std::int64_t l) const;  // why, in two words
  // How many heads of all layers there are, without those of missing layers.
  std::int64_t all_heads() const;
  // Null while it is not known.
  const HeadResult* head_result(std::int64_t l, std::int64_t h) const;
  bool shows_weights() const;
  ColorMap map = ColorMap::viridis;
};

// What the view remembers.
struct LayersState {
  std::shared_ptr<PanelData> data;       // of the picked layer
  std::optional<std::int64_t> followed;  // the place of the head that was scrolled into sight; nullopt: none yet
  float predictions_height = 0;          // of the list of predictions, as it was drawn last
};

// Whether the shown result has several layers.
bool has_layers(const Ui& ui);

// Whether a head passes the filter of the view; always true without a filter.
bool passes(const LayersView& view, const HeadMetrics& metrics);

// layers_header.cpp: counts, sort, filter, tokens, colours, heads or aggregate. Its height depends on the width.
float layers_header_height(const Ui& ui, float width);
void draw_layers_header(Ui& ui, const LayersShown& shown, const Rect& area);
// layers_grid.cpp
void draw_layers_grid(Ui& ui, const LayersShown& shown, const Rect& area);
// layers_detail.cpp: one map of all heads instead of the grid.
void draw_layers_aggregate(Ui& ui, const LayersShown& shown, const Rect& area);
// layers_detail.cpp: the picked head's map with its readout; returns the y below them.
float draw_layers_detail(Ui& ui, const LayersShown& shown, const Rect& area, float below);
// layers_scores.cpp
float layers_scores_height(const Ui& ui, const LayersShown& shown);
void draw_layers_scores(Ui& ui, const LayersShown& shown, const Rect& area);
// The place of a value among those of all heads, 1 for the largest; values whose written digits agree share a rank.
std::int64_t shared_rank(double value, const std::vector<double>& all);

// layers_predictions.cpp: the model's predictions, without interventions and with them.
void draw_layers_predictions(Ui& ui, const LayersShown& shown, const Rect& area);
// The number of active interventions in the list of predictions, which shows the effect of each alone.
std::size_t interventions_asked_alone(const Ui& ui);

}  // namespace headscope::ui
