// Known mistakes are named from the numbers that they give: alone, in twos, and never where there is only noise.
#include "core/diagnose/diagnose.h"
#include "core/attention/input_problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <set>

#include "core/base/error.h"
#include "core/compare/mistakes.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

struct Case {
  std::string name;
  Request request;
  Inputs inputs;
  StageId stage = StageId::output;
};

Request masked(Request request, const char* mask) {
  find_request_option("mask")->set(request, mask);
  return request;
}

// Small layers of all kinds; sizes differ, so that axes cannot be mixed up by chance.
std::vector<Case> made_cases() {
  std::vector<Case> cases;
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    const auto more = static_cast<std::int64_t>(seed);
    const QkvLayout layout = seed % 2 == 1 ? QkvLayout::per_head : QkvLayout::blocked;
    cases.push_back(
        {"fused, causal", masked(phrase_request(), "causal"),
         fused_inputs(
             layout,
             {.batch = 2, .len = 4 + more, .input_dim = 7, .heads = 2, .head_dim = 4 + more, .seed = 50 * seed}),
         StageId::output});
    cases.push_back(
        {"fused, padding", masked(phrase_request(), "padding:2"),
         fused_inputs(layout,
                      {.batch = 1, .len = 5, .input_dim = 6, .heads = 3, .head_dim = 2 + more, .seed = 60 * seed}),
         StageId::output});
    cases.push_back({"alone, window", masked(alone_request(), "window:1"),
                     alone_inputs({2, 4 + more, 4 + more, 2, 2, 4 + more, 3}, 70 * seed), StageId::concat});
  }
  return cases;
}

std::shared_ptr<const Trace> with_mistakes(const Case& base, const std::vector<std::size_t>& which) {
  Altered what{base.request, base.inputs, false, false, {}};
  for (const std::size_t k : which) {
    if (!known_mistakes()[k].make(what)) return nullptr;
  }
  if (find_problem(what.request, what.inputs)) return nullptr;
  return traced(what.request, what.inputs);
}

bool lists(const Diagnosis& diagnosis, const std::vector<std::size_t>& which) {
  std::vector<std::string> names;
  for (const std::size_t k : which) names.emplace_back(known_mistakes()[k].name);
  return std::any_of(diagnosis.explanations.begin(), diagnosis.explanations.end(),
                     [&](const DiagnosisExplanation& each) { return each.variants == names; });
}

Diagnosis diagnosed(const Case& base, const Tensor& theirs) {
  return diagnose(*traced(base.request, base.inputs), {{base.stage, theirs}}, make_reference_backend(), {}, {});
}

#ifdef HEADSCOPE_SANITIZED
constexpr std::size_t kStep = 4;  // of the pairs: all of them take minutes there
#else
constexpr std::size_t kStep = 1;
#endif

TEST(Diagnose, NamesEveryVariantAloneAndEveryTwoOfThem) {
  std::int64_t asked = 0, first = 0;
  std::set<std::size_t> seen;
  for (const Case& base : made_cases()) {
    const auto ours = traced(base.request, base.inputs);
    for (std::size_t a = 0; a < kContractVariants; ++a) {
      for (std::size_t b = a; b < kContractVariants; b += kStep) {
        const std::vector<std::size_t> which = a == b ? std::vector{a} : std::vector{a, b};
        const auto trace = with_mistakes(base, which);
        if (trace == nullptr) continue;
        const Tensor& theirs = trace->tensor(base.stage);
        if (!(theirs.shape() == ours->tensor(base.stage).shape())) continue;
        const Diagnosis found = diagnosed(base, theirs);
        std::string what = base.name;
        for (const std::size_t k : which) what += std::string(" ") + std::string(known_mistakes()[k].name);
        if (largest_difference(theirs, ours->tensor(base.stage)) == 0) {
          EXPECT_TRUE(found.equal) << what;
          continue;
        }
        ++asked;
        EXPECT_FALSE(found.equal) << what;
        ASSERT_FALSE(found.explanations.empty()) << what;
        // Two mistakes of which one alone gives the same numbers are one.
        const bool named = lists(found, which);
        const bool fewer = found.explanations.front().variants.size() < which.size();
        EXPECT_TRUE(named || fewer) << what << ", found " << found.explanations.front().variants.front();
        for (const DiagnosisExplanation& each : found.explanations) EXPECT_LE(each.residual, 5e-5);
        if (named) first += found.explanations.front().variants.front() == known_mistakes()[which.front()].name ? 1 : 0;
        if (a == b) seen.insert(a);
      }
    }
  }
  EXPECT_GE(asked, kStep == 1 ? 200 : 100);
  EXPECT_GE(first * 10, asked * 9) << first << " of " << asked << " stand first";
  EXPECT_EQ(seen.size(), kContractVariants) << "some variant was never made alone";
}

