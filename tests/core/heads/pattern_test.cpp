#include "core/heads/pattern.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/attention/engine.h"
#include "tests/core/attention/made_inputs.h"
#include "tests/core/heads/one_head.h"

namespace headscope {
namespace {

bool later(std::int64_t i, std::int64_t j) {
  return j > i;
}

std::string label(const Trace& trace) {
  return summary_label(summarize_head(trace, 0, 0), trace);
}

// `strong` at the place, the rest of the row spread evenly.
std::function<double(std::int64_t, std::int64_t)> peak(std::function<std::int64_t(std::int64_t)> place, double strong,
                                                       std::int64_t key_len) {
  return [=](std::int64_t i, std::int64_t j) {
    const std::int64_t at = place(i);
    if (at < 0 || at >= key_len) return 1.0 / static_cast<double>(key_len);
    return j == at ? strong : (1 - strong) / static_cast<double>(key_len - 1);
  };
}

TEST(Pattern, KeepsTheOrderOfTokensThatRunFromRightToLeft) {
  Trace trace = head_of(7, 7, [](std::int64_t i, std::int64_t j) {
    return i == 3 && j == 1 ? 0.9 : j == (i * 5 + 2) % 7 ? 0.4 : 0.1;
  });
  auto inputs = std::make_shared<Inputs>(*trace.inputs);
  inputs->tokens[3] = "שתיים";
  inputs->key_tokens[1] = "ثلاثة";
  trace.inputs = inputs;
  const HeadSummary summary = summarize_head(trace, 0, 0);
  const std::vector<LabelPiece> pieces = summary_pieces(summary, trace);
  ASSERT_EQ(pieces.size(), 4u);
  EXPECT_EQ(pieces[0].role, LabelPiece::Role::query);
  EXPECT_EQ(pieces[0].text, "שתיים") << "the token as it is";
  EXPECT_EQ(pieces[2].role, LabelPiece::Role::key);
  EXPECT_EQ(pieces[2].text, "ثلاثة");
  EXPECT_EQ(pieces[3].text, ".90");
  EXPECT_EQ(summary_label(summary, trace), "\u2068שתיים\u2069 → \u2068ثلاثة\u2069 .90");
}

TEST(Pattern, NamesWhereTheWeightLies) {
  EXPECT_EQ(label(head_of(12, 12, peak([](std::int64_t i) { return i - 1; }, 0.87, 12))), "previous token .87");
  EXPECT_EQ(label(head_of(12, 12, peak([](std::int64_t i) { return i + 1; }, 0.78, 12))), "next token .78");
  EXPECT_EQ(label(head_of(12, 12, peak([](std::int64_t i) { return i; }, 0.86, 12))), "self .86");
  EXPECT_EQ(label(head_of(12, 12, peak([](std::int64_t) { return 0; }, 0.79, 12))), "first token .79");
}

TEST(Pattern, AWholeWeightReadsAsOne) {
  EXPECT_EQ(label(head_of(6, 6, [](std::int64_t i, std::int64_t j) { return i == j ? 1 : 0; })), "self 1.00");
}

TEST(Pattern, EvenRowsAreUniform) {
  const auto even = head_of(12, 12, [](std::int64_t, std::int64_t) { return 1.0 / 12; });
  EXPECT_EQ(label(even), "uniform 1.00");
  EXPECT_TRUE(std::abs(summarize_head(even, 0, 0).entropy_bits - std::log2(12.0)) <= 1e-6);
  const auto causal = head_of(
      6, 6, [](std::int64_t i, std::int64_t j) { return j > i ? 0 : 1.0 / static_cast<double>(i + 1); }, later);
  EXPECT_EQ(label(causal), "uniform 1.00") << "of the visible keys";
}

TEST(Pattern, WeightAroundTheDiagonalIsLocal) {
  const auto near = [](std::int64_t i, std::int64_t j) {
    const std::int64_t seen = std::min<std::int64_t>(19, i + 2) - std::max<std::int64_t>(0, i - 2) + 1;
    return std::abs(i - j) <= 2 ? 0.9 / static_cast<double>(seen) : 0.1 / static_cast<double>(20 - seen);
  };
  EXPECT_EQ(label(head_of(20, 20, near)), "local .90");
}

TEST(Pattern, ElseTheStrongestArc) {
  const auto spread = [](std::int64_t i, std::int64_t j) {
    return i == 3 && j == 1 ? 0.9 : j == (i * 5 + 2) % 7 ? 0.4 : 0.1;
  };
  EXPECT_EQ(label(head_of(7, 7, spread)), "q3 → k1 .90");
}

TEST(Pattern, RowsWithOneVisibleKeySayNothing) {
  // Causal: row 0 is 1 whatever the head does; without it no pattern is near .5.
  const double rows[5][5] = {
      {1, 0, 0, 0, 0}, {.52, .48, 0, 0, 0}, {.44, .23, .33, 0, 0}, {.30, .17, .44, .09, 0}, {.14, .50, .07, .23, .06}};
  const auto trace = head_of(
      5, 5, [&](std::int64_t i, std::int64_t j) { return rows[i][j]; }, later);
  EXPECT_EQ(label(trace), "q1 → k0 .52");
  EXPECT_EQ(summarize_head(trace, 0, 0).query, 1);
}

TEST(Pattern, FirstTokenUnderACausalMaskLeavesRowZeroOut) {
  const auto trace = head_of(
      5, 5,
      [](std::int64_t i, std::int64_t j) {
        if (j > i) return 0.0;
        return i == 0 ? 1.0 : j == 0 ? 0.7 : 0.3 / static_cast<double>(i);
      },
      later);
  EXPECT_EQ(label(trace), "first token .70");
}

TEST(Pattern, OnlySelfAttentionHasNeighbours) {
  const auto diagonal = peak([](std::int64_t i) { return i; }, 0.9, 7);
  EXPECT_EQ(label(head_of(6, 7, diagonal)), "q0 → k0 .90");
  Trace cross = head_of(7, 7, diagonal);
  cross.request.key_phrase = "x";
  EXPECT_EQ(label(cross), "q0 → k0 .90");
  EXPECT_EQ(label(head_of(6, 7, peak([](std::int64_t) { return 0; }, 0.9, 7))), "first token .90");
}

TEST(Pattern, NanRowsAreLeftOut) {
  const auto good = peak([](std::int64_t i) { return i - 1; }, 0.8, 6);
  const auto trace = head_of(6, 6, [&](std::int64_t i, std::int64_t j) { return i == 2 ? NAN : good(i, j); });
  EXPECT_EQ(label(trace), "previous token .80");
  EXPECT_TRUE(std::isfinite(summarize_head(trace, 0, 0).entropy_bits));
}

TEST(Pattern, NothingToSayIsSaid) {
  const auto all_nan = head_of(3, 3, [](std::int64_t, std::int64_t) { return NAN; });
  EXPECT_EQ(label(all_nan), "every row is NaN");
  EXPECT_TRUE(std::isnan(summarize_head(all_nan, 0, 0).entropy_bits));
  const auto one = head_of(1, 1, [](std::int64_t, std::int64_t) { return 1.0; });
  EXPECT_EQ(label(one), "one visible key");
  EXPECT_EQ(summarize_head(one, 0, 0).entropy_bits, 0);
  EXPECT_EQ(summarize_head(one, 0, 0).query, -1);
}

TEST(Pattern, RowsThatAreHiddenButUniformAreSaidToBeHidden) {
  Request request;
  request.phrase = "uno dos tres";
  request.d_model = 8;
  request.heads = 2;
  request.mask = {{MaskTerm::Kind::padding, 3, ""}};
  request.mask_fill = -1e20;
  Engine engine;
  EXPECT_EQ(label(*engine.run(request, CancelToken{})), "every row is hidden");
}

TEST(Pattern, EntropyIsTheMeanOverRowsInBits) {
  const auto trace = head_of(2, 4, [](std::int64_t i, std::int64_t j) { return i == 0 ? 0.25 : j < 2 ? 0.5 : 0.0; });
  EXPECT_EQ(summarize_head(trace, 0, 0).entropy_bits, 1.5);
}

TEST(Pattern, TheExtraKeyCountsAsAKeyButNotAsANeighbour) {
  Trace trace = head_of(6, 7, peak([](std::int64_t i) { return i; }, 0.8, 7));
  auto inputs = std::make_shared<Inputs>(*trace.inputs);
  inputs->key_len = 6;
  inputs->key_tokens.pop_back();
  trace.inputs = inputs;
  EXPECT_EQ(label(trace), "self .80");
  Trace arc = trace;
  arc.stages[0].tensor = head_of(6, 7, peak([](std::int64_t i) { return i == 4 ? 6 : (i * 3 + 2) % 7; }, 0.45, 7))
                             .tensor(StageId::weights);
  arc.stages[0].tensor = [&] {
    Tensor copy = arc.stages[0].tensor.dense_copy();
    copy.mutable_data()[4 * 7 + 6] = 0.5F;
    return copy;
  }();
  EXPECT_EQ(label(arc), "q4 → bias_k .50");
}

TEST(Pattern, EveryKindHasANameAndAFormula) {
  for (int kind = 0; kind <= static_cast<int>(PatternKind::none); ++kind) {
    EXPECT_FALSE(std::string(pattern_name(static_cast<PatternKind>(kind))).empty());
    EXPECT_TRUE(std::string(pattern_formula(static_cast<PatternKind>(kind))).ends_with('.'));
  }
}

TEST(Pattern, AComputedHeadIsReadRowByRow) {
  Trace trace = head_of(6, 6, peak([](std::int64_t i) { return i - 1; }, 0.8, 6));
  const Tensor stored = trace.stages[0].tensor;
  trace.stages[0].tensor =
      Tensor::computed(stored.shape(), stored.axes(),
                       [stored](const Region& region, std::span<float> out) { stored.read(region, out); });
  EXPECT_EQ(label(trace), "previous token .80");
}

}  // namespace
}  // namespace headscope
