// Composition scores as a picture: readers by writers, less what random matrices have.
#include <gtest/gtest.h>

#include "core/attention/model_trace.h"
#include "core/circuits/composition.h"
#include "core/export/recipe.h"
#include "core/export/session_file.h"
#include "tests/core/picture/figure/figure_items.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> run_of(const std::string& model) {
  Request request;
  const bool demo = model.starts_with("demo:");
  request.model = demo ? model : std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + model;
  if (demo) {
    request.phrase = "cat box";
  } else {
    request.token_ids = {3, 1};
  }
  return Engine().run(request, {});
}

ViewSpec asked(std::optional<CompositionKind> kind) {
  ViewSpec view = view_of(ViewKind::composition);
  view.question.reads = kind;
  return view;
}

Composition composed(const Trace& trace) {
  const auto& checkpoint = *trace.model->checkpoint;
  return composition(checkpoint.architecture().num_layers,
                     [&](std::int64_t layer) { return head_maps(checkpoint, layer, NormFolding::fold); },
                     *trace.model->backend, {});
}

TEST(FigureComposition, EveryCellIsItsScoreLessThatOfRandomMatrices) {
  const auto trace = run_of("demo:induction");
  const Composition found = composed(*trace);
  for (const CompositionKind kind : {CompositionKind::query, CompositionKind::key, CompositionKind::value}) {
    const FigurePlan plan = figure_plan(*trace, asked(kind), false);
    const HeatmapSpec spec = items_of<MapItem>(plan).at(0).spec;
    ASSERT_EQ(spec.matrix.shape(), (Shape{8, 8}));
    EXPECT_EQ(spec.mask, nullptr) << "two layers: every pair is one";
    EXPECT_EQ(spec.range.low, -spec.range.high);
    for (std::int64_t i = 0; i < 8; ++i) {
      for (std::int64_t j = 0; j < 8; ++j) {
        EXPECT_EQ(spec.matrix.at({i, j}), static_cast<float>(found.of(kind).at({8 + i, j}) - found.random));
      }
    }
    EXPECT_TRUE(has_line(plan, "1.0"));
    EXPECT_TRUE(has_line(plan, "0.7"));
    EXPECT_TRUE(has_line(plan, "reads \u2193"));
  }
  EXPECT_TRUE(has_text(figure_plan(*trace, asked({}), false), "K-composition")) << "by keys unless said otherwise";
  EXPECT_TRUE(has_text(figure_plan(*trace, asked(CompositionKind::value), false), "V-composition"));
}

TEST(FigureComposition, PairsOfNoEarlierLayerAreHidden) {
  const auto trace = run_of("gemma2");
  const Composition found = composed(*trace);
  const FigurePlan plan = figure_plan(*trace, asked(CompositionKind::key), false);
  const HeatmapSpec spec = items_of<MapItem>(plan).at(0).spec;
  ASSERT_EQ(spec.matrix.shape(), (Shape{8, 8}));
  ASSERT_NE(spec.mask, nullptr);
  for (std::int64_t i = 0; i < 8; ++i) {
    for (std::int64_t j = 0; j < 8; ++j) {
      const bool hidden = i < 4 && j >= 4;
      EXPECT_EQ(spec.mask->hidden.hidden(0, 0, i, j), hidden);
      if (hidden) continue;
      EXPECT_EQ(spec.matrix.at({i, j}),
                static_cast<float>(found.of(CompositionKind::key).at({4 + i, j}) - found.random));
    }
  }
  EXPECT_TRUE(has_text(plan, "16 of 64"));
}

TEST(FigureComposition, SizesAreThoseOfThePicture) {
  const auto trace = run_of("gemma2");
  for (const double scale : {1.0, 2.0}) {
    ViewSpec view = asked({});
    view.scale = scale;
    const Image image = draw_figure(*trace, view);
    const FigureSize size = figure_size(*trace, view);
    EXPECT_EQ(image.width, size.width);
    EXPECT_EQ(image.height, size.height);
  }
}

TEST(FigureComposition, TheRecipeDrawsTheSamePixels) {
  const auto trace = run_of("demo:induction");
  const ViewSpec view = asked(CompositionKind::query);
  const SessionFile session = parse_session(recipe_of(*trace, view).at("headscope"), "the recipe");
  EXPECT_TRUE(*session.view == view);
  EXPECT_EQ(draw_figure(*run_of("demo:induction"), *session.view).pixels, draw_figure(*trace, view).pixels);
}

TEST(FigureComposition, WhatHasNoLayersIsRefused) {
  EXPECT_NE(refusal(*small_trace(3), asked({})).find("of one layer"), std::string::npos);
  ViewSpec view = asked(CompositionKind::key);
  view.question.reads.reset();
  view.by = SensitivityBy::scores;
  EXPECT_NE(refusal(*run_of("demo:induction"), view).find("--by: found scores"), std::string::npos);
}

}  // namespace
}  // namespace headscope