TEST(Diagnose, NamesEveryConventionThatChangesSomething) {
  const std::vector<Case> cases = made_cases();
  std::set<std::string> named;
  for (const Case& base : cases) {
    const auto ours = traced(base.request, base.inputs);
    for (std::size_t k = kContractVariants; k < known_mistakes().size(); ++k) {
      const std::string name(known_mistakes()[k].name);
      Altered what{base.request, base.inputs, false, false, {}};
      if (!known_mistakes()[k].make(what) || find_problem(what.request, what.inputs)) continue;
      Tensor theirs = traced(what.request, what.inputs)->tensor(base.stage);
      if (theirs.rank() != 3) continue;
      if (what.batch_is_sequence != what.axes_exchanged) theirs = theirs.permuted({1, 0, 2});
      const Diagnosis found = diagnosed(base, theirs);
      if (found.equal) continue;
      ASSERT_TRUE(lists(found, {k})) << base.name << " " << name;
      named.insert(name);
    }
  }
  for (const char* name : {"query-key-swapped", "key-value-swapped", "query-value-swapped", "output-transposed",
                           "projection-bias-missing", "output-bias-missing", "heads-reversed", "batch-as-sequence",
                           "axes-exchanged", "mask-missing", "scale-by-head-dim", "scale-multiplied"}) {
    EXPECT_EQ(named.count(name), 1U) << name;
  }
}

// A layer of random kind and sizes: what it holds is decided by `seed` alone.
[[maybe_unused]] Case random_case(std::uint32_t seed) {
  std::mt19937 draw(seed);
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(draw() % static_cast<std::uint32_t>(high - low + 1));
  };
  const char* masks[] = {"causal", "causal,padding:1", "window:1", "padding:2", "prefix:2"};
  const char* mask = masks[between(0, 4)];
  const std::int64_t batch = between(1, 2), heads = between(2, 4), len = between(3, 6);
  const std::int64_t head_dim = between(0, 2) == 0 ? len : between(2, 6);  // so that key-not-transposed has a shape
  if (between(0, 4) == 0) {
    return {"alone", masked(alone_request(), mask),
            alone_inputs({batch, len, len, heads, heads, head_dim, head_dim}, seed), StageId::concat};
  }
  const QkvLayout layout = between(0, 1) == 0 ? QkvLayout::per_head : QkvLayout::blocked;
  return {
      "fused", masked(phrase_request(), mask),
      fused_inputs(
          layout,
          {.batch = batch, .len = len, .input_dim = between(3, 9), .heads = heads, .head_dim = head_dim, .seed = seed}),
      StageId::output};
}

// How often noise alone, and ours with noise of a thousandth on it, is taken for something known.
[[maybe_unused]] int false_alarms(const Case& base, const Trace& ours, std::uint32_t seed) {
  const Tensor own = ours.tensor(base.stage);
  std::vector<float> near = own.values();
  const std::vector<float> noise = random_values(own.size(), seed + 7);
  for (std::size_t k = 0; k < near.size(); ++k) near[k] += 1e-3F * noise[k];
  int alarms = 0;
  for (const Tensor& theirs : {random_tensor(own.shape(), seed + 90001), Tensor::of(own.shape(), own.axes(), near)}) {
    const Diagnosis none = diagnosed(base, theirs);
    const bool alarm = none.equal || !none.explanations.empty();
    std::string by = none.equal ? "equal" : "";
    for (const DiagnosisExplanation& each : none.explanations) {
      for (const std::string& name : each.variants) by += name + " ";
    }
    EXPECT_FALSE(alarm) << base.name << ": " << by << none.stages.front().where.sentence;
    alarms += alarm ? 1 : 0;
  }
  return alarms;
}

