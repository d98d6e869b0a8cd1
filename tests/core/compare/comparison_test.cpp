#include "core/compare/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

using Words = std::vector<std::string>;
using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

std::shared_ptr<const Trace> trace_with(const std::vector<std::pair<const char*, const char*>>& given,
                                        const std::string& phrase = "a b c d") {
  Request request = small_request(2);
  request.heads = 2;
  request.phrase = phrase;
  for (const auto& [option, value] : given) find_request_option(option)->set(request, value);
  return trace_of(request);
}

const ComparedStage& stage_in(const Comparison& comparison, StageId id) {
  for (const ComparedStage& stage : comparison.stages) {
    if (stage.stage == id) return stage;
  }
  throw std::runtime_error("no such stage");
}

TEST(Comparison, EqualResultsDifferNowhere) {
  const auto a = trace_with({}), b = trace_with({});
  const Comparison comparison = compare_traces(*a, *b, CancelToken());
  EXPECT_TRUE(comparison.options.empty());
  EXPECT_TRUE(comparison.heads.empty());
  EXPECT_FALSE(comparison.first);
  for (const ComparedStage& stage : comparison.stages) {
    EXPECT_FALSE(stage.differs()) << stage_name(stage.stage);
    EXPECT_EQ(stage.cells, a->tensor(stage.stage).size());
    EXPECT_EQ(stage.relative(), 0);
  }
}

TEST(Comparison, SaysWhereAMaskBeginsToTell) {
  const auto a = trace_with({}), b = trace_with({{"mask", "causal"}});
  const Comparison comparison = compare_traces(*a, *b, CancelToken());
  ASSERT_EQ(comparison.options.size(), 1U);
  EXPECT_EQ(comparison.options[0].option, "mask");
  EXPECT_EQ(comparison.options[0].b, "causal");
  EXPECT_EQ(comparison.first, StageId::masked_scores);
  const ComparedStage& masked = stage_in(comparison, StageId::masked_scores);
  EXPECT_EQ(masked.unlike, 2 * 6) << "-inf beside numbers: six cells of each of two heads";
  EXPECT_EQ(masked.norm, 0);
  const ComparedStage& weights = stage_in(comparison, StageId::weights);
  double squares = 0, squares_a = 0, largest = 0;
  const std::vector<float> left = a->tensor(StageId::weights).values(), right = b->tensor(StageId::weights).values();
  for (std::size_t k = 0; k < left.size(); ++k) {
    const double difference = static_cast<double>(left[k]) - static_cast<double>(right[k]);
    squares += difference * difference;
    squares_a += static_cast<double>(left[k]) * static_cast<double>(left[k]);
    largest = std::max(largest, std::abs(difference));
  }
  EXPECT_DOUBLE_EQ(weights.norm, std::sqrt(squares));
  EXPECT_DOUBLE_EQ(weights.norm_a, std::sqrt(squares_a));
  EXPECT_DOUBLE_EQ(weights.largest, largest);
  EXPECT_DOUBLE_EQ(std::abs(static_cast<double>(a->tensor(StageId::weights).at(weights.at)) -
                            static_cast<double>(b->tensor(StageId::weights).at(weights.at))),
                   largest);
  ASSERT_EQ(comparison.heads.size(), 2U);
  EXPECT_GE(comparison.heads[0].weights, comparison.heads[1].weights);
  EXPECT_NEAR(std::hypot(comparison.heads[0].weights, comparison.heads[1].weights), weights.norm, 1e-12);
}

TEST(Comparison, OnlyTheHeadThatIsOffChanges) {
  const Comparison comparison = compare_traces(*trace_with({}), *trace_with({{"ablate", "0.1"}}), CancelToken());
  EXPECT_EQ(comparison.first, StageId::context);
  ASSERT_EQ(comparison.heads.size(), 1U);
  EXPECT_EQ(comparison.heads[0].head, 1);
  EXPECT_EQ(comparison.heads[0].weights, 0);
  EXPECT_GT(comparison.heads[0].context, 0);
}

