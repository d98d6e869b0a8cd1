// Kinds of mistakes that were once missed: with keys of a past, with masks of several parts, with given scores.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/layer_lab.h"
#include "core/model/head_rule.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

constexpr std::int64_t kPast = 3;

Request kinds_with_mask(const char* mask) {
  Request request = alone_request();
  find_request_option("mask")->set(request, mask);
  return request;
}

Inputs made(std::int64_t queries, std::int64_t keys) {
  return alone_inputs({2, queries, keys, 2, 2, 4, 4}, 31);
}

Tensor some_places(const Tensor& heads, std::int64_t begin, std::int64_t end) {
  Region region = whole(heads.shape());
  region[2] = {begin, end};
  Shape shape = heads.shape();
  shape[2] = end - begin;
  std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
  heads.read(region, values);
  return Tensor::of(shape, heads.axes(), std::move(values));
}

Tensor joined(const Tensor& first, const Tensor& second) {
  Shape shape = first.shape();
  shape[2] += second.dim(2);
  const std::vector<float> a = first.values(), b = second.values();
  std::vector<float> values;
  const std::int64_t before = first.dim(2) * first.dim(3), after = second.dim(2) * second.dim(3);
  for (std::int64_t row = 0; row < shape[0] * shape[1]; ++row) {
    values.insert(values.end(), a.begin() + row * before, a.begin() + (row + 1) * before);
    values.insert(values.end(), b.begin() + row * after, b.begin() + (row + 1) * after);
  }
  return Tensor::of(shape, first.axes(), std::move(values));
}

// The first keys and values become those of a past.
void mark_past(Inputs& inputs) {
  auto rule = std::make_shared<HeadRule>();
  rule->past = std::make_shared<const Past>(
      Past{some_places(inputs.key, 0, kPast), some_places(inputs.value, 0, kPast), "", ""});
  inputs.head_rule = std::move(rule);
}

// Turns neighbours or halves of every head by so many positions, with base 10000.
Tensor turned(const Tensor& heads, double positions, bool halves) {
  std::vector<float> values = heads.values();
  const std::int64_t features = heads.dim(3), pairs = features / 2;
  for (std::size_t row = 0; row < values.size(); row += static_cast<std::size_t>(features)) {
    for (std::int64_t p = 0; p < pairs; ++p) {
      const double angle = positions * std::pow(1e4, -static_cast<double>(2 * p) / static_cast<double>(features));
      float& a = values[row + static_cast<std::size_t>(halves ? p : 2 * p)];
      float& b = values[row + static_cast<std::size_t>(halves ? p + pairs : 2 * p + 1)];
      const auto x = static_cast<double>(a), y = static_cast<double>(b);
      a = static_cast<float>(x * std::cos(angle) - y * std::sin(angle));
      b = static_cast<float>(y * std::cos(angle) + x * std::sin(angle));
    }
  }
  return Tensor::of(heads.shape(), heads.axes(), std::move(values));
}

std::vector<std::vector<std::string>> named(const Diagnosis& found) {
  std::vector<std::vector<std::string>> names;
  for (const DiagnosisExplanation& each : found.explanations) names.push_back(each.variants);
  return names;
}

Diagnosis asked(const Trace& ours, std::vector<ExternalStage> theirs) {
  return diagnose(ours, std::move(theirs), make_reference_backend(), {}, {});
}

void expect_named(const Diagnosis& found, const char* name) {
  const auto names = named(found);
  const std::vector<std::string> alone{name};
  EXPECT_NE(std::find(names.begin(), names.end(), alone), names.end()) << name << " of " << names.size();
}

