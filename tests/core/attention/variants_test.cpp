// The known mistakes, dropout, ablation and merging: each does what its name says and nothing else.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "core/attention/input_problem.h"
#include "core/backend/score_steps.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

Request variants_with(Variant variant, const std::string& mask = "none") {
  Request request = alone_request();
  request.variants = {variant};
  find_request_option("mask")->set(request, mask);
  return request;
}

TEST(Variants, SoftmaxOverQueriesSumsToOneDownEachColumn) {
  const auto trace =
      traced(variants_with(Variant::softmax_over_queries, "causal"), alone_inputs({2, 5, 4, 2, 2, 3, 3}));
  const Tensor& weights = trace->tensor(StageId::weights);
  EXPECT_TRUE(weights.dense());
  for (std::int64_t j = 0; j < 4; ++j) {
    double sum = 0;
    for (std::int64_t i = 0; i < 5; ++i) sum += weights.at({1, 1, i, j});
    EXPECT_TRUE(std::abs(sum - 1) <= 1e-6);
    for (std::int64_t i = 0; i < j; ++i) EXPECT_EQ(weights.at({1, 1, i, j}), 0.0F);
  }
  EXPECT_TRUE(trace->row_statistics.max.empty());
  const double ratio = std::exp(static_cast<double>(trace->tensor(StageId::masked_scores).at({1, 1, 4, 2})) -
                                trace->tensor(StageId::masked_scores).at({1, 1, 3, 2}));
  EXPECT_TRUE(std::abs(weights.at({1, 1, 4, 2}) / weights.at({1, 1, 3, 2}) - ratio) <= 1e-5);
}

TEST(Variants, NoScaleLeavesRawScores) {
  const auto trace = traced(variants_with(Variant::no_scale), alone_inputs({}));
  EXPECT_EQ(trace->scale, 1.0);
  EXPECT_TRUE(same_storage(trace->tensor(StageId::scores), trace->tensor(StageId::raw_scores)));
}

TEST(Variants, ScaleByDModel) {
  const auto alone = traced(variants_with(Variant::scale_by_d_model), alone_inputs({1, 2, 2, 4, 2, 9, 5}));
  EXPECT_TRUE(std::abs(alone->scale - 1.0 / 6) <= 1e-15) << "attention alone: heads * head_dim";
  EXPECT_EQ(alone->find(StageId::scores)->operation, "÷ √36 (num_heads · head_dim)") << "d_model is that of its values";
  Request request = phrase_request();
  request.variants = {Variant::scale_by_d_model};
  const auto trace = traced(request, fused_inputs(QkvLayout::per_head));
  EXPECT_TRUE(std::abs(trace->scale - 1 / std::sqrt(6.0)) <= 1e-15);
  EXPECT_EQ(trace->find(StageId::scores)->operation, "÷ √6 (d_model)");
}

TEST(Variants, MaskInvertedHidesWhatShouldBeSeen) {
  const auto trace = traced(variants_with(Variant::mask_inverted, "causal"), alone_inputs({}));
  EXPECT_EQ(trace->tensor(StageId::weights).at({0, 0, 1, 0}), 0.0F);
  EXPECT_GT(trace->tensor(StageId::weights).at({0, 0, 1, 3}), 0.0F);
  EXPECT_EQ(trace->fully_masked_queries, std::vector<std::int64_t>{4});
  EXPECT_EQ(trace->find(StageId::masked_scores)->operation, "+ inverted causal mask");
}

TEST(Variants, MaskAfterSoftmaxDoesNotRenormalise) {
  const Inputs inputs = alone_inputs({});
  const auto plain = traced(alone_request(), inputs);
  const auto trace = traced(variants_with(Variant::mask_after_softmax, "causal"), inputs);
  EXPECT_TRUE(trace->find(StageId::masked_scores)->equals_previous);
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 5; ++j) {
      const float expected = j > i ? 0.0F : plain->tensor(StageId::weights).at({0, 1, i, j});
      EXPECT_EQ(trace->tensor(StageId::weights).at({0, 1, i, j}), expected);
    }
  }
  EXPECT_EQ(trace->find(StageId::weights)->operation, "softmax, then mask");
  EXPECT_EQ(trace->tensor(StageId::context).at({0, 0, 0, 0}),
            trace->tensor(StageId::weights).at({0, 0, 0, 0}) * inputs.value.at({0, 0, 0, 0}));
}

