// What rounding may cost is asked row by row: neither a quiet row, nor a fill, nor a sum that cancels speaks for
// others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/thread_pool.h"
#include "core/compare/wide_stage.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/number_format.h"
#include "core/diagnose/tolerance.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

Request with_mask(const char* mask) {
  Request request = alone_request();
  if (*mask != 0) find_request_option("mask")->set(request, mask);
  return request;
}

using Change = std::function<float(float, std::size_t)>;

// The numbers of our stage, each changed.
Tensor changed(const Trace& ours, StageId stage, const Change& change) {
  const Tensor& own = ours.tensor(stage);
  std::vector<float> values = own.values();
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = change(values[k], k);
  return Tensor::of(own.shape(), own.axes(), std::move(values));
}

float half(float value) {
  return static_cast<float>(rounded_to(number_grids()[0], static_cast<double>(value)));
}

StageComparison judged(const Trace& ours, StageId stage, const Tensor& theirs, const DiagnoseOptions& options = {}) {
  const Diagnosis found = diagnose(ours, {{stage, theirs}}, make_reference_backend(), {}, CancelToken(), options);
  return found.stages.front();
}

Inputs scaled(Inputs inputs, float factor, std::size_t begin, std::size_t end) {
  for (Tensor* each : {&inputs.query, &inputs.key}) {
    std::vector<float> values = each->values();
    for (std::size_t k = begin; k < std::min(end, values.size()); ++k) values[k] *= factor;
    *each = Tensor::of(each->shape(), each->axes(), std::move(values));
  }
  return inputs;
}

TEST(LocalTolerance, AFillMakesNothingBesideItEqual) {
  const auto ours = traced(with_mask("causal"), alone_inputs({1, 6, 6, 2, 2, 8, 8}, 5));
  for (const float fill : {-1e4F, -1e9F, -3.4028235e38F}) {
    const Tensor theirs = changed(*ours, StageId::masked_scores,
                                  [=](float value, std::size_t) { return std::isinf(value) ? fill : 3 * value + 1; });
    const StageComparison found = judged(*ours, StageId::masked_scores, theirs);
    EXPECT_EQ(found.verdict(), "differs") << fill;
    EXPECT_TRUE(found.format.is_float32()) << fill;
  }
}

// So many cells that a search looks at some of the queries, and at all of them in the end.
TEST(LocalTolerance, NoiseInALongTextIsNoMistakesShare) {
  const auto ours = traced(with_mask("causal"), alone_inputs({1, 300, 300, 1, 1, 4, 4}, 8));
  const auto noisy = changed(*ours, StageId::context, [](float value, std::size_t place) {
    return value * (1 + 0.1F * static_cast<float>(static_cast<int>(place * 7919 % 201) - 100) / 100);
  });
  const StageComparison found = judged(*ours, StageId::context, noisy);
  EXPECT_EQ(found.verdict(), "differs");
  ASSERT_FALSE(found.nearest.empty());
  for (const DiagnosisExplanation& each : found.nearest) EXPECT_LT(each.share, 0.05);
}

TEST(LocalTolerance, AFiniteFillOfOursLoosensNoRow) {
  Request request = with_mask("causal");
  request.mask_fill = -1e4;
  const auto ours = traced(request, alone_inputs({1, 6, 6, 2, 2, 8, 8}, 6));
  const Tensor theirs = changed(*ours, StageId::masked_scores,
                                [](float value, std::size_t place) { return place == 43 ? value + 0.1F : value; });
  const StageComparison found = judged(*ours, StageId::masked_scores, theirs);
  EXPECT_EQ(found.verdict(), "differs");
  EXPECT_EQ(found.where.cells, 1);
  EXPECT_EQ(found.read_as, "");
}

TEST(LocalTolerance, AQuietRowDoesNotLoosenOthers) {
  // One feature and values that cancel: rounding moves such a row by more than itself.
  const auto ours = traced(with_mask(""), alone_inputs({1, 16, 16, 8, 8, 4, 1}, 7));
  const auto rounded = changed(*ours, StageId::context, [](float value, std::size_t) { return half(value); });
  EXPECT_EQ(judged(*ours, StageId::context, rounded).verdict(), "equal within float16");
  const auto more = changed(*ours, StageId::context, [](float value, std::size_t) { return half(1.2F * value); });
  EXPECT_NE(judged(*ours, StageId::context, more).verdict(), "equal within float16");
  const auto scores = changed(*ours, StageId::scores, [](float value, std::size_t) { return half(1.1F * value); });
  EXPECT_EQ(judged(*ours, StageId::scores, scores).verdict(), "differs");
}

