// What a session file keeps of single views.
#include "app/session/view_parts_json.h"

#include <gtest/gtest.h>

#include "app/session/state_json.h"
#include "core/base/error.h"

namespace headscope {
namespace {

TEST(ViewPartsJson, KeepsTheGradients) {
  ViewState view;
  view.gradients = {SweepMeasure::loss, "box-ink", true, 50, true, LayerHead{1, 6}};
  EXPECT_EQ(parse_view_state(view_state_json(view)).gradients, view.gradients);
  EXPECT_EQ(parse_view_state("{}").gradients, GradientsView());
  EXPECT_EQ(parse_view_state(R"({"gradients": {"measure": "kl"}})").gradients.measure, SweepMeasure::usual);
  EXPECT_THROW(parse_view_state(R"({"gradients": {"measure": "all"}})"), Error);
}

TEST(MetricText, NamesTheTokensWhereItNeedsThem) {
  EXPECT_EQ(metric_text(SweepMeasure::usual, ""), "");
  EXPECT_EQ(metric_text(SweepMeasure::probability, ""), std::nullopt);
  EXPECT_EQ(metric_text(SweepMeasure::probability, "box"), "prob:box");
  EXPECT_EQ(metric_text(SweepMeasure::loss, "box"), "loss");
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