TEST(Variants, MaskAfterSoftmaxStillAddsFiniteValues) {
  Request request = variants_with(Variant::mask_after_softmax);
  request.mask = {{MaskTerm::Kind::file, 0, "m.npy"}, {MaskTerm::Kind::causal, 0, ""}};
  Inputs inputs = alone_inputs({});
  inputs.mask_files = {{"m.npy", tensor_of({5}, {1, 2, 3, 4, 5}), false}};
  const auto trace = traced(request, inputs);
  for (const std::int64_t i : {0, 4}) {  // hidden later, and visible
    const float added =
        trace->tensor(StageId::masked_scores).at({0, 0, i, 2}) - trace->tensor(StageId::scores).at({0, 0, i, 2});
    EXPECT_TRUE(std::abs(added - 3) <= 1e-6);
  }
}

TEST(Variants, QkvRowsReadInTheOtherLayout) {
  for (const auto& [variant, really] : {std::pair(Variant::qkv_blocked_as_per_head, QkvLayout::blocked),
                                        std::pair(Variant::qkv_per_head_as_blocked, QkvLayout::per_head)}) {
    Request request = phrase_request();
    request.variants = {variant};
    const QkvLayout other = really == QkvLayout::blocked ? QkvLayout::per_head : QkvLayout::blocked;
    ASSERT_EQ(find_problem(request, fused_inputs(really)), std::nullopt);
    const auto mistaken = traced(request, fused_inputs(really));
    const auto as_other = traced(phrase_request(), fused_inputs(other));
    EXPECT_TRUE(same_bits(mistaken->tensor(StageId::output), as_other->tensor(StageId::output)));
    EXPECT_FALSE(same_bits(mistaken->tensor(StageId::output),
                           traced(phrase_request(), fused_inputs(really))->tensor(StageId::output)));
  }
}

TEST(Variants, KeyNotTransposedMultipliesByTheKeyMatrixAsItLies) {
  const Inputs inputs = alone_inputs({2, 4, 3, 4, 2, 3, 5});
  ASSERT_EQ(find_problem(variants_with(Variant::key_not_transposed), inputs), std::nullopt);
  for (const auto& backend : {make_reference_backend(), make_cpu_backend(2)}) {
    const auto trace = traced(variants_with(Variant::key_not_transposed), inputs, backend);
    double sum = 0;
    for (std::int64_t d = 0; d < 3; ++d) {
      sum += static_cast<double>(inputs.query.at({1, 3, 2, d})) * inputs.key.at({1, 1, d, 1});
    }
    EXPECT_TRUE(std::abs(trace->tensor(StageId::raw_scores).at({1, 3, 2, 1}) - sum) <= 1e-6);
  }
}

TEST(Dropout, KeptWeightsAreDividedByTheKeepProbability) {
  Request request = alone_request();
  request.dropout = 0.25;
  const auto trace = traced(request, alone_inputs({2, 40, 50, 3, 3, 4, 4}));
  const std::vector<float> weights = trace->tensor(StageId::weights).values();
  const std::vector<float> dropped = trace->tensor(StageId::dropped_weights).values();
  std::int64_t kept = 0;
  for (std::size_t cell = 0; cell < weights.size(); ++cell) {
    if (dropped[cell] == 0) continue;
    ++kept;
    EXPECT_EQ(dropped[cell], weights[cell] * static_cast<float>(1 / 0.75));
  }
  const double share = static_cast<double>(kept) / static_cast<double>(weights.size());
  EXPECT_TRUE(std::abs(share - 0.75) <= 0.02) << share;
  EXPECT_FALSE(same_bits(trace->tensor(StageId::weights), trace->tensor(StageId::dropped_weights)));
}

