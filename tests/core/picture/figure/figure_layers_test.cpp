// All layers and heads as one picture, and aggregates of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/attention/engine.h"
#include "core/attention/model_trace.h"
#include "core/attention/shown_mask.h"
#include "core/base/error.h"
#include "core/heads/aggregate_mask.h"
#include "core/heads/aggregate_values.h"
#include "core/picture/figure/figure.h"
#include "core/picture/heatmap.h"
#include "core/picture/view_options.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> layer_of(std::uint64_t seed) {
  Request request;
  request.phrase = "a b c d e f";
  request.d_model = 12;
  request.heads = 3;
  request.seed = seed;
  request.init_gain = 4;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  Engine engine;
  return engine.run(request, {});
}

// Two layers that have nothing to do with each other, as one model.
std::shared_ptr<Trace> model_of_two() {
  auto model = std::make_shared<ModelTrace>();
  model->layers = {layer_of(0), layer_of(1)};
  model->layer = 1;
  auto trace = std::make_shared<Trace>(*model->layers[1]);
  trace->model = model;
  return trace;
}

ViewSpec layers_view() {
  ViewSpec view;
  view.view = ViewKind::layers;
  view.cell = 7;
  return view;
}

bool contains(const Image& image, const Image& part) {
  for (int y = 0; y + part.height <= image.height; ++y) {
    for (int x = 0; x + part.width <= image.width; ++x) {
      bool same = true;
      for (int row = 0; row < part.height && same; ++row) {
        const auto* a = image.pixels.data() + (static_cast<std::ptrdiff_t>(y + row) * image.width + x);
        const auto* b = part.pixels.data() + static_cast<std::ptrdiff_t>(row) * part.width;
        same = std::equal(b, b + part.width, a);
      }
      if (same) return true;
    }
  }
  return false;
}

// What a head's map looks like by itself, at 7 px a cell: hatches, which depend on the place, begin at 8.
Image map_of(const Trace& layer, std::int64_t head) {
  HeatmapSpec spec;
  spec.matrix = matrix_at(layer.tensor(StageId::weights), 0, head);
  spec.mask = shown_mask(layer, StageId::weights);
  spec.head = head;
  spec.rows = spec.columns = 6;
  spec.width = spec.height = 42;
  spec.grid = false;
  return draw_heatmap(spec);
}

TEST(FigureLayers, HoldsTheMapOfEveryHeadOfEveryLayer) {
  const auto trace = model_of_two();
  const Image picture = draw_figure(*trace, layers_view());
  const FigureSize size = figure_size(*trace, layers_view());
  EXPECT_EQ(picture.width, size.width);
  EXPECT_EQ(picture.height, size.height);
  for (const auto& layer : trace->model->layers) {
    for (std::int64_t h = 0; h < 3; ++h) EXPECT_TRUE(contains(picture, map_of(*layer, h))) << h;
  }
}

TEST(FigureLayers, AHeadThatIsOffIsMarked) {
  const auto trace = model_of_two();
  const Image all_on = draw_figure(*trace, layers_view());
  trace->request.ablate = {{0, 1}};
  EXPECT_NE(draw_figure(*trace, layers_view()).pixels, all_on.pixels);
}

TEST(FigureLayers, AggregatesAreOneMap) {
  const auto trace = model_of_two();
  LayersOfWeights weights;
  for (const auto& layer : trace->model->layers) {
    weights.push_back(layer->tensor(StageId::weights).reshaped({3, 6, 6}, {Axis::head, Axis::query, Axis::key}));
  }
  std::vector<const Trace*> layers;
  for (const auto& layer : trace->model->layers) layers.push_back(layer.get());
  for (const Aggregate aggregate : all_aggregates()) {
    ViewSpec view = layers_view();
    view.aggregate = aggregate;
    HeatmapSpec spec;
    spec.mask = hidden_in_aggregate(aggregate, layers, 0);
    EXPECT_NE(spec.mask, nullptr) << "the mask is causal";
    spec.matrix = aggregate_of(aggregate, weights);
    spec.rows = spec.columns = 6;
    spec.width = spec.height = 42;
    EXPECT_TRUE(contains(draw_figure(*trace, view), draw_heatmap(spec))) << aggregate_name(aggregate);
  }
}

TEST(FigureLayers, OneLayerIsAGridOfOneRow) {
  const auto layer = layer_of(0);
  const Image picture = draw_figure(*layer, layers_view());
  for (std::int64_t h = 0; h < 3; ++h) EXPECT_TRUE(contains(picture, map_of(*layer, h))) << h;
}

TEST(FigureLayers, WhatCannotBeDrawnIsRefused) {
  const auto trace = model_of_two();
  ViewSpec view = layers_view();
  view.stage = StageId::concat;
  EXPECT_THROW(draw_figure(*trace, view), UsageError);
  auto model = std::make_shared<ModelTrace>(*trace->model);
  model->layers[0] = nullptr;
  trace->model = model;
  EXPECT_THROW(draw_figure(*trace, layers_view()), UsageError);
}

TEST(FigureLayers, TheViewComesBackFromItsRecipe) {
  ViewSpec view = layers_view();
  view.aggregate = Aggregate::rollout;
  EXPECT_NE(view_json(view).find("\"aggregate\":\"rollout\""), std::string::npos);
  ViewSpec read;
  EXPECT_TRUE(set_view_value(read, "view", "layers"));
  EXPECT_TRUE(set_view_value(read, "aggregate", "rollout"));
  EXPECT_TRUE(set_view_value(read, "cell", "7"));
  EXPECT_EQ(read, view);
  EXPECT_THROW(set_view_value(read, "aggregate", "sum"), UsageError);
}

}  // namespace
}  // namespace headscope
