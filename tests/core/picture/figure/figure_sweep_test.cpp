// A sweep as a picture: every cell is its run less the unpatched one.
#include <gtest/gtest.h>

#include <cmath>

#include "core/export/recipe.h"
#include "core/export/session_file.h"
#include "core/sweep/sweep.h"
#include "tests/core/picture/figure/figure_items.h"

namespace headscope {
namespace {

Request sweep_induction(const std::string& phrase) {
  Request request;
  request.model = "demo:induction";
  request.phrase = phrase;
  return request;
}

struct TwoRuns {
  std::shared_ptr<const Trace> a, b;
  Sweep sweep;
  FigureSource source() const { return {*b, a.get(), &sweep}; }
};

TwoRuns runs_of(SweepPatch patch, const std::string& metric = "logit:ink-box",
                SweepDirection direction = SweepDirection::denoise, const std::string& a = "cat ink box fox jam cat") {
  const Request of_a = sweep_induction(a), of_b = sweep_induction("cat box ink fox jam cat");
  Engine engine;
  const bool noise = direction == SweepDirection::noise;
  return {engine.run(of_a, {}), engine.run(of_b, {}),
          sweep({}, {noise ? of_a : of_b, noise ? of_b : of_a, metric, patch, {}}, {})};
}

ViewSpec sweep_asked(SweepPatch patch, const std::string& metric = "logit:ink-box") {
  ViewSpec view = view_of(ViewKind::sweep);
  view.question.patch = patch;
  view.question.metric = metric;
  return view;
}

TEST(FigureSweep, EveryCellIsItsRunLessTheUnpatchedOne) {
  for (const SweepPatch patch : {SweepPatch::heads, SweepPatch::positions, SweepPatch::stages}) {
    const TwoRuns runs = runs_of(patch);
    const FigurePlan plan = figure_plan(runs.source(), sweep_asked(patch), false);
    const HeatmapSpec spec = items_of<MapItem>(plan).at(0).spec;
    double largest = 0;
    for (const SweepCell& cell : runs.sweep.cells) {
      const double change = cell.value - runs.sweep.unpatched;
      largest = std::max(largest, std::fabs(change));
      std::int64_t row = cell.layer, column = patch == SweepPatch::heads ? cell.head.value_or(-1) : -1;
      if (patch == SweepPatch::positions) column = *cell.position;
      if (patch == SweepPatch::stages) {
        column = cell.layer;
        const char* const stages[] = {"query", "key", "value", "weights", "context", "output"};
        row = std::find(std::begin(stages), std::end(stages), cell.stage) - std::begin(stages);
      }
      EXPECT_EQ(spec.matrix.at({row, column}), static_cast<float>(change)) << row << ", " << column;
    }
    const Shape shape = patch == SweepPatch::heads    ? Shape{2, 8}
                        : patch == SweepPatch::stages ? Shape{6, 2}
                                                      : Shape{2, 6};
    EXPECT_EQ(spec.matrix.shape(), shape);
    EXPECT_EQ(spec.range.high, largest);
    EXPECT_EQ(spec.range.low, -largest);
    EXPECT_TRUE(has_text(plan, "B with numbers of A"));
    EXPECT_NE(plan.description.find("logit of 'ink' (28) less that of 'box' (6), at position 5 cat"),
              std::string::npos);
    EXPECT_TRUE(has_text(plan, "Largest"));
    EXPECT_TRUE(has_line(plan, patch == SweepPatch::stages ? "stage \u2193" : "layer \u2193"));
  }
}

TEST(FigureSweep, AnAblationNeedsNoOtherRun) {
  Engine engine;
  const auto trace = engine.run(sweep_induction("cat box ink fox jam cat"), {});
  SweepQuestion question;
  question.patched = trace->request;
  question.metric = "logit:box";
  question.patch = SweepPatch::paths;
  question.from = LayerHead{0, 5};
  question.ablation = Ablation::zero;
  const Sweep found = sweep({}, question, {});
  ViewSpec view = sweep_asked(SweepPatch::paths, "logit:box");
  view.question.ablation = Ablation::zero;
  view.question.from = question.from;
  const FigurePlan plan = figure_plan({*trace, nullptr, &found}, view, false);
  const HeatmapSpec spec = items_of<MapItem>(plan).at(0).spec;
  EXPECT_EQ(spec.matrix.shape(), (Shape{3, 8}));
  EXPECT_EQ(spec.matrix.at({1, 2}), static_cast<float>(found.cells[10].value - found.unpatched));
  EXPECT_TRUE(has_text(plan, "zeros in place of a part"));
  EXPECT_TRUE(has_text(plan, "layer 1 key"));
}

TEST(FigureSweep, NoiseSaysWhichRunIsPatched) {
  const TwoRuns runs = runs_of(SweepPatch::heads, "kl", SweepDirection::noise);
  ViewSpec view = sweep_asked(SweepPatch::heads, "kl");
  view.question.direction = SweepDirection::noise;
  const FigurePlan plan = figure_plan(runs.source(), view, false);
  EXPECT_TRUE(has_text(plan, "A with numbers of B"));
  EXPECT_NE(plan.description.find("divergence"), std::string::npos);
  EXPECT_TRUE(has_text(plan, "A: "));
  EXPECT_TRUE(has_text(plan, "B: "));
}

TEST(FigureSweep, WhatChangesNothingIsSaid) {
  const TwoRuns runs = runs_of(SweepPatch::heads, "loss", SweepDirection::denoise, "cat box ink fox jam cat");
  const FigurePlan plan = figure_plan(runs.source(), sweep_asked(SweepPatch::heads, "loss"), false);
  EXPECT_TRUE(has_text(plan, "No patch changes"));
  const HeatmapSpec spec = items_of<MapItem>(plan).at(0).spec;
  EXPECT_EQ(spec.range.high, 1);
  for (const float value : spec.matrix.values()) EXPECT_EQ(value, 0);
}

TEST(FigureSweep, TheRecipeHoldsBothRequests) {
  const TwoRuns runs = runs_of(SweepPatch::positions);
  const ViewSpec view = sweep_asked(SweepPatch::positions);
  const SessionFile session = parse_session(recipe_of(runs.source(), view).at("headscope"), "the recipe");
  ASSERT_TRUE(session.view.has_value());
  EXPECT_TRUE(*session.view == view);
  ASSERT_TRUE(session.against.has_value());
  EXPECT_TRUE(*session.against == runs.a->request);
  EXPECT_TRUE(session.request == runs.b->request);
  const FigureSize size = figure_size(runs.source(), view);
  const Image image = draw_figure(runs.source(), view);
  EXPECT_EQ(image.width, size.width);
  EXPECT_EQ(image.height, size.height);
}

TEST(FigureSweep, WithoutARunThereIsNone) {
  Engine engine;
  const auto b = engine.run(sweep_induction("cat box"), {});
  EXPECT_NE(refusal(*b, sweep_asked(SweepPatch::heads)).find("--against"), std::string::npos);
}

}  // namespace
}  // namespace headscope
