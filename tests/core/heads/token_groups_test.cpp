#include "core/heads/token_groups.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/heads/grouped_mask.h"
#include "core/heads/shown_rows.h"
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

constexpr Showing kSpecial{.hide_tokens = HideTokens::special};
constexpr Showing kFirst{.hide_tokens = HideTokens::first};
constexpr Showing kWords{.groups = GroupBy::words};

Tensor shown(const Showing& view, const Trace& trace, const Tensor& of = matrix()) {
  return by_groups(of, token_groups(view, trace), view);
}

TEST(TokenGroups, NothingAskedChangesNothing) {
  const TokenGroups groups = token_groups({}, pieces());
  EXPECT_EQ(groups.row_labels, groups.column_labels);
  EXPECT_EQ(shown({}, pieces()).values(), matrix().values());
  EXPECT_EQ(showing_sentence({}), "");
}

TEST(TokenGroups, SpecialColumnsGoAndRowsStay) {
  const TokenGroups groups = token_groups(kSpecial, pieces());
  EXPECT_EQ(groups.row_labels.size(), 5u);
  EXPECT_EQ(groups.column_labels, (std::vector<std::string>{"un", "##happy", "end"}));
  EXPECT_TRUE(
      near(shown(kSpecial, pieces()), {.01, .02, .03, .06, .07, .08, .11, .12, .13, .16, .17, .18, .21, .22, .23}));
}

TEST(TokenGroups, WherePlacesCountHiddenColumnsStayWithoutPositions) {
  const TokenGroups groups = token_groups(kSpecial, pieces(), HiddenColumns::zero);
  EXPECT_EQ(groups.column_labels.size(), 5u);
  EXPECT_TRUE(groups.columns.front().empty() && groups.columns.back().empty());
  EXPECT_EQ(by_groups(matrix(), groups, kSpecial).at({1, 0}), 0);
  EXPECT_EQ(by_groups(matrix(), groups, kSpecial).at({1, 1}), .06F);
}

TEST(TokenGroups, RowsSumToOneAgainWhenAsked) {
  Showing view = kFirst;
  view.renormalise = true;
  const std::vector<float> values = shown(view, pieces()).values();
  for (std::size_t i = 0; i < 5; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 4; ++j) sum += static_cast<double>(values[i * 4 + j]);
    EXPECT_TRUE(std::abs(sum - 1) <= 1e-6) << i << ": " << sum;
  }
}

TEST(TokenGroups, ARowThatLosesEverythingStaysZero) {
  std::vector<float> first_only(25, 0.0F);
  for (std::size_t i = 0; i < 5; ++i) first_only[i * 5] = 1;
  Showing view = kFirst;
  view.renormalise = true;
  EXPECT_TRUE(near(shown(view, pieces(), tensor_of({5, 5}, first_only)), std::vector<double>(20, 0.0)));
}

TEST(TokenGroups, PiecesOfAWordSumOverKeysAndAverageOverQueries) {
  const TokenGroups groups = token_groups(kWords, pieces());
  EXPECT_EQ(groups.row_labels, (std::vector<std::string>{"[CLS]", "unhappy", "end", "[SEP]"}));
  EXPECT_EQ(groups.column_labels, groups.row_labels);
  const Tensor merged = shown(kWords, pieces());
  EXPECT_TRUE(std::abs(static_cast<double>(merged.at({0, 1})) - (.01 + .02)) <= 1e-7);
  EXPECT_TRUE(std::abs(static_cast<double>(merged.at({1, 0})) - (.05 + .10) / 2) <= 1e-7);
  EXPECT_TRUE(std::abs(static_cast<double>(merged.at({1, 1})) - (.06 + .07 + .11 + .12) / 2) <= 1e-7);
}

TEST(TokenGroups, SpecialTokensSideBySideDoNotMerge) {
  Trace trace = pieces();
  Inputs inputs = *trace.inputs;
  inputs.words = {-1, -1, -1, 0, 1};
  trace.inputs = std::make_shared<const Inputs>(std::move(inputs));
  EXPECT_EQ(token_groups(kWords, trace).row_labels.size(), 5u);
}

