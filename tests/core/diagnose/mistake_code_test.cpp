// Lines of code are those of the request that a mistake was found in.
#include "core/diagnose/mistake_code.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace headscope {
namespace {

Inputs eight_features() {
  Inputs inputs;
  inputs.head_dim = 8;
  return inputs;
}

MistakeCode code(const char* name, const Request& request, const Inputs& inputs = eight_features()) {
  return code_of(*mistake_named(name), request, inputs);
}

TEST(MistakeCode, NoWordInBracesIsLeft) {
  for (const MistakeRow& row : all_mistakes()) {
    const MistakeCode found = code_of(row, {}, eight_features());
    EXPECT_EQ(found.wrong.find('{'), std::string::npos) << found.wrong;
    EXPECT_EQ(found.right.find('{'), std::string::npos) << found.right;
    EXPECT_NE(found.wrong, "");
    EXPECT_NE(found.right, "");
  }
}

TEST(MistakeCode, TheOtherCornerIsTheWrongOne) {
  Request request;
  request.causal_align = CausalAlign::bottom_right;
  EXPECT_EQ(code("causal-align", request).right, "torch.tril(torch.ones(Q, K), K - Q)");
  EXPECT_EQ(code("causal-align", request).wrong, "torch.tril(torch.ones(Q, K))");
  request.causal_align = CausalAlign::top_left;
  EXPECT_EQ(code("causal-align", request).right, "torch.tril(torch.ones(Q, K))");
  EXPECT_EQ(code("causal-align", request).wrong, "torch.tril(torch.ones(Q, K), K - Q)");
}

TEST(MistakeCode, TheRequestSaysScaleOrderAndRows) {
  Request request;
  EXPECT_EQ(code("no-scale", request).right, "scores = q @ k.T / math.sqrt(head_dim)");
  request.scale = 0.3;
  EXPECT_EQ(code("no-scale", request).right, "scores = q @ k.T * 0.3");
  EXPECT_EQ(code("mask-order", request).right, "scores * 0.3 + mask");
  request.mask_order = MaskOrder::before_scale;
  EXPECT_EQ(code("mask-order", request).right, "(scores + mask) * 0.3");
  EXPECT_EQ(code("mask-order", request).wrong, "scores * 0.3 + mask");
  request.fully_masked = FullyMasked::zero;
  EXPECT_EQ(code("fully-masked-uniform", request).right, "weights.nan_to_num(0)");
}

TEST(MistakeCode, TheKindOfTheMaskSaysWhichOnesHide) {
  Request request;
  EXPECT_EQ(code("mask-inverted", request).right, "scores.masked_fill(~mask, -inf)");
  EXPECT_EQ(code("mask-inverted", request).wrong, "scores.masked_fill(mask, -inf)");
  request.mask_kind = MaskKind::hide;
  request.mask_fill = -1e4;
  EXPECT_EQ(code("mask-inverted", request).right, "scores.masked_fill(mask, -10000)");
  EXPECT_EQ(code("mask-kind-keep", request).right, "scores.masked_fill(mask, -10000)");
  request.mask_kind = MaskKind::additive;
  EXPECT_EQ(code("mask-kind-keep", request).right, "scores + mask");
}

}  // namespace
}  // namespace headscope
