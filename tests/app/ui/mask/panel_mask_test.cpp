#include <gtest/gtest.h>

#include "app/ui/panel_data.h"
#include "core/attention/engine.h"

namespace headscope::ui {
namespace {

std::shared_ptr<const Trace> padded_trace(FullyMasked policy) {
  Request request;
  request.phrase = "uno dos tres";
  request.d_model = 16;
  request.heads = 2;
  request.mask = {{MaskTerm::Kind::padding, 3, ""}};
  request.fully_masked = policy;
  Engine engine;
  return engine.run(request, {});
}

// Tutorial 004's fully hidden row is uniform: its weights are real numbers and must be readable.
TEST(PanelMask, HiddenCellsThatCarryWeightAreDrawnAsTheirNumber) {
  const auto trace = padded_trace(FullyMasked::uniform);
  PanelData data(trace, 1);
  const auto mask = data.mask(StageId::weights);
  EXPECT_FALSE(mask && mask->hidden.hidden(0, 0, 1, 1));
  EXPECT_TRUE(data.mask(StageId::masked_scores)->hidden.hidden(0, 0, 1, 1));
}

TEST(PanelMask, StagesBeforeTheMaskHideNothing) {
  PanelData data(padded_trace(FullyMasked::as_computed), 1);
  EXPECT_EQ(data.mask(StageId::raw_scores), nullptr);
  EXPECT_EQ(data.mask(StageId::scores), nullptr);
}

}  // namespace
}  // namespace headscope::ui