TEST(LocalTolerance, ASumThatCancelsIsEqualInFloat32) {
  // Scores of large products that nearly cancel, added in another order.
  Inputs inputs = alone_inputs({1, 8, 8, 2, 2, 64, 1}, 8);
  inputs = scaled(std::move(inputs), 30, 0, 100000);
  std::vector<float> keys = inputs.key.values();
  for (std::size_t k = 0; k + 1 < keys.size(); k += 2) keys[k + 1] = -keys[k];
  std::vector<float> queries = inputs.query.values();
  for (std::size_t k = 0; k + 1 < queries.size(); k += 2) queries[k + 1] = queries[k] * 1.0001F;
  inputs.key = Tensor::of(inputs.key.shape(), inputs.key.axes(), keys);
  inputs.query = Tensor::of(inputs.query.shape(), inputs.query.axes(), queries);
  const auto ours = traced(with_mask(""), inputs);
  std::vector<float> theirs;
  for (std::size_t row = 0; row < 16; ++row) {
    for (std::size_t j = 0; j < 8; ++j) {
      double sum = 0;
      for (std::size_t d = 0; d < 64; ++d) {
        sum += static_cast<double>(queries[row * 64 + d]) * static_cast<double>(keys[(row / 8 * 8 + j) * 64 + d]);
      }
      theirs.push_back(static_cast<float>(sum));
    }
  }
  const Tensor& own = ours->tensor(StageId::raw_scores);
  EXPECT_EQ(judged(*ours, StageId::raw_scores, Tensor::of(own.shape(), own.axes(), theirs)).verdict(), "equal");
}

TEST(LocalTolerance, WholeNumbersAreNoEvidenceOfAFormat) {
  Inputs inputs = alone_inputs({1, 6, 6, 2, 2, 4, 4}, 9);
  for (Tensor* each : {&inputs.query, &inputs.key}) {
    std::vector<float> values = each->values();
    for (float& value : values) value = std::nearbyint(2 * value);
    *each = Tensor::of(each->shape(), each->axes(), std::move(values));
  }
  const auto ours = traced(with_mask(""), inputs);
  const Tensor theirs = changed(*ours, StageId::raw_scores, [](float value, std::size_t) {
    return std::abs(value) >= 7 ? value + (value > 0 ? 1.0F : -1.0F) : value;
  });
  const StageComparison found = judged(*ours, StageId::raw_scores, theirs);
  EXPECT_TRUE(found.format.is_float32());
  EXPECT_EQ(found.equal, largest_difference(theirs, ours->tensor(StageId::raw_scores)) == 0);
}

// One number may be a half by chance, several may not.
TEST(LocalTolerance, WhatTheFileSaysIsTheFormatOfOneNumber) {
  const auto several = traced(with_mask(""), alone_inputs({1, 2, 2, 1, 1, 4, 2}, 10));
  const Tensor halves = changed(*several, StageId::context, [](float value, std::size_t) { return half(value); });
  EXPECT_EQ(judged(*several, StageId::context, halves).verdict(), "equal within float16");
  const auto ours = traced(with_mask(""), alone_inputs({1, 1, 1, 1, 1, 4, 1}, 10));
  const Tensor theirs = changed(*ours, StageId::context, [](float value, std::size_t) { return half(value); });
  ExternalStage stage{StageId::context, theirs};
  EXPECT_FALSE(diagnose(*ours, {stage}, make_reference_backend(), {}, CancelToken()).equal);
  stage.format = "f16";
  EXPECT_EQ(diagnose(*ours, {stage}, make_reference_backend(), {}, CancelToken()).verdict(), "equal within float16");
}