TEST(Comparison, TokensThatCameOrWentAreLeftOut) {
  const auto a = trace_with({}, "a b c d"), b = trace_with({}, "a b x c d");
  const Comparison comparison = compare_traces(*a, *b, CancelToken());
  const ComparedStage& input = stage_in(comparison, StageId::input);
  EXPECT_FALSE(input.differs()) << "every word keeps its vector";
  EXPECT_EQ(input.alone, b->tensor(StageId::input).dim(2));
  EXPECT_EQ(comparison.first, StageId::input) << "a token came";
  EXPECT_FALSE(stage_in(comparison, StageId::scores).differs());
  EXPECT_TRUE(stage_in(comparison, StageId::weights).differs()) << "rows are shared with one more key";
  const auto difference = difference_matrix(*a, *b, StageId::weights, 0, 1);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->row_labels, (Words{"a", "b", "c", "d"}));
  EXPECT_EQ(difference->matrix.shape(), (Shape{4, 4}));
  EXPECT_EQ(difference->matrix.at({2, 3}),
            a->tensor(StageId::weights).at({0, 1, 2, 3}) - b->tensor(StageId::weights).at({0, 1, 3, 4}));
}

TEST(Comparison, ChangedWordsAreNamedTwice) {
  const auto difference =
      difference_matrix(*trace_with({}, "a b c d"), *trace_with({}, "a b x d"), StageId::context, 0, 0);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->row_labels, (Words{"a", "b", "c → x", "d"}));
  EXPECT_EQ(difference->column_labels.front(), "0");
}

TEST(Comparison, ShapesThatDoNotFitAreSaidToBeIncomparable) {
  const auto a = trace_with({{"heads", "2"}}), b = trace_with({{"heads", "1"}, {"softcap", "3"}});
  const Comparison comparison = compare_traces(*a, *b, CancelToken());
  EXPECT_EQ(stage_in(comparison, StageId::input).incomparable, "");
  EXPECT_NE(stage_in(comparison, StageId::weights).incomparable.find(" beside "), std::string::npos);
  EXPECT_EQ(stage_in(comparison, StageId::capped_scores).incomparable, "only B has it");
  EXPECT_FALSE(difference_matrix(*a, *b, StageId::weights, 0, 0));
  EXPECT_FALSE(difference_matrix(*a, *b, StageId::capped_scores, 0, 0));
  EXPECT_TRUE(difference_matrix(*a, *b, StageId::concat, 0, 0));
}

TEST(Comparison, NanBesideNanIsNoDifference) {
  const auto a = trace_with({{"mask", "padding:4"}}), b = trace_with({{"mask", "padding:4"}, {"scale", "2"}});
  const Comparison comparison = compare_traces(*a, *b, CancelToken());
  EXPECT_FALSE(stage_in(comparison, StageId::weights).differs());
  const auto c = trace_with({});
  EXPECT_EQ(stage_in(compare_traces(*a, *c, CancelToken()), StageId::weights).unlike,
            a->tensor(StageId::weights).size());
  const auto difference = difference_matrix(*a, *c, StageId::weights, 0, 0);
  ASSERT_TRUE(difference);
  EXPECT_TRUE(std::isnan(difference->matrix.at({0, 0})));
  EXPECT_EQ(difference_matrix(*a, *b, StageId::weights, 0, 0)->matrix.at({0, 0}), 0.0F);
}

TEST(Comparison, CanBeCancelled) {
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(compare_traces(*trace_with({}), *trace_with({}), cancel), Cancelled);
}

TEST(Comparison, CellsThatBothHideAreHidden) {
  const auto causal = trace_with({{"mask", "causal"}}), windowed = trace_with({{"mask", "causal,window:2"}});
  const auto both = difference_matrix(*causal, *windowed, StageId::weights, 0, 0);
  ASSERT_TRUE(both && both->hidden);
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) EXPECT_EQ(both->hidden->hidden.hidden(0, 0, i, j), j > i) << i << ", " << j;
  }
  EXPECT_EQ(difference_matrix(*causal, *windowed, StageId::raw_scores, 0, 0)->hidden, nullptr);
  EXPECT_EQ(difference_matrix(*causal, *trace_with({}), StageId::weights, 0, 0)->hidden, nullptr);
  // A token that came in between: its row and column are not there, the others keep their places in both.
  const auto longer = trace_with({{"mask", "causal"}}, "a b x c d");
  const auto aligned = difference_matrix(*causal, *longer, StageId::weights, 0, 0);
  ASSERT_TRUE(aligned && aligned->hidden);
  EXPECT_EQ(aligned->hidden->hidden.hidden_count(0, 0), 6);
}

}  // namespace
}  // namespace headscope
