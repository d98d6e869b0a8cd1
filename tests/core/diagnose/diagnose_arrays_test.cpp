// Attention from tensors in memory is judged against plain loops: what is right, what is wrong, what does not fit.
#include "core/diagnose/diagnose_arrays.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/request/problem.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

constexpr std::int64_t kBatch = 2, kHeads = 4, kLen = 6, kSize = 5;
const Shape kHeadsShape{kBatch, kHeads, kLen, kSize};

// Whether query i of batch item b sees key j.
using Visible = std::function<bool(std::int64_t b, std::int64_t i, std::int64_t j)>;

bool earlier(std::int64_t, std::int64_t i, std::int64_t j) {
  return j <= i;
}
// Two texts in one sequence, of another length in every item.
bool same_text(std::int64_t b, std::int64_t i, std::int64_t j) {
  return (i < 2 + b) == (j < 2 + b);
}

AttentionArrays arrays() {
  return {random_tensor(kHeadsShape, 11), random_tensor(kHeadsShape, 12), random_tensor(kHeadsShape, 13), {}, {}};
}

// The context by plain loops in double.
Tensor context_of(const AttentionArrays& given, double scale, const Visible& visible) {
  std::vector<float> context;
  for (std::int64_t row = 0; row < kBatch * kHeads * kLen; ++row) {
    const std::int64_t b = row / (kHeads * kLen), h = row / kLen % kHeads, i = row % kLen;
    std::vector<double> weights(static_cast<std::size_t>(kLen));
    double sum = 0;
    for (std::int64_t j = 0; j < kLen; ++j) {
      double score = 0;
      for (std::int64_t d = 0; d < kSize; ++d) {
        score += static_cast<double>(given.query.at({b, h, i, d})) * static_cast<double>(given.key.at({b, h, j, d}));
      }
      weights[static_cast<std::size_t>(j)] = visible(b, i, j) ? std::exp(score * scale) : 0;
      sum += weights[static_cast<std::size_t>(j)];
    }
    for (std::int64_t d = 0; d < kSize; ++d) {
      double value = 0;
      for (std::int64_t j = 0; j < kLen; ++j) {
        value += weights[static_cast<std::size_t>(j)] / sum * static_cast<double>(given.value.at({b, h, j, d}));
      }
      context.push_back(static_cast<float>(value));
    }
  }
  return tensor_of(kHeadsShape, std::move(context));
}

const double kScale = 1 / std::sqrt(static_cast<double>(kSize));

Tensor mask_of(const Visible& visible, float shown, float hidden) {
  std::vector<float> cells;
  for (std::int64_t cell = 0; cell < kBatch * kLen * kLen; ++cell) {
    const std::int64_t b = cell / (kLen * kLen), i = cell / kLen % kLen, j = cell % kLen;
    cells.push_back(visible(b, i, j) ? shown : hidden);
  }
  return tensor_of({kBatch, 1, kLen, kLen}, std::move(cells));
}

using Names = std::vector<std::string>;