TEST(TokenGroups, NothingLeftIsEmpty) {
  Trace trace = pieces();
  Inputs inputs = *trace.inputs;
  inputs.words = {-1, -1, -1, -1, -1};
  trace.inputs = std::make_shared<const Inputs>(std::move(inputs));
  EXPECT_TRUE(shown(kSpecial, trace).empty());
}

TEST(TokenGroups, AMergedCellIsHiddenWhenAllOfItIs) {
  Mask mask;
  mask.hidden = HiddenCells(1, 2, 5, 5);
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = i + 1; j < 5; ++j) mask.hidden.mutable_row(0, 1, i)[j] = 1;
  }
  mask.hidden.refresh_any();
  const TokenGroups groups = token_groups(kWords, pieces());
  const std::shared_ptr<const Mask> grouped = grouped_mask(mask, groups);
  const std::shared_ptr<const Mask> of_head = grouped_mask(mask, 0, 1, groups);
  EXPECT_EQ(grouped_mask(mask, 0, 0, groups), nullptr);
  ASSERT_EQ(grouped->hidden.heads(), 2);
  for (std::int64_t r = 0; r < 4; ++r) {
    for (std::int64_t c = 0; c < 4; ++c) {
      EXPECT_FALSE(grouped->hidden.hidden(0, 0, r, c));
      EXPECT_EQ(grouped->hidden.hidden(0, 1, r, c), c > r) << r << ", " << c;
      EXPECT_EQ(of_head->hidden.hidden(0, 0, r, c), c > r) << r << ", " << c;
    }
  }
}

TEST(Showing, SaysWhatItDoes) {
  EXPECT_EQ(showing_sentence({GroupBy::words, HideTokens::special, true, Weighting::value_norm, 0.9}),
            "weights times the lengths of their values; pieces of a word: sum over keys, mean over queries; columns of "
            "special tokens hidden; the largest of a row up to 0.9 of it, others 0; rows divided by their sums");
  EXPECT_EQ(showing_sentence(kFirst), "column of the first token hidden");
  EXPECT_EQ(showing_sentence(kSpecial, false), "no key is known as a special token, so no column is hidden");
}

TEST(Showing, SaysWhereNoTokenIsKnownAsSpecial) {
  Trace trace = pieces();
  trace.request.hide_tokens = HideTokens::special;
  EXPECT_EQ(shown_sentence(trace), "columns of special tokens hidden");
  const auto with = [&](const std::function<void(Inputs&)>& change) {
    Trace other = trace;
    Inputs inputs = *trace.inputs;
    change(inputs);
    other.inputs = std::make_shared<const Inputs>(std::move(inputs));
    return shown_sentence(other);
  };
  const std::string none = showing_sentence(kSpecial, false);
  EXPECT_EQ(with([](Inputs& inputs) { inputs.words.clear(); }), none);
  EXPECT_EQ(with([](Inputs& inputs) { inputs.words = {0, 1, 2, 3, 4}; }), none);
  EXPECT_EQ(with([](Inputs& inputs) { inputs.key_len = 3; }), showing_sentence(kSpecial)) << "a shown result";
  EXPECT_EQ(with([](Inputs& inputs) { inputs.key_len = 7; }), none) << "keys of a past";
  trace.request.key_phrase = "a b";
  EXPECT_EQ(shown_sentence(trace), none);
}

TEST(Showing, IsWhatTheOptionsOfARequestSay) {
  Request request;
  EXPECT_FALSE(showing_of(request).changes_something());
  EXPECT_TRUE(said_showing(request).empty());
  request.hide_tokens = HideTokens::first;
  request.renormalise = true;
  request.top_p = 0.5;
  EXPECT_TRUE(showing_of(request).changes_something() && showing_of(request).changes_tokens());
  ASSERT_EQ(said_showing(request).size(), 3u);
  EXPECT_EQ(said_showing(request)[0].name, "hide-tokens");
  EXPECT_EQ(said_showing(request)[2].value, "0.5");
}

}  // namespace
}  // namespace headscope