TEST(LocalTolerance, ATransposedMatrixIsAMistakeAndNoLayout) {
  const auto ours = traced(with_mask(""), alone_inputs({1, 6, 6, 2, 2, 4, 4}, 11));
  const Tensor& own = ours->tensor(StageId::weights);
  const Tensor theirs = Tensor::of(own.shape(), own.axes(), own.permuted({0, 1, 3, 2}).dense_copy().values());
  const StageComparison found = judged(*ours, StageId::weights, theirs);
  EXPECT_EQ(found.verdict(), "explained");
  EXPECT_EQ(found.mistakes, std::vector<std::string>{"scores-transposed"});
  EXPECT_EQ(found.read_as, "");
}

TEST(LocalTolerance, AMistakeThatLeavesMostIsNoExplanation) {
  const auto ours = traced(with_mask(""), alone_inputs({1, 6, 6, 2, 2, 4, 4}, 12));
  const Tensor theirs = changed(*ours, StageId::context,
                                [](float value, std::size_t place) { return place == 20 ? value + 1.5F : value; });
  DiagnoseOptions options;
  options.tolerance = 1.49;
  EXPECT_EQ(judged(*ours, StageId::context, theirs, options).verdict(), "differs");
}

TEST(LocalTolerance, AnotherStageOfOursIsSaid) {
  const auto ours = traced(with_mask("causal"), alone_inputs({1, 6, 6, 2, 2, 4, 4}, 13));
  const StageComparison found = judged(*ours, StageId::scores, ours->tensor(StageId::masked_scores));
  EXPECT_EQ(found.same_as, StageId::masked_scores);
}

TEST(LocalTolerance, LowFillsAreKnown) {
  const auto ours = traced(with_mask("causal"), alone_inputs({1, 6, 6, 2, 2, 4, 4}, 14));
  for (const auto& [fill, name] : {std::pair{-1e9F, "mask-fill-minus-1e9"},
                                   {-65504.0F, "mask-fill-float16-min"},
                                   {-3.4028235e38F, "mask-fill-float32-min"},
                                   {-1e4F, "mask-fill-1e4"}}) {
    const Tensor theirs = changed(*ours, StageId::masked_scores,
                                  [fill = fill](float value, std::size_t) { return std::isinf(value) ? fill : value; });
    EXPECT_EQ(judged(*ours, StageId::masked_scores, theirs).mistakes, std::vector<std::string>{name});
  }
}

// Rows enough for several threads; every third cell differs, one by a number that is none.
TEST(LocalTolerance, RowsThatThreadsShareGiveTheSumsAndPlacesOfOneThread) {
  constexpr std::int64_t kRows = 700, kWidth = 60;
  const std::vector<float> numbers = random_values(kRows * kWidth, 11);
  const WideStage right{{1, 1, kRows, kWidth}, {numbers.begin(), numbers.end()}};
  WideStage theirs = right;
  for (std::size_t k = 0; k < theirs.values.size(); k += 3) theirs.values[k] += 0.5;
  const Tolerance tolerance(NumberFormat(), std::nullopt, {}, {}, {});
  for (const bool odd : {false, true}) {
    if (odd) theirs.values[30000] = std::numeric_limits<double>::quiet_NaN();
    ThreadPool pool(4);
    std::vector<std::size_t> places[2];
    Remainder left[2];
    for (const bool shared : {false, true}) {
      const auto visit = [&](std::size_t place, double ours, double other) {
        EXPECT_EQ(ours, right.values[place]);
        EXPECT_TRUE(other == theirs.values[place] || std::isnan(other));
        places[shared].push_back(place);
      };
      left[shared] = compare_stage(right, nullptr, theirs, tolerance, {}, {visit, shared ? &pool : nullptr});
    }
    EXPECT_EQ(places[0], places[1]);
    EXPECT_TRUE(std::is_sorted(places[0].begin(), places[0].end()));
    EXPECT_EQ(places[0].size(), theirs.values.size() / 3);
    EXPECT_EQ(left[0].wrong, left[1].wrong);
    EXPECT_EQ(left[0].squares, left[1].squares);
    EXPECT_EQ(left[0].size, left[1].size);
    EXPECT_EQ(left[0].allowed, left[1].allowed);
    EXPECT_EQ(left[0].largest, left[1].largest);
    EXPECT_EQ(std::isinf(left[0].squares), odd);
    if (!odd) {
      EXPECT_NEAR(left[0].squares, 0.25 * kRows * kWidth / 3, 1e-9);
    }
  }
}

}  // namespace
}  // namespace headscope