TEST(DiagnoseArrays, WhatIsRightIsEqualAndAMistakeIsNamed) {
  AttentionArrays ours = arrays();
  ours.options.mask = {{MaskTerm::Kind::causal, 0, ""}};
  EXPECT_TRUE(diagnose_arrays(ours, {{StageId::context, context_of(ours, kScale, earlier)}}).equal);

  const Diagnosis found = diagnose_arrays(ours, {{StageId::context, context_of(ours, 1, earlier)}});
  EXPECT_EQ(found.verdict(), "explained");
  ASSERT_FALSE(found.explanations.empty());
  EXPECT_EQ(found.explanations.front().variants, Names{"no-scale"});
  EXPECT_EQ(found.stages.front().where.first, (Index{0, 0, 1, 0}));
  EXPECT_EQ(found.stages.front().where.rows, (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
}

TEST(DiagnoseArrays, TheOptionsAreThoseOfARequest) {
  AttentionArrays ours = arrays();
  ours.options.scale = 0.25;
  EXPECT_TRUE(
      diagnose_arrays(ours, {{StageId::context, context_of(ours, 0.25, [](auto, auto, auto) { return true; })}}).equal);
}

TEST(DiagnoseArrays, AMaskIsATensorOfAnyKind) {
  AttentionArrays ours = arrays();
  const Tensor theirs = context_of(ours, kScale, same_text);
  for (const auto& [kind, shown, hidden] : {std::tuple{MaskKind::automatic, 1.0F, 0.0F},
                                            {MaskKind::keep, 1.0F, 0.0F},
                                            {MaskKind::hide, 0.0F, 1.0F},
                                            {MaskKind::additive, 0.0F, -std::numeric_limits<float>::infinity()}}) {
    ours.options.mask_kind = kind;
    ours.mask = mask_of(same_text, shown, hidden);
    EXPECT_TRUE(diagnose_arrays(ours, {{StageId::context, theirs}}).equal) << static_cast<int>(kind);
  }
}

// A batch of texts in one sequence, whose code forgot where one ends and the next begins.
TEST(DiagnoseArrays, AMaskThatOtherCodeForgotBesidesTheCausalOneIsNamed) {
  AttentionArrays ours = arrays();
  ours.options.mask = {{MaskTerm::Kind::causal, 0, ""}};
  ours.mask = mask_of(same_text, 1, 0);
  const Diagnosis found = diagnose_arrays(ours, {{StageId::context, context_of(ours, kScale, earlier)}});
  ASSERT_FALSE(found.explanations.empty());
  EXPECT_EQ(found.explanations.front().variants, Names{"mask-part-missing"});
  const Diagnosis other = diagnose_arrays(ours, {{StageId::context, context_of(ours, kScale, same_text)}});
  ASSERT_FALSE(other.explanations.empty());
  EXPECT_EQ(other.explanations.front().variants, Names{"mask-part-missing"});
}

TEST(DiagnoseArrays, SeveralStagesAreEachJudgedFromTheirsBefore) {
  const AttentionArrays ours = arrays();
  AttentionArrays wrong = ours;
  wrong.options.variants = {Variant::no_scale};
  const std::shared_ptr<const Trace> theirs = attention_of(wrong, make_reference_backend());
  const Diagnosis found = diagnose_arrays(
      ours, {{StageId::context, theirs->tensor(StageId::context)}, {StageId::scores, theirs->tensor(StageId::scores)}});
  ASSERT_EQ(found.stages.size(), 2u);
  EXPECT_FALSE(found.stages[0].equal);
  EXPECT_TRUE(found.stages[1].equal);
  EXPECT_EQ(found.first_different, StageId::scores);
}

TEST(DiagnoseArrays, MemoryOfTheCallerIsReadWhereItLies) {
  const AttentionArrays plain = arrays();
  // Kept as [batch, len, heads, size], as many programs keep it.
  std::vector<float> numbers = plain.query.permuted({0, 2, 1, 3}).dense_copy().values();
  const auto owner = std::make_shared<int>(0);
  AttentionArrays ours = plain;
  ours.query = Tensor::view_of(owner, numbers.data(), kHeadsShape, {kLen * kHeads * kSize, kSize, kHeads * kSize, 1},
                               {Axis::batch, Axis::head, Axis::position, Axis::feature});
  const Tensor theirs = context_of(plain, kScale, [](auto, auto, auto) { return true; });
  EXPECT_TRUE(diagnose_arrays(ours, {{StageId::context, theirs}}).equal);
}

TEST(DiagnoseArrays, WhatDoesNotFitIsRefused) {
  const AttentionArrays ours = arrays();
  const std::vector<ExternalStage> theirs = {{StageId::context, context_of(ours, kScale, earlier)}};
  const auto refused = [&](const std::function<void(AttentionArrays&)>& change) {
    AttentionArrays changed = ours;
    change(changed);
    diagnose_arrays(changed, theirs);
  };
  EXPECT_THROW(refused([](AttentionArrays& of) { of.key = Tensor(); }), UsageError);
  EXPECT_THROW(refused([](AttentionArrays& of) { of.query = random_tensor({kHeads, kLen, kSize}, 1); }), UsageError);
  EXPECT_THROW(refused([](AttentionArrays& of) { of.options.query = "q.npy"; }), UsageError);
  EXPECT_THROW(refused([](AttentionArrays& of) { of.options.key_past = "k.npy"; }), UsageError);
  EXPECT_THROW(refused([](AttentionArrays& of) {
                 of.options.mask = {{MaskTerm::Kind::file, 0, "m.npy"}};
               }),
               UsageError);
  EXPECT_THROW(refused([](AttentionArrays& of) { of.options.heads = 3; }), UsageError);
  EXPECT_THROW(refused([](AttentionArrays& of) { of.options.phrase = "a b"; }), ProblemError);
  EXPECT_THROW(refused([](AttentionArrays& of) {
                 of.key = random_tensor({kBatch, kHeads, kLen, 3}, 1);
               }),
               ProblemError);
  EXPECT_THROW(refused([](AttentionArrays& of) { of.key = random_tensor({kBatch, 3, kLen, kSize}, 1); }), ProblemError);
  EXPECT_THROW(refused([](AttentionArrays& of) {
                 of.value = random_tensor({kBatch, kHeads, 4, kSize}, 1);
               }),
               ProblemError);
  EXPECT_THROW(refused([](AttentionArrays& of) { of.mask = random_tensor({3, 3}, 1); }), ProblemError);
  EXPECT_THROW(diagnose_arrays(ours, {{StageId::output, theirs.front().tensor}}), UsageError);
  EXPECT_THROW(diagnose_arrays(ours, {{StageId::weights, theirs.front().tensor}}), UsageError);
  EXPECT_THROW(diagnose_arrays(ours, {}), UsageError);
}

}  // namespace
}  // namespace headscope