// What `diagnose` is worth: each variant and each two on layers of their own, noise on as many.
// Under a sanitizer the cases above run the same code.
#ifndef HEADSCOPE_SANITIZED
TEST(Diagnose, HitsAndFalseAlarmsOnRandomLayers) {
  constexpr int kEach = 6;  // layers for every pick
  std::vector<std::vector<std::size_t>> picks;
  for (std::size_t a = 0; a < kContractVariants; ++a) {
    picks.push_back({a});
    for (std::size_t b = a + 1; b < kContractVariants; ++b) picks.push_back({a, b});
  }
  int asked = 0, first = 0, fewer = 0, other = 0, alarms = 0, noises = 0;
  std::set<std::size_t> alone, pairs;
  std::uint32_t seed = 5000;
  for (std::size_t p = 0; p < picks.size(); ++p) {
    for (int made = 0, tries = 0; made < kEach && tries < 60; ++tries) {
      const Case base = random_case(++seed);
      const auto trace = with_mistakes(base, picks[p]);
      const auto ours = traced(base.request, base.inputs);
      if (trace == nullptr || find_problem(trace->request)) continue;
      if (!(largest_difference(trace->tensor(base.stage), ours->tensor(base.stage)) > 1e-4)) continue;
      ++made;
      ++asked;
      (picks[p].size() == 1 ? alone : pairs).insert(p);
      const Diagnosis found = diagnosed(base, trace->tensor(base.stage));
      std::vector<std::string> names;
      for (const std::size_t k : picks[p]) names.emplace_back(known_mistakes()[k].name);
      ASSERT_FALSE(found.explanations.empty()) << base.name << " " << names.front() << " " << names.back();
      if (found.explanations.front().variants == names) {
        ++first;
      } else if (found.explanations.front().variants.size() < names.size()) {
        ++fewer;  // one of the known mistakes alone gives the same numbers here
      } else {
        ++other;
        std::string first_named;
        for (const std::string& name : found.explanations.front().variants) first_named += name + " ";
        EXPECT_TRUE(lists(found, picks[p]))
            << base.name << " " << names.front() << " " << names.back() << " not among " << first_named;
      }
      if (made > 1) continue;
      noises += 2;
      alarms += false_alarms(base, *ours, seed);
    }
  }
  std::printf(
      "asked %d, named first %d, a single one that gives the same %d, named behind one that gives the same %d; "
      "noise %d, false alarms %d\n",
      asked, first, fewer, other, noises, alarms);
  EXPECT_GE(asked, 200);
  EXPECT_GE(noises, 80);
  EXPECT_EQ(alarms, 0);
  EXPECT_EQ(first + fewer + other, asked);
  EXPECT_GE(first * 100, asked * 90);
  EXPECT_EQ(alone.size(), kContractVariants);
  EXPECT_EQ(pairs.size(), 34U) << "all but the two that exclude each other";
}
#endif

TEST(Diagnose, NamesNothingForNoise) {
  std::uint32_t seed = 900;
  for (const Case& base : made_cases()) {
    const Tensor own = traced(base.request, base.inputs)->tensor(base.stage);
    const Diagnosis found = diagnosed(base, random_tensor(own.shape(), ++seed));
    EXPECT_FALSE(found.equal);
    EXPECT_TRUE(found.explanations.empty()) << base.name << " " << found.explanations.front().variants.front();
    EXPECT_GT(found.max_difference, 0);
  }
}

TEST(Diagnose, RoundingIsEqualAndNaNIsNot) {
  const Case base = made_cases().front();
  const Tensor own = traced(base.request, base.inputs)->tensor(base.stage);
  std::vector<float> values = own.values();
  for (std::size_t k = 0; k < values.size(); ++k) values[k] *= k % 2 == 0 ? 1.0F + 1e-6F : 1.0F - 1e-6F;
  const Diagnosis rounded = diagnosed(base, Tensor::of(own.shape(), own.axes(), values));
  EXPECT_TRUE(rounded.equal);
  EXPECT_GT(rounded.max_difference, 0);
  EXPECT_LT(rounded.max_difference, 1e-5);
  values[3] = std::nanf("");
  const Diagnosis nan = diagnosed(base, Tensor::of(own.shape(), own.axes(), values));
  EXPECT_FALSE(nan.equal);
  EXPECT_TRUE(std::isinf(nan.max_difference));
}

TEST(Diagnose, OtherShapesAreRefused) {
  const Case base = made_cases().front();
  EXPECT_THROW(diagnosed(base, random_tensor({1, 2, 3}, 1)), UsageError);
}

}  // namespace
}  // namespace headscope