TEST(MendedKinds, RotaryPositionsThatForgetThePast) {
  const Inputs right = made(4, 4 + kPast);
  for (const bool halves : {true, false}) {
    for (const bool keys_too : {true, false}) {
      Request request = kinds_with_mask("causal");
      request.past = kPast;
      Inputs wrong = right;
      wrong.query = turned(right.query, -static_cast<double>(kPast), halves);
      if (keys_too) {
        const Tensor fresh = some_places(right.key, kPast, 4 + kPast);
        wrong.key = joined(some_places(right.key, 0, kPast), turned(fresh, -static_cast<double>(kPast), halves));
      }
      const auto ours = traced(request, right), theirs = traced(request, wrong);
      const Diagnosis found = asked(*ours, {{StageId::weights, theirs->tensor(StageId::weights)}});
      expect_named(found, "rotary-past-ignored");
    }
  }
}

TEST(MendedKinds, AMaskThatForgetsThePast) {
  Inputs inputs = made(4, 4 + kPast);
  Request wrong = kinds_with_mask("causal");
  wrong.causal_align = CausalAlign::top_left;
  const auto theirs = traced(wrong, inputs);
  mark_past(inputs);
  const auto ours = traced(kinds_with_mask("causal"), inputs);
  expect_named(asked(*ours, {{StageId::context, theirs->tensor(StageId::context)}}), "past-ignored-by-mask");
}

TEST(MendedKinds, APastThatIsPutAtTheEnd) {
  Inputs inputs = made(4, 4 + kPast);
  Request request = kinds_with_mask("causal");
  request.past = kPast;
  Inputs wrong = inputs;
  for (Tensor* heads : {&wrong.key, &wrong.value}) {
    *heads = joined(some_places(*heads, kPast, 4 + kPast), some_places(*heads, 0, kPast));
  }
  const auto theirs = traced(request, wrong);
  mark_past(inputs);
  const auto ours = traced(kinds_with_mask("causal"), inputs);
  expect_named(asked(*ours, {{StageId::context, theirs->tensor(StageId::context)}}), "past-at-the-end");
}

TEST(MendedKinds, ACausalMaskOffByOneBesidesPadding) {
  const Inputs inputs = made(6, 6);
  const auto ours = traced(kinds_with_mask("causal,padding:1"), inputs);
  Request wrong = kinds_with_mask("causal,padding:1");
  find_request_option("paint")->set(wrong, "show@0,1;show@1,2;show@2,3;show@3,4");
  const auto theirs = traced(wrong, inputs);
  expect_named(asked(*ours, {{StageId::context, theirs->tensor(StageId::context)}}), "causal-plus-one");
}

TEST(MendedKinds, AWrongFillWhereTheScoresAreGiven) {
  const Inputs inputs = made(6, 6);
  const auto ours = traced(kinds_with_mask("causal"), inputs);
  for (const auto& [fill, name] : {std::pair{0.0, "mask-fill-0"}, {-1.0, "mask-fill-minus-1"}}) {
    Request wrong = kinds_with_mask("causal");
    wrong.mask_fill = fill;
    const auto theirs = traced(wrong, inputs);
    expect_named(asked(*ours, {{StageId::scores, theirs->tensor(StageId::scores)},
                               {StageId::masked_scores, theirs->tensor(StageId::masked_scores)}}),
                 name);
  }
}

TEST(MendedKinds, SumsInHalfPrecisionWithExactProducts) {
  const Inputs inputs = made(6, 6);
  const Request request = kinds_with_mask("causal");
  const auto ours = traced(request, inputs);
  Altered what{request, inputs, false, false, {}};
  what.faults.accumulator = number_grids()[0];
  what.faults.rounds_products = false;
  const GivenStages none;
  const CancelToken never;
  LayerLab lab(std::move(what), none, nullptr, never);
  const std::vector<std::int64_t> all = {0, 1, 2, 3, 4, 5};
  const WideStage weights = lab.stage(StageId::weights, all);
  const Tensor& own = ours->tensor(StageId::weights);
  const Tensor theirs = Tensor::of(own.shape(), own.axes(), {weights.values.begin(), weights.values.end()});
  expect_named(asked(*ours, {{StageId::weights, theirs}}), "accumulated-in-half");
}

}  // namespace
}  // namespace headscope
