// Which terms of a mask hide a cell, what each adds to a score, and where numbers of the past come from.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/explain/explain.h"
#include "core/explain/sensitivity.h"
#include "core/model/head_rule.h"
#include "core/request/alibi.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Request explained_mask_with(const std::vector<std::pair<const char*, const char*>>& given) {
  Request request = alone_request();
  for (const auto& [option, value] : given) find_request_option(option)->set(request, value);
  return request;
}

// Attention alone of 4 queries and 5 keys, two heads, with two files: a row of 5 keys, and one number a head and query.
Inputs inputs_with_files() {
  Inputs inputs = alone_inputs({1, 4, 5, 2, 2, 3, 3});
  inputs.mask_files.push_back({"row.npy", tensor_of({5}, {0.5F, -0.25F, 0, -kInfinity, 2}), false, false});
  inputs.mask_files.push_back({"heads.npy", tensor_of({2, 4, 1}, {0, 1, 2, 3, 4, 5, 6, 7}), false, false});
  return inputs;
}

std::string last_words(const Trace& trace, StageId stage, const Index& index) {
  return explain(trace, stage, index).steps.back().expression;
}

TEST(ExplainedMask, NamesEveryTermThatHidesACell) {
  const auto trace =
      traced(explained_mask_with({{"mask", "causal,padding:2,row.npy,heads.npy"}, {"paint", "hide@1:2,0:4"}}),
             inputs_with_files());
  const std::string words = "the mask hides this key from this query: ";
  EXPECT_EQ(last_words(*trace, StageId::masked_scores, {0, 0, 1, 0}), words + "painted");
  EXPECT_EQ(last_words(*trace, StageId::masked_scores, {0, 0, 1, 3}), words + "causal, padding:2, row.npy[3], painted");
  EXPECT_EQ(last_words(*trace, StageId::masked_scores, {0, 1, 2, 4}), words + "causal, padding:2");
  EXPECT_TRUE(explain(*trace, StageId::masked_scores, {0, 1, 2, 4}).operands.empty());
}

TEST(ExplainedMask, PaintThatShowsACellTakesTheTermsBack) {
  const auto trace = traced(explained_mask_with({{"mask", "causal"}, {"paint", "show@0:1,2:3;hide@0:1,2:3"}}),
                            alone_inputs({1, 4, 5}));
  EXPECT_EQ(last_words(*trace, StageId::masked_scores, {0, 0, 0, 2}),
            "the mask hides this key from this query: painted");
}

TEST(ExplainedMask, AnInvertedMaskIsSaidToBeOne) {
  const auto trace =
      traced(explained_mask_with({{"mask", "causal"}, {"variant", "mask-inverted"}}), alone_inputs({1, 4, 5}));
  EXPECT_NE(last_words(*trace, StageId::masked_scores, {0, 0, 3, 1}).find("mask-inverted"), std::string::npos);
}

TEST(ExplainedMask, ListsWhatEveryTermAdds) {
  const auto trace = traced(explained_mask_with({{"mask", "alibi,row.npy,heads.npy"}}), inputs_with_files());
  const Explanation why = explain(*trace, StageId::masked_scores, {0, 1, 3, 1});
  ASSERT_EQ(why.operands.size(), 4U);
  EXPECT_EQ(why.operands[0].stage, "scores");
  EXPECT_EQ(why.operands[1].stage, "alibi");
  EXPECT_EQ(why.operands[1].index, (Index{0, 1, 3, 1}));
  EXPECT_EQ(why.operands[1].value, static_cast<double>(-2 * alibi_slope(2, 1)));
  EXPECT_EQ(why.operands[2].stage, "row.npy");
  EXPECT_EQ(why.operands[2].index, (Index{1}));
  EXPECT_EQ(why.operands[2].value, -0.25);
  EXPECT_EQ(why.operands[3].stage, "heads.npy");
  EXPECT_EQ(why.operands[3].index, (Index{1, 3, 0}));
  EXPECT_EQ(why.operands[3].value, 7);
  for (std::size_t n = 1; n < 4; ++n) EXPECT_EQ(role_name(why.operands[n].role), "mask");
  EXPECT_NE(why.steps[0].expression.find("(-0.25) (row.npy[1])"), std::string::npos) << why.steps[0].expression;
}

