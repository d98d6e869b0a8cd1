// What a session file keeps of single views.
#include "app/session/view_parts_json.h"

#include <gtest/gtest.h>

#include "app/session/state_json.h"
#include "core/base/error.h"

namespace headscope {
namespace {

TEST(ViewPartsJson, KeepsTheGradients) {
  ViewState view;
  view.gradients = {SweepMeasure::loss, "box-ink", true, 50, true, LayerHead{1, 6}, GradientsShow::looking};
  EXPECT_EQ(parse_view_state(view_state_json(view)).gradients, view.gradients);
  EXPECT_EQ(parse_view_state("{}").gradients, GradientsView());
  EXPECT_EQ(parse_view_state(R"({"gradients": {"measure": "kl"}})").gradients.measure, SweepMeasure::usual);
  EXPECT_THROW(parse_view_state(R"({"gradients": {"measure": "all"}})"), Error);
}

TEST(ViewPartsJson, KeepsWhatIsAskedOfScoresCircuitsAndScatter) {
  ViewState view;
  view.score = {AttributionBy::heads, Cell{3, 4}};
  view.circuits = {CircuitsShow::tokens, CompositionKind::value, LayerHead{1, 7}, LayerHead{0, 5}, "cat", "cat,box"};
  view.scatter = {true, false, false};
  const ViewState read = parse_view_state(view_state_json(view));
  EXPECT_EQ(read.score, view.score);
  EXPECT_EQ(read.circuits, view.circuits);
  EXPECT_EQ(read.scatter, view.scatter);
  const ViewState none = parse_view_state("{}");
  EXPECT_EQ(none.score, ScoreView());
  EXPECT_EQ(none.circuits, CircuitsView());
  EXPECT_EQ(none.scatter, ScatterView());
  EXPECT_THROW(parse_view_state(R"({"score": {"by": "sources"}})"), Error);
  EXPECT_THROW(parse_view_state(R"({"circuits": {"reads": "output"}})"), Error);
}

TEST(MetricText, NamesTheTokensWhereItNeedsThem) {
  EXPECT_EQ(metric_text(SweepMeasure::usual, ""), "");
  EXPECT_EQ(metric_text(SweepMeasure::probability, ""), std::nullopt);
  EXPECT_EQ(metric_text(SweepMeasure::probability, "box"), "prob:box");
  EXPECT_EQ(metric_text(SweepMeasure::loss, "box"), "loss");
  SweepView sweep;
  sweep.measure = SweepMeasure::cell;
  EXPECT_EQ(metric_text(sweep), std::nullopt);
  sweep.number = "1/weights:0,7,5,1";
  EXPECT_EQ(metric_text(sweep), "cell:1/weights:0,7,5,1");
}

TEST(ViewPartsJson, ASessionOfBeforeOpensItsSweep) {
  const SweepView sweep = parse_view_state(R"({"sweep": {"patch": "stages", "direction": "noise"}})").sweep;
  EXPECT_EQ(sweep.patch, SweepPatch::stages);
  EXPECT_EQ(sweep.numbers, SweepNumbers::b_into_a);
  EXPECT_EQ(sweep.estimate, SweepEstimate::none);
  EXPECT_THROW(parse_view_state(R"({"sweep": {"estimate": "maybe"}})"), Error);
}

}  // namespace
}  // namespace headscope