TEST(Dropout, DependsOnItsSeedAndPlaceAlone) {
  const Tensor small = tensor_of({1, 1, 2, 3}, std::vector<float>(6, 1));
  const Tensor large = tensor_of({2, 2, 4, 6}, std::vector<float>(96, 1));
  const auto dropped = [](const Tensor& weights, std::uint64_t seed) {
    ScoreRule rule;
    rule.dropout = 0.5;
    rule.dropout_seed = seed;
    return dropped_weights(weights, rule, whole(weights.shape()), CancelToken());
  };
  const Tensor a = dropped(small, 7);
  const Tensor b = dropped(large, 7);
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) EXPECT_EQ(a.at({0, 0, i, j}), b.at({0, 0, i, j}));
  }
  EXPECT_TRUE(same_bits(b, dropped(large, 7)));
  EXPECT_FALSE(same_bits(b, dropped(large, 8)));
  std::set<std::vector<float>> matrices;
  for (std::int64_t m = 0; m < 4; ++m) matrices.insert(matrix_at(b, m / 2, m % 2).values());
  EXPECT_EQ(matrices.size(), 4U) << "every batch and head has its own draw";
}

TEST(Dropout, AProbabilityOfOneDropsAllAndOfZeroNothing) {
  Request request = alone_request();
  request.dropout = 1;
  const auto trace = traced(request, alone_inputs({}));
  for (float weight : trace->tensor(StageId::dropped_weights).values()) EXPECT_EQ(weight, 0.0F);
  for (float value : trace->tensor(StageId::context).values()) EXPECT_EQ(value, 0.0F);
  request.dropout = 0;
  EXPECT_EQ(traced(request, alone_inputs({}))->find(StageId::dropped_weights), nullptr);
}

TEST(Dropout, AMaskFileReplacesTheDraw) {
  Request request = alone_request();
  request.dropout = 0.5;
  request.dropout_mask = "keep.npy";
  Inputs inputs = alone_inputs({});
  inputs.dropout_mask = tensor_of({2, 1, 5}, {1, 0, 1, 0, 1, 0, 0, 0, 0, 1});
  const auto trace = traced(request, inputs);
  EXPECT_EQ(trace->tensor(StageId::dropped_weights).at({0, 0, 3, 1}), 0.0F);
  EXPECT_EQ(trace->tensor(StageId::dropped_weights).at({0, 0, 3, 2}),
            2 * trace->tensor(StageId::weights).at({0, 0, 3, 2}));
  EXPECT_EQ(trace->tensor(StageId::context).at({0, 1, 2, 1}),
            trace->tensor(StageId::dropped_weights).at({0, 1, 2, 4}) * inputs.value.at({0, 1, 4, 1}));
  request.dropout = 0;
  EXPECT_EQ(traced(request, inputs)->tensor(StageId::dropped_weights).at({0, 0, 3, 2}),
            traced(request, inputs)->tensor(StageId::weights).at({0, 0, 3, 2}));
}

TEST(Ablation, ZeroesTheContextOfThatHeadOnly) {
  Request request = alone_request();
  Inputs inputs = alone_inputs({2, 3, 3, 4, 2, 3, 3});
  const auto plain = traced(request, inputs);
  request.ablate = {{0, 2}, {0, 0}};
  const auto trace = traced(request, inputs);
  for (std::int64_t h = 0; h < 4; ++h) {
    const float expected = h % 2 == 0 ? 0.0F : plain->tensor(StageId::context).at({1, h, 2, 1});
    EXPECT_EQ(trace->tensor(StageId::context).at({1, h, 2, 1}), expected);
    EXPECT_EQ(trace->tensor(StageId::concat).at({1, 2, h * 3 + 1}), expected);
  }
  EXPECT_TRUE(same_bits(trace->tensor(StageId::weights), plain->tensor(StageId::weights)));
}

TEST(Ablation, ANanHeadIsZeroToo) {
  Request request = alone_request();
  request.ablate = {{0, 1}};
  Inputs inputs = alone_inputs({});
  inputs.value.mutable_data()[20] = NAN;
  for (float value : matrix_at(traced(request, inputs)->tensor(StageId::context), 0, 1).values())
    EXPECT_EQ(value, 0.0F);
}

}  // namespace
}  // namespace headscope