TEST(ExplainedMask, ACapAfterTheMaskIsPutOnTheSum) {
  const auto trace = traced(
      explained_mask_with({{"mask", "causal,heads.npy,row.npy"}, {"softcap", "1.5"}, {"softcap-order", "after-mask"}}),
      [] {
        Inputs inputs = inputs_with_files();
        std::swap(inputs.mask_files[0], inputs.mask_files[1]);
        return inputs;
      }());
  const Explanation why = explain(*trace, StageId::capped_scores, {0, 1, 2, 1});
  EXPECT_EQ(why.formula, "capped_scores[b,h,i,j] = softcap · tanh((scores[b,h,i,j] + added[b,h,i,j]) / softcap)");
  ASSERT_EQ(why.steps.size(), 2U);
  EXPECT_EQ(why.steps[0].name, "+ mask");
  EXPECT_EQ(why.steps[1].name, "softcap");
  const double score = static_cast<double>(trace->tensor(StageId::scores).at({0, 1, 2, 1}));
  EXPECT_TRUE(std::abs(why.value - 1.5 * std::tanh((score + 6 - 0.25) / 1.5)) <= 1e-6);
  const Explanation masked = explain(*trace, StageId::masked_scores, {0, 1, 2, 1});
  EXPECT_EQ(masked.value, why.value);
  EXPECT_EQ(masked.steps[0].name, "copy");
  EXPECT_EQ(explain(*trace, StageId::masked_scores, {0, 1, 2, 3}).value, -static_cast<double>(kInfinity));
}

TEST(ExplainedMask, DerivativesPassACapOnTheSum) {
  const auto request =
      explained_mask_with({{"mask", "alibi,causal"}, {"softcap", "0.8"}, {"softcap-order", "after-mask"}});
  const auto trace = traced(request, alone_inputs({1, 4, 4}));
  const Index at{0, 1, 3, 2};
  const Sensitivity found = sensitivity(*trace, StageId::capped_scores, at, {});
  const double score = static_cast<double>(trace->tensor(StageId::scores).at(at)),
               added = -static_cast<double>(alibi_slope(2, 1));
  const double slope = 1 - std::pow(std::tanh((score + added) / 0.8), 2);
  EXPECT_TRUE(std::abs(static_cast<double>(found.scores.at({1, 3, 2})) - slope) <= 1e-6);
}

TEST(ExplainedMask, NumbersOfThePastAreThoseOfTheirFile) {
  Inputs inputs = alone_inputs({1, 3, 3, 2, 1, 4, 4});
  auto past = std::make_shared<Past>();
  past->key = random_tensor({1, 1, 2, 4}, 91);
  past->value = random_tensor({1, 1, 2, 4}, 92);
  past->key_path = "keys.npy";
  past->value_path = "values.npy";
  inputs.key = joined_heads(past->key, inputs.key);
  inputs.value = joined_heads(past->value, inputs.value);
  inputs.key_len += 2;
  inputs.key_tokens.insert(inputs.key_tokens.begin(), {"past 0", "past 1"});
  auto rule = std::make_shared<HeadRule>();
  rule->past = past;
  inputs.head_rule = rule;
  const auto trace = traced(explained_mask_with({{"mask", "causal"}}), inputs);
  const Explanation key = explain(*trace, StageId::key, {0, 0, 1, 3}),
                    own = explain(*trace, StageId::value, {0, 0, 2, 3});
  ASSERT_EQ(key.operands.size(), 1U);
  EXPECT_EQ(key.operands[0].stage, "keys.npy");
  EXPECT_EQ(key.operands[0].index, (Index{0, 0, 1, 3}));
  EXPECT_EQ(key.value, static_cast<double>(past->key.at({0, 0, 1, 3})));
  EXPECT_EQ(own.steps[0].name, "given");
  EXPECT_FALSE(trace->mask->hidden.hidden(0, 0, 0, 2)) << "the diagonal begins after the past";
  EXPECT_TRUE(trace->mask->hidden.hidden(0, 0, 0, 3));
}

}  // namespace
}  // namespace headscope
