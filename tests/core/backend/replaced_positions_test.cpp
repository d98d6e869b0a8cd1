// The context of rows whose weights were computed anew, values that are not finite among them. What the update as a
// whole gives is compared in tests/core/attention/preview_test.cpp.
#include "core/backend/replaced_positions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/backend/cpu_backend.h"
#include "tests/core/backend/made_attention.h"

namespace headscope {
namespace {

constexpr MadeSizes kPositionsSizes{2, 40, 40, 4, 2, 7, 5};
constexpr std::int64_t kReplaced = 20;

// The rows [kReplaced, kReplaced + 1) of drawn heads of this shape.
Tensor one_row(const Tensor& like, std::uint32_t seed) {
  return random_tensor({like.dim(0), like.dim(1), 1, like.dim(3)}, seed);
}

// `heads` with that position exchanged.
Tensor with_row(const Tensor& heads, const Tensor& row) {
  Tensor result = heads.dense_copy();
  for (std::int64_t b = 0; b < heads.dim(0); ++b) {
    for (std::int64_t h = 0; h < heads.dim(1); ++h) {
      for (std::int64_t d = 0; d < heads.dim(3); ++d) {
        result.mutable_data()[((b * heads.dim(1) + h) * heads.dim(2) + kReplaced) * heads.dim(3) + d] =
            row.at({b, h, 0, d});
      }
    }
  }
  return result;
}

void set_value(MadeAttention& made, std::int64_t key, float value) {
  Tensor values = made.value.dense_copy();
  for (std::int64_t b = 0; b < values.dim(0); ++b) {
    for (std::int64_t h = 0; h < values.dim(1); ++h) {
      values.mutable_data()[((b * values.dim(1) + h) * values.dim(2) + key) * values.dim(3) + 1] = value;
    }
  }
  made.value = values;
}

ReplacedPositions replaced_in(const MadeAttention& made, const RowStatistics& statistics) {
  return {made.query,
          made.key,
          made.value,
          statistics,
          {kReplaced},
          one_row(made.query, 11),
          one_row(made.key, 12),
          one_row(made.value, 13)};
}

void expect_contexts(const MadeAttention& before) {
  const CpuBackend backend(1);
  const AttentionResults was = attention_of(backend, before);
  const ReplacedPositions replaced = replaced_in(before, was.statistics);
  MadeAttention after = before;
  after.query = with_row(before.query, replaced.new_query);
  after.key = with_row(before.key, replaced.new_key);
  after.value = with_row(before.value, replaced.new_value);
  const AttentionResults exact = attention_of(backend, after);
  const auto update = updated_attention(backend, replaced, before.rule, CancelToken());
  ASSERT_TRUE(update.has_value());
  ASSERT_GE(update->rows.size(), static_cast<std::size_t>(kPositionsSizes.batch * kPositionsSizes.heads))
      << "the row's own query";
  for (const UpdatedAttention::Row& row : update->rows) {
    const std::vector<float> context = context_of(row, replaced, *before.rule.mask);
    for (std::int64_t d = 0; d < kPositionsSizes.value_head_dim; ++d) {
      const float expected = exact.context.at({row.b, row.h, row.i, d}), got = context[static_cast<std::size_t>(d)];
      if (std::isfinite(expected)) {
        EXPECT_NEAR(got, expected, 1e-5) << row.i << ", " << d;
      } else if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(got)) << row.i << ", " << d << ": " << got;
      } else {
        EXPECT_EQ(got, expected) << row.i << ", " << d;
      }
    }
  }
}

TEST(ReplacedPositions, ContextOfARowThatWasComputedAnew) {
  expect_contexts(made_attention(kPositionsSizes, {}));
  expect_contexts(made_attention(kPositionsSizes, {{"mask", "causal"}}));
}

TEST(ReplacedPositions, HiddenValuesCountForNothingAndVisibleOnesAsTheyAre) {
  for (const float value : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    for (const std::int64_t key : {std::int64_t{3}, kReplaced + 1}) {
      SCOPED_TRACE(testing::Message() << value << " at key " << key);
      MadeAttention made = made_attention(kPositionsSizes, {{"mask", "causal"}});
      set_value(made, key, value);
      expect_contexts(made);
    }
  }
}

TEST(ReplacedPositions, AValueThatGoesAwayMustBeFinite) {
  MadeAttention made = made_attention(kPositionsSizes, {});
  set_value(made, kReplaced, std::numeric_limits<float>::infinity());
  const CpuBackend backend(1);
  const AttentionResults was = attention_of(backend, made);
  const ReplacedPositions replaced = replaced_in(made, was.statistics);
  EXPECT_FALSE(updated_attention(backend, replaced, made.rule, CancelToken()).has_value());
}

}  // namespace
}  // namespace headscope
