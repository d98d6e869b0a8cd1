#include "core/heads/token_groups.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

// [CLS] un ##happy end [SEP]
Trace pieces() {
  Inputs inputs;
  inputs.query_len = inputs.key_len = 5;
  inputs.num_heads = 1;
  inputs.tokens = inputs.key_tokens = {"[CLS]", "un", "##happy", "end", "[SEP]"};
  inputs.words = {-1, 0, 0, 1, -1};
  Trace trace;
  trace.inputs = std::make_shared<const Inputs>(std::move(inputs));
  auto mask = std::make_shared<Mask>();
  mask->hidden = HiddenCells(1, 1, 5, 5);
  trace.mask = mask;
  return trace;
}

Tensor matrix() {
  std::vector<float> values;
  for (int k = 0; k < 25; ++k) values.push_back(static_cast<float>(k) / 100);
  return tensor_of({5, 5}, values);
}

testing::AssertionResult near(const Tensor& found, const std::vector<double>& expected) {
  const std::vector<float> values = found.values();
  if (values.size() != expected.size()) return testing::AssertionFailure() << values.size() << " values";
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!(std::abs(static_cast<double>(values[k]) - expected[k]) <= 1e-6)) {
      return testing::AssertionFailure() << "value " << k << ": " << values[k] << ", expected " << expected[k];
    }
  }
  return testing::AssertionSuccess();
}

TEST(TokenGroups, NothingAskedChangesNothing) {
  const TokenGroups groups = token_groups({}, pieces());
  EXPECT_EQ(groups.row_labels, pieces().inputs->tokens);
  EXPECT_EQ(by_groups(matrix(), groups).values(), matrix().values());
  EXPECT_EQ(token_view_sentence({}), "");
}

TEST(TokenGroups, SpecialColumnsGoAndRowsStay) {
  const TokenGroups groups = token_groups({.hide_special = true}, pieces());
  EXPECT_EQ(groups.column_labels, (std::vector<std::string>{"un", "##happy", "end"}));
  EXPECT_EQ(groups.row_labels.size(), 5u);
  EXPECT_TRUE(
      near(by_groups(matrix(), groups), {.01, .02, .03, .06, .07, .08, .11, .12, .13, .16, .17, .18, .21, .22, .23}));
}

TEST(TokenGroups, RowsSumToOneAgainWhenAsked) {
  const TokenGroups groups = token_groups({.hide_first = true, .renormalize = true}, pieces());
  const std::vector<float> values = by_groups(matrix(), groups).values();
  ASSERT_EQ(values.size(), 20u);
  for (std::size_t i = 0; i < 5; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 4; ++j) sum += static_cast<double>(values[i * 4 + j]);
    EXPECT_TRUE(std::abs(sum - 1) <= 1e-6);
  }
  EXPECT_TRUE(std::abs(static_cast<double>(values[0]) - .01 / .10) <= 1e-6);
}

TEST(TokenGroups, RenormalizingAloneIsNothing) {
  EXPECT_EQ(by_groups(matrix(), token_groups({.renormalize = true}, pieces())).values(), matrix().values());
}

TEST(TokenGroups, ARowThatLosesEverythingStaysZero) {
  const Tensor all_first = tensor_of(
      {5, 5}, std::vector<float>({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0}));
  const TokenGroups groups = token_groups({.hide_first = true, .renormalize = true}, pieces());
  EXPECT_TRUE(near(by_groups(all_first, groups), std::vector<double>(20, 0.0)));
}

TEST(TokenGroups, PiecesOfAWordSumOverKeysAndAverageOverQueries) {
  const TokenGroups groups = token_groups({.merge_words = true}, pieces());
  EXPECT_EQ(groups.row_labels, (std::vector<std::string>{"[CLS]", "unhappy", "end", "[SEP]"}));
  EXPECT_EQ(groups.column_labels, groups.row_labels);
  const Tensor merged = by_groups(matrix(), groups);
  // Row [CLS]: 0, 1+2, 3, 4; row unhappy: mean of rows 1 and 2.
  EXPECT_TRUE(near(merged, {0, .03, .03, .04,                                                                //
                            (.05 + .10) / 2, (.06 + .07 + .11 + .12) / 2, (.08 + .13) / 2, (.09 + .14) / 2,  //
                            .15, .33, .18, .19,                                                              //
                            .20, .43, .23, .24}));
}

TEST(TokenGroups, SpecialTokensSideBySideDoNotMerge) {
  Trace trace = pieces();
  auto inputs = std::make_shared<Inputs>(*trace.inputs);
  inputs->words = {-1, -1, -1, -1, -1};
  trace.inputs = inputs;
  EXPECT_EQ(token_groups({.merge_words = true}, trace).row_labels.size(), 5u);
}

TEST(TokenGroups, NothingLeftIsEmpty) {
  Trace trace = pieces();
  auto inputs = std::make_shared<Inputs>(*trace.inputs);
  inputs->words = {-1, -1, -1, -1, -1};
  trace.inputs = inputs;
  EXPECT_TRUE(by_groups(matrix(), token_groups({.hide_special = true}, trace)).empty());
}

TEST(TokenGroups, SaysWhatItDoes) {
  EXPECT_EQ(token_view_sentence({true, false, true, true}),
            "columns of special tokens hidden, rows renormalised; pieces of a word: sum over keys, mean over queries");
  EXPECT_EQ(token_view_sentence({.hide_first = true}), "column of the first token hidden, rows not renormalised");
}

}  // namespace
}  // namespace headscope
