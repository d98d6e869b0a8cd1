// Ablations in sweeps against plain loops with that part replaced, and the means that they take.
#include "core/sweep/ablation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/engine.h"
#include "core/base/error.h"
#include "core/sweep/sweep.h"
#include "tests/core/sweep/plain_models.h"

namespace headscope {
namespace {

const std::vector<std::int64_t> kText = {1, 5, 4, 7, 8, 9};

SweepQuestion question_of(const std::string& model, SweepPatch patch, Ablation ablation) {
  SweepQuestion question;
  question.patched.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + model;
  question.patched.token_ids = kText;
  question.patched.backend = BackendChoice::cpu;
  question.metric = "logit:3-8";
  question.patch = patch;
  question.ablation = ablation;
  return question;
}

// The mean over the rows of a column; of weights, whose rows are those of every head, there is none.
double mean_of(const PlainRows& rows, std::size_t column) {
  double sum = 0;
  for (const std::vector<double>& row : rows) sum += row[column] / static_cast<double>(rows.size());
  return sum;
}

// What the plain loops say when the part of a cell is replaced.
double plain_value(const std::string& model, const SweepCell& cell, Ablation ablation) {
  const PlainSizes sizes = plain_sizes(model);
  const std::size_t size = static_cast<std::size_t>(sizes.width / sizes.heads);
  const std::string part = fmt::format("{}/{}", cell.layer, cell.stage == "context" ? "concat" : cell.stage);
  PlainParts parts;
  parts.change = [&](const std::string& name, PlainRows& rows) {
    if (name != part) return;
    const PlainRows own = rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (cell.position && static_cast<std::size_t>(*cell.position) != i) continue;
      for (std::size_t d = 0; d < rows[i].size(); ++d) {
        if (cell.head && d / size != static_cast<std::size_t>(*cell.head)) continue;
        rows[i][d] = ablation == Ablation::zero ? 0 : mean_of(own, d);
      }
    }
  };
  const PlainRows logits = plain_logits(model, kText, parts);
  return logits[5][3] - logits[5][8];
}

TEST(AblationSweep, EveryCellIsThePlainLoopsWithThatPartReplaced) {
  for (const char* model : {"gpt2", "llama", "bert"}) {
    for (const Ablation ablation : {Ablation::zero, Ablation::mean}) {
      for (const SweepPatch patch : {SweepPatch::heads, SweepPatch::positions, SweepPatch::stages}) {
        const Sweep found = sweep({}, question_of(model, patch, ablation), CancelToken());
        EXPECT_FALSE(found.source.has_value());
        EXPECT_TRUE(found.found->notice.empty());
        for (const SweepCell& cell : found.cells) {
          const double wanted = plain_value(model, cell, ablation);
          EXPECT_TRUE(std::abs(cell.value - wanted) <= 5e-5 * (1 + std::abs(wanted)))
              << model << " " << kAblationNames[static_cast<std::size_t>(ablation)] << " " << cell.layer << "/"
              << cell.stage << ": " << cell.value << " for " << wanted;
        }
        if (patch == SweepPatch::stages) {
          EXPECT_EQ(found.cells.size(), ablation == Ablation::mean ? 12u : 14u) << "weights have no mean";
        }
      }
    }
  }
}

TEST(StageMeans, AreOverAllPositionsOfAllRuns) {
  const Axes axes{Axis::batch, Axis::head, Axis::position, Axis::feature};
  StageMeans means;
  means.add(1, "context", Tensor::of({1, 2, 1, 2}, axes, {1, 2, 3, 4}));
  means.add(1, "context", Tensor::of({1, 2, 2, 2}, axes, {4, 5, 7, 8, 0, -1, 3, -3}));
  const Tensor filled = means.filled(1, "context", Tensor::zeros({2, 2, 1, 2}, axes));
  EXPECT_EQ(filled.values(), (std::vector<float>{4, 5, 2, 0, 4, 5, 2, 0}));
  EXPECT_FALSE(has_mean("weights") || has_mean("scores"));
  EXPECT_TRUE(has_mean("context") && has_mean("stream") && has_mean("mlp_out"));
}

TEST(AblationSweep, AMeanOverPhrasesIsThatOfTheirRuns) {
  SweepQuestion question;
  question.patched.model = "demo:induction";
  question.patched.phrase = "cat box ink fox jam cat";
  question.metric = "logit:box";
  question.ablation = Ablation::mean;
  const Sweep own = sweep({}, question, CancelToken());
  question.mean_over = {question.patched.phrase};
  const Sweep listed = sweep({}, question, CancelToken());
  question.mean_over = {"fox ink", "jam cat box"};
  const Sweep others = sweep({}, question, CancelToken());
  bool other = false;
  for (std::size_t k = 0; k < own.cells.size(); ++k) {
    EXPECT_EQ(own.cells[k].value, listed.cells[k].value) << k;
    other = other || own.cells[k].value != others.cells[k].value;
  }
  EXPECT_TRUE(other);
  question.ablation = Ablation::zero;
  EXPECT_THROW(sweep({}, question, CancelToken()), UsageError) << "no mean is taken";
}

}  // namespace
}  // namespace headscope
