// The logit lens as a picture: a cell a layer and position, in the colour of its probability, with its token.
#include <gtest/gtest.h>

#include <tuple>

#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/explain/logit_lens.h"
#include "core/export/recipe.h"
#include "core/export/session_file.h"
#include "tests/core/picture/figure/figure_items.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> induction(const std::string& phrase, bool whole = true) {
  Request request;
  request.model = "demo:induction";
  request.phrase = phrase;
  if (!whole) request.layer = 0;
  EngineOptions options;
  options.whole_model = whole;
  return Engine(options).run(request, CancelToken());
}

TEST(FigureLens, EveryCellHasItsTokenAndTheColourOfItsProbability) {
  const auto trace = induction("cat box ink fox jam cat box");
  const LogitLens lens = logit_lens("view", *trace, {}, CancelToken());
  for (const Theme theme : {Theme::dark, Theme::light}) {
    ViewSpec view = view_of(ViewKind::lens);
    view.theme = theme;
    const FigurePlan plan = figure_plan(*trace, view, false);
    const auto maps = items_of<MapItem>(plan);
    ASSERT_EQ(maps.size(), 1u);
    const HeatmapSpec& spec = maps[0].spec;
    ASSERT_EQ(spec.matrix.dim(0), static_cast<std::int64_t>(lens.rows.size()));
    ASSERT_EQ(spec.matrix.dim(1), trace->query_len());
    EXPECT_EQ(spec.range.low, 0);
    EXPECT_EQ(spec.range.high, 1);
    const double width = static_cast<double>(spec.width) / static_cast<double>(spec.matrix.dim(1));
    const double height = static_cast<double>(spec.height) / static_cast<double>(spec.matrix.dim(0));
    for (std::size_t l = 0; l < lens.rows.size(); ++l) {
      for (std::size_t i = 0; i < lens.rows[l].positions.size(); ++i) {
        const TokenProbability& token = lens.rows[l].positions[i].top.front();
        const Index at{static_cast<std::int64_t>(l), static_cast<std::int64_t>(i)};
        EXPECT_EQ(spec.matrix.at(at), static_cast<float>(token.probability));
        const double left = maps[0].x + static_cast<double>(i) * width,
                     top = maps[0].y + static_cast<double>(l) * height;
        int words = 0;
        for (const TextItem& item : items_of<TextItem>(plan)) {
          const bool inside = item.x >= left && item.x < left + width && item.y > top && item.y < top + height;
          if (inside && item.text == token.piece) ++words;
        }
        EXPECT_EQ(words, 1) << l << ", " << i << " " << token.piece;
      }
    }
    EXPECT_TRUE(has_line(plan, "embeddings"));
    EXPECT_TRUE(has_line(plan, "layer 1"));
    EXPECT_TRUE(has_text(plan, "cat"));
    EXPECT_TRUE(has_text(plan, "Logit lens"));
  }
}

TEST(FigureLens, RowsAreLayersAttentionOrHeads) {
  const auto trace = induction("cat box ink fox jam cat box");
  for (const auto& [of, title, row] : {std::tuple{LensOf::layers, "Logit lens", "embeddings"},
                                       {LensOf::attention, "Logit lens after attention", "attention 1"},
                                       {LensOf::heads, "Attention lens", "head 7"}}) {
    ViewSpec view = view_of(ViewKind::lens);
    view.question.lens_of = of;
    const LogitLens lens = logit_lens("view", *trace, {of}, CancelToken());
    const FigurePlan plan = figure_plan(*trace, view, false);
    const HeatmapSpec spec = items_of<MapItem>(plan).at(0).spec;
    ASSERT_EQ(spec.matrix.dim(0), static_cast<std::int64_t>(lens.rows.size()));
    for (std::int64_t r = 0; r < spec.matrix.dim(0); ++r) {
      const Prediction& last = lens.rows[static_cast<std::size_t>(r)].positions.back();
      EXPECT_EQ(spec.matrix.at({r, trace->query_len() - 1}), static_cast<float>(last.top.front().probability));
    }
    EXPECT_TRUE(has_text(plan, title));
    EXPECT_TRUE(has_line(plan, row));
    EXPECT_EQ(figure_size(*trace, view).height, draw_figure(*trace, view).height);
  }
}

TEST(FigureLens, SizesAreKnownWithoutComputing) {
  const auto trace = induction("cat box ink fox jam cat box");
  for (const int cell : {0, 2, 12, 40}) {
    ViewSpec view = view_of(ViewKind::lens);
    if (cell > 0) view.cell = cell;
    const Image image = draw_figure(*trace, view);
    const FigureSize size = figure_size(*trace, view);
    EXPECT_EQ(image.width, size.width) << cell;
    EXPECT_EQ(image.height, size.height) << cell;
  }
  ViewSpec wide = view_of(ViewKind::lens);
  wide.width = 700;
  EXPECT_EQ(draw_figure(*trace, wide).width, 700);
}

TEST(FigureLens, TheRecipeDrawsTheSamePixels) {
  const auto trace = induction("cat box ink fox cat");
  ViewSpec view = view_of(ViewKind::lens);
  view.theme = Theme::light;
  view.range = RangeKind::fixed;
  view.range_high = 0.5;
  const SessionFile session = parse_session(recipe_of(*trace, view).at("headscope"), "the recipe");
  ASSERT_TRUE(session.view.has_value());
  EXPECT_TRUE(*session.view == view);
  EXPECT_EQ(draw_figure(*induction("cat box ink fox cat"), *session.view).pixels, draw_figure(*trace, view).pixels);
}

TEST(FigureLens, WhatHasNoLensIsRefused) {
  const ViewSpec view = view_of(ViewKind::lens);
  EXPECT_NE(refusal(*small_trace(3), view).find("one layer without the model"), std::string::npos);
  EXPECT_NE(refusal(*induction("cat box", false), view).find("lens needs all layers"), std::string::npos);
}

}  // namespace
}  // namespace headscope
