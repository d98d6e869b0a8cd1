// Estimates of cells against the slope of plain loops on the way from the one run to the other.
#include "core/sweep/sweep_estimate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/sweep/sweep.h"
#include "tests/core/sweep/plain_models.h"

namespace headscope {
namespace {

const std::vector<std::int64_t> kEstimateTextA = {1, 5, 2, 7, 3, 9}, kEstimateTextB = {1, 5, 4, 7, 8, 9};

Request estimate_golden(const std::string& name, std::vector<std::int64_t> ids) {
  Request request;
  request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name;
  request.token_ids = std::move(ids);
  request.backend = BackendChoice::cpu;
  return request;
}

SweepQuestion estimate_question_of(const std::string& model, SweepPatch patch, const std::string& metric) {
  SweepQuestion question;
  question.patched = estimate_golden(model, kEstimateTextB);
  question.source = estimate_golden(model, kEstimateTextA);
  question.metric = metric;
  question.patch = patch;
  question.estimate = SweepEstimate::beside;
  return question;
}

// The slope at 0 of the metric when the part of a cell is (1 - t) of B and t of A.
double plain_change(const std::string& model, const SweepCell& cell, const PlainParts& a) {
  constexpr double kStep = 1e-5;
  const PlainSizes sizes = plain_sizes(model);
  const std::size_t size = static_cast<std::size_t>(sizes.width / sizes.heads);
  const std::string part = fmt::format("{}/{}", cell.layer, cell.stage == "context" ? "concat" : cell.stage);
  double ends[2];
  for (const int end : {0, 1}) {
    PlainParts parts;
    parts.change = [&](const std::string& name, PlainRows& rows) {
      if (name != part) return;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (cell.position && static_cast<std::size_t>(*cell.position) != i) continue;
        for (std::size_t d = 0; d < rows[i].size(); ++d) {
          if (cell.head && d / size != static_cast<std::size_t>(*cell.head)) continue;
          rows[i][d] += (end == 0 ? -kStep : kStep) * (a.seen.at(name)[i][d] - rows[i][d]);
        }
      }
    };
    const PlainRows logits = plain_logits(model, kEstimateTextB, parts);
    ends[end] = logits[5][3] - logits[5][8];
  }
  return (ends[1] - ends[0]) / (2 * kStep);
}

TEST(SweepEstimate, IsTheSlopeOfPlainLoopsFromBTowardsA) {
  for (const char* model : {"gpt2", "llama", "bert"}) {
    PlainParts a;
    plain_logits(model, kEstimateTextA, a);
    for (const SweepPatch patch : {SweepPatch::heads, SweepPatch::positions, SweepPatch::stages}) {
      const Sweep found = sweep({}, estimate_question_of(model, patch, "logit:3-8"), CancelToken());
      for (const SweepCell& cell : found.cells) {
        const double wanted = found.unpatched + plain_change(model, cell, a);
        ASSERT_TRUE(cell.estimate.has_value());
        EXPECT_TRUE(std::abs(*cell.estimate - wanted) <= 2e-4 * (1 + std::abs(wanted)))
            << model << " " << cell.layer << "/" << cell.stage << ": " << *cell.estimate << " for " << wanted;
      }
      ASSERT_TRUE(found.correlation.has_value());
    }
  }
}

TEST(SweepEstimate, AloneIsTheSameWithoutTheRuns) {
  for (const char* metric : {"logit:3", "prob:5", "loss"}) {
    SweepQuestion question = estimate_question_of("llama", SweepPatch::stages, metric);
    const Sweep beside = sweep({}, question, CancelToken());
    question.estimate = SweepEstimate::alone;
    const Sweep alone = sweep({}, question, CancelToken());
    question.estimate = SweepEstimate::none;
    const Sweep runs = sweep({}, question, CancelToken());
    EXPECT_FALSE(alone.correlation || runs.correlation);
    for (std::size_t k = 0; k < runs.cells.size(); ++k) {
      EXPECT_EQ(alone.cells[k].estimate, beside.cells[k].estimate) << metric;
      EXPECT_TRUE(std::isnan(alone.cells[k].value));
      EXPECT_EQ(beside.cells[k].value, runs.cells[k].value) << metric;
      EXPECT_FALSE(runs.cells[k].estimate.has_value());
    }
  }
}

// A step that is small enough is the slope: texts that differ in nothing give the unpatched value itself.
TEST(SweepEstimate, OfTheSameTextIsTheUnpatchedValue) {
  SweepQuestion question = estimate_question_of("bert", SweepPatch::stages, "prob:5");
  question.source = question.patched;
  const Sweep found = sweep({}, question, CancelToken());
  for (const SweepCell& cell : found.cells) EXPECT_EQ(cell.estimate, found.unpatched) << cell.stage;
  EXPECT_FALSE(found.correlation.has_value()) << "every cell is the same";
}

TEST(SweepEstimate, OfTheInductionDemoFollowsItsRuns) {
  SweepQuestion question;
  question.patched.model = question.source.model = "demo:induction";
  question.patched.phrase = "cat box ink fox jam cat";
  question.source.phrase = "cat ink box fox jam cat";
  question.metric = "logit:ink-box";
  question.estimate = SweepEstimate::beside;
  const Sweep found = sweep({}, question, CancelToken());
  ASSERT_TRUE(found.correlation.has_value());
  EXPECT_GT(*found.correlation, 0.8);
}

TEST(SweepEstimate, CorrelationIsPearsons) {
  EXPECT_DOUBLE_EQ(*correlation_of({1, 2, 3}, {2, 4, 6}), 1);
  EXPECT_DOUBLE_EQ(*correlation_of({1, 2, 3}, {6, 4, 2}), -1);
  EXPECT_NEAR(*correlation_of({1, 2, 3, 5}, {2, 1, 4, 3}), 0.529150262212918, 1e-12) << "numpy.corrcoef";
  EXPECT_FALSE(correlation_of({1, 1}, {2, 3}).has_value());
  EXPECT_FALSE(correlation_of({1}, {2}).has_value());
  EXPECT_FALSE(correlation_of({1, std::numeric_limits<double>::quiet_NaN()}, {2, 3}).has_value());
}

void expect_refused(const SweepQuestion& question, const std::string& part) {
  try {
    sweep({}, question, CancelToken());
    ADD_FAILURE() << "ran: " << part;
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(SweepEstimate, RefusesWhatHasNoSlope) {
  expect_refused(estimate_question_of("gpt2", SweepPatch::heads, "kl"), "--estimate: found the metric kl");
  expect_refused(estimate_question_of("mixtral", SweepPatch::heads, "logit:3"),
                 "--estimate: found a mixture of experts");
}

}  // namespace
}  // namespace headscope
