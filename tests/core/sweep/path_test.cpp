// Paths between heads: against plain loops that hold everything else, and the previous-token head of the induction
// demo.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "core/base/error.h"
#include "core/sweep/sweep.h"
#include "tests/core/sweep/plain_models.h"

namespace headscope {
namespace {

const std::vector<std::int64_t> kPathTextA = {1, 5, 2, 7, 3, 9}, kPathTextB = {1, 5, 4, 7, 8, 9};

SweepQuestion path_question_of(const std::string& model) {
  SweepQuestion question;
  for (Request* request : {&question.patched, &question.source}) {
    request->model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + model;
    request->token_ids = request == &question.patched ? kPathTextB : kPathTextA;
    request->backend = BackendChoice::cpu;
  }
  question.metric = "logit:3-8";
  question.patch = SweepPatch::paths;
  return question;
}

// A head's columns of `from` in `to`.
void put_head(const PlainRows& from, std::size_t head, std::size_t size, PlainRows& to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    for (std::size_t d = head * size; d < (head + 1) * size; ++d) to[i][d] = from[i][d];
  }
}

// Wang et al. 2022: in one run layer 0 has A's context of one head and what its MLP gave in B; of the query, key or
// value that this makes, one head's goes into another run, which is B's but for it.
double plain_path(const std::string& model, const SweepCell& cell) {
  const PlainSizes sizes = plain_sizes(model);
  const std::size_t size = static_cast<std::size_t>(sizes.width / sizes.heads);
  PlainParts a, b, held;
  plain_logits(model, kPathTextA, a);
  plain_logits(model, kPathTextB, b);
  held.change = [&](const std::string& name, PlainRows& rows) {
    if (name == "0/concat") put_head(a.seen.at(name), static_cast<std::size_t>(cell.from->head), size, rows);
    if (name == "0/mlp_out") rows = b.seen.at(name);
  };
  plain_logits(model, kPathTextB, held);
  PlainParts last;
  const std::string part = "1/" + cell.stage;
  last.change = [&](const std::string& name, PlainRows& rows) {
    if (name == part) put_head(held.seen.at(part), static_cast<std::size_t>(*cell.head), size, rows);
  };
  const PlainRows logits = plain_logits(model, kPathTextB, last);
  return logits[5][3] - logits[5][8];
}

TEST(PathSweep, IsThePlainLoopsWithEverythingElseHeld) {
  for (const char* model : {"gpt2", "llama", "bert"}) {
    SweepQuestion question = path_question_of(model);
    question.from = LayerHead{0, 1};
    const Sweep found = sweep({}, question, CancelToken());
    const PlainSizes sizes = plain_sizes(model);
    EXPECT_EQ(std::ssize(found.cells), sizes.heads + 2 * sizes.groups);
    bool moved = false;
    for (const SweepCell& cell : found.cells) {
      const double wanted = plain_path(model, cell);
      moved = moved || std::abs(cell.value - found.unpatched) > 1e-3;
      EXPECT_TRUE(std::abs(cell.value - wanted) <= 5e-5 * (1 + std::abs(wanted)))
          << model << " into " << cell.stage << " " << *cell.head << ": " << cell.value << " for " << wanted;
    }
    EXPECT_TRUE(moved) << model;
  }
}

TEST(PathSweep, IntoAHeadHoldsTheSameCells) {
  SweepQuestion question = path_question_of("llama");
  question.into = LayerHead{1, 3};
  const Sweep into = sweep({}, question, CancelToken());
  EXPECT_EQ(into.cells.size(), 12u) << "query, key and value from 4 heads";
  question.into.reset();
  for (const SweepCell& cell : into.cells) {
    question.from = cell.from;
    bool found = false;
    for (const SweepCell& other : sweep({}, question, CancelToken()).cells) {
      if (other.layer != cell.layer || other.head != cell.head || other.stage != cell.stage) continue;
      found = true;
      EXPECT_EQ(other.value, cell.value);
    }
    EXPECT_TRUE(found) << cell.stage << *cell.head;
  }
}

TEST(PathSweep, OfTheSameTextChangesNoBit) {
  for (const char* model : {"gpt2", "bert", "gemma2", "opt-after", "falcon"}) {
    SweepQuestion question = path_question_of(model);
    question.source = question.patched;
    question.into = LayerHead{1, 0};
    const Sweep found = sweep({}, question, CancelToken());
    for (const SweepCell& cell : found.cells) EXPECT_EQ(cell.value, found.unpatched) << model << cell.stage;
  }
}

// The head of layer 1 that finds what stood after this word looks for keys that a head of layer 0 wrote: the one that
// looks at the previous token.
TEST(PathSweep, FindsThePreviousTokenHeadOfTheInductionDemo) {
  SweepQuestion question;
  question.patched.model = question.source.model = "demo:induction";
  question.patched.phrase = "cat box ink fox jam cat";
  question.source.phrase = "ink box ink fox jam cat";  // what stands before box is no cat
  question.metric = "logit:box";
  const Sweep heads = sweep({}, question, CancelToken());
  const SweepCell* copies = &heads.cells.front();
  for (const SweepCell& cell : heads.cells) {
    if (cell.layer == 1 && (copies->layer == 0 || cell.value < copies->value)) copies = &cell;
  }
  ASSERT_EQ(copies->layer, 1);
  question.patch = SweepPatch::paths;
  question.into = LayerHead{copies->layer, *copies->head};
  const Sweep found = sweep({}, question, CancelToken());
  const SweepCell* largest = nullptr;
  for (const SweepCell& cell : found.cells) {
    if (largest == nullptr || std::abs(cell.value - found.unpatched) > std::abs(largest->value - found.unpatched)) {
      largest = &cell;
    }
  }
  ASSERT_NE(largest, nullptr);
  // Of the head's weights in the unpatched run, the mean of what it gives the token before.
  const Tensor& weights = found.trace->model->layers[0]->tensor(StageId::weights);
  const auto previous = [&](std::int64_t head) {
    double sum = 0;
    for (std::int64_t i = 1; i < weights.dim(2); ++i) sum += static_cast<double>(weights.at({0, head, i, i - 1})) / 5;
    return sum;
  };
  std::int64_t best = 0;
  for (std::int64_t h = 0; h < weights.dim(1); ++h) {
    if (previous(h) > previous(best)) best = h;
  }
  EXPECT_EQ(largest->stage, "key");
  EXPECT_LT(largest->value, found.unpatched) << "without it box is found less";
  EXPECT_EQ(largest->from->head, best) << "it gives the token before " << previous(largest->from->head) << ", head "
                                       << best << " gives it " << previous(best);
}

void expect_refused(const SweepQuestion& question, const std::string& part) {
  try {
    sweep({}, question, CancelToken());
    ADD_FAILURE() << "ran: " << part;
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(PathSweep, RefusesWhatIsNoPath) {
  SweepQuestion question = path_question_of("gpt2");
  question.from = LayerHead{1, 0};
  expect_refused(question, "--from: found 1:0, but a path goes from a layer to a later one of 2");
  question.from = LayerHead{0, 3};
  expect_refused(question, "--from: found 0:3, but a layer has 3 heads");
  question.from.reset();
  question.into = LayerHead{0, 1};
  expect_refused(question, "--into: found 0:1, but a path goes");
  question.from = LayerHead{0, 1};
  question.into = LayerHead{1, 1};
  expect_refused(question, "--into: found --from beside it");
  question.patch = SweepPatch::heads;
  expect_refused(question, "--from: found it with --patch heads");
  question.patch = SweepPatch::paths;
  question.from.reset();
  question.into.reset();
  expect_refused(question, "--from: missing; --patch paths needs a head");
}

TEST(PathSweep, TakesAblationsAndEstimates) {
  SweepQuestion question = path_question_of("llama");
  question.from = LayerHead{0, 2};
  question.ablation = Ablation::mean;
  question.estimate = SweepEstimate::beside;
  const Sweep found = sweep({}, question, CancelToken());
  bool moved = false;
  for (const SweepCell& cell : found.cells) {
    ASSERT_TRUE(cell.estimate.has_value());
    moved = moved || cell.value != found.unpatched;
  }
  EXPECT_TRUE(moved);
  EXPECT_TRUE(found.correlation.has_value());
}

}  // namespace
}  // namespace headscope
