// Patched runs of whole models against plain loops, and sweeps against single patched runs.
#include "core/sweep/sweep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/attention/model_trace.h"
#include "core/attention/output_head.h"
#include "core/base/error.h"
#include "core/model/model_inputs.h"
#include "core/request/request_text.h"
#include "tests/core/sweep/plain_models.h"

namespace headscope {
namespace {

const std::vector<std::int64_t> kSweepTextA = {1, 5, 2, 7, 3, 9}, kSweepTextB = {1, 5, 4, 7, 8, 9};

Request sweep_golden(const std::string& name, std::vector<std::int64_t> ids, int threads = 2) {
  Request request;
  request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name;
  request.token_ids = std::move(ids);
  request.backend = BackendChoice::cpu;
  request.threads = threads;
  return request;
}

Request patched(Request request, const std::string& patch) {
  request.patch_from = "A";
  find_request_option("patch")->set(request, patch);
  return request;
}

EngineOptions with_source(const Request& source) {
  EngineOptions options;
  options.whole_model = true;
  options.read_request = [source](const std::string&) { return source; };
  return options;
}

std::vector<std::vector<float>> sweep_logits_of(const Trace& trace) {
  std::vector<std::vector<float>> rows;
  for (std::int64_t i = 0; i < trace.query_len(); ++i) {
    rows.push_back(logits_at(*trace.model, 0, i, *trace.model->backend, CancelToken()));
  }
  return rows;
}

// Whether `rows` are the plain loops' numbers, relative to the largest of them.
void expect_plain(const std::vector<std::vector<float>>& rows, const PlainRows& wanted, const std::string& what) {
  double largest = 0, difference = 0;
  ASSERT_EQ(rows.size(), wanted.size()) << what;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), wanted[i].size()) << what;
    for (std::size_t k = 0; k < rows[i].size(); ++k) {
      largest = std::max(largest, std::abs(wanted[i][k]));
      const double here = std::abs(static_cast<double>(rows[i][k]) - wanted[i][k]);
      difference = here <= difference ? difference : here;
    }
  }
  EXPECT_TRUE(difference <= 2e-5 * largest) << what << ": " << difference << " of " << largest;
}

// What a patch does to the parts of the plain model: `rows` and `columns` of A's numbers.
struct PlainPatch {
  std::string option, part;
  std::function<bool(std::size_t row, std::size_t column)> covers;
};

std::vector<PlainPatch> plain_patches(const std::string& model) {
  const PlainSizes sizes = plain_sizes(model);
  const std::size_t len = kSweepTextB.size(), size = static_cast<std::size_t>(sizes.width / sizes.heads);
  const auto of_head = [size](std::size_t head) {
    return [=](std::size_t, std::size_t d) { return d / size == head; };
  };
  const auto all = [](std::size_t, std::size_t) { return true; };
  std::vector<PlainPatch> patches;
  for (int layer = 0; layer < 2; ++layer) {
    const std::string l = fmt::format("{}/", layer);
    const auto row = [](std::size_t i) { return [=](std::size_t r, std::size_t) { return r == i; }; };
    patches.push_back({l + "stream@A", l + "stream", all});
    patches.push_back({l + "stream:2@A", l + "stream", row(2)});
    patches.push_back({l + "query:1@A", l + "query", of_head(1)});
    patches.push_back({l + "key:1@A", l + "key", of_head(1)});
    patches.push_back(
        {l + "value:0,2@A", l + "value", [=](std::size_t i, std::size_t d) { return i == 2 && d / size == 0; }});
    patches.push_back({l + "weights:2@A", l + "weights", [=](std::size_t r, std::size_t) { return r / len == 2; }});
    patches.push_back({l + "weights:,4@A", l + "weights", [=](std::size_t r, std::size_t) { return r % len == 4; }});
    patches.push_back({l + "context:0@A", l + "concat", of_head(0)});
    patches.push_back({l + "concat:4@A", l + "concat", row(4)});
    patches.push_back({l + "output@A", l + "output", all});
    patches.push_back({l + "mlp_out@A", l + "mlp_out", all});
    patches.push_back({l + "mlp_out:3@A", l + "mlp_out", row(3)});
  }
  return patches;
}

TEST(PatchedModels, AreThePlainLoopsWithThatPartReplaced) {
  for (const char* model : {"gpt2", "llama", "bert"}) {
    PlainParts a, b;
    plain_logits(model, kSweepTextA, a);
    Engine engine(with_source(sweep_golden(model, kSweepTextA)));
    expect_plain(sweep_logits_of(*engine.run(sweep_golden(model, kSweepTextB), CancelToken())),
                 plain_logits(model, kSweepTextB, b), model);
    for (const PlainPatch& patch : plain_patches(model)) {
      PlainParts parts;
      parts.change = [&](const std::string& name, PlainRows& rows) {
        if (name != patch.part) return;
        for (std::size_t i = 0; i < rows.size(); ++i) {
          for (std::size_t d = 0; d < rows[i].size(); ++d) {
            if (patch.covers(i, d)) rows[i][d] = a.seen.at(name)[i][d];
          }
        }
      };
      const auto trace = engine.run(patched(sweep_golden(model, kSweepTextB), patch.option), CancelToken());
      expect_plain(sweep_logits_of(*trace), plain_logits(model, kSweepTextB, parts),
                   fmt::format("{} {}", model, patch.option));
    }
  }
}

bool same_numbers(const Tensor& a, const Tensor& b) {
  const std::vector<float> x = a.values(), y = b.values();
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
}

TEST(PatchedModels, TheWholeOfAIsABitForBitAndNothingOfItIsB) {
  for (const char* model : {"gpt2", "llama", "bert", "gemma2", "olmo2", "phi", "mistral", "falcon", "deepseek_v3"}) {
    const Request a = sweep_golden(model, kSweepTextA), b = sweep_golden(model, kSweepTextB);
    Engine engine(with_source(a));
    const auto run_a = Engine(with_source(a)).run(a, CancelToken()), run_b = engine.run(b, CancelToken());
    for (const char* all : {"0/stream@A", "0/input@A;1/stream@A", "1/stream@A"}) {
      const auto found = engine.run(patched(b, all), CancelToken());
      EXPECT_TRUE(same_numbers(found->model->final_hidden, run_a->model->final_hidden)) << model << " " << all;
    }
    const std::string every = "1/stream@A;1/query@A;1/key@A;1/value@A;1/scores@A;1/weights@A;1/context@A;1/output@A";
    const auto found = engine.run(patched(b, every), CancelToken());
    EXPECT_TRUE(same_numbers(found->model->final_hidden, run_a->model->final_hidden)) << model;
    for (const char* none : {"off:0/stream@A;off:1/weights:1@A", "none"}) {
      const auto plain = engine.run(patched(b, none), CancelToken());
      EXPECT_TRUE(same_numbers(plain->model->final_hidden, run_b->model->final_hidden)) << model << " " << none;
    }
    EXPECT_FALSE(same_numbers(run_a->model->final_hidden, run_b->model->final_hidden)) << model;
  }
}

TEST(PatchedModels, ItsOwnNumbersChangeNoBit) {
  for (const char* model : {"gpt2", "llama", "bert", "deepseek_v2"}) {
    const Request b = sweep_golden(model, kSweepTextB);
    Engine engine(with_source(b));
    const auto plain = engine.run(b, CancelToken());
    for (const StageId stage : all_stages()) {
      if (plain->find(stage) == nullptr) continue;
      const auto found = engine.run(patched(b, fmt::format("0/{0}@A;1/{0}@A", stage_name(stage))), CancelToken());
      EXPECT_TRUE(same_numbers(found->model->final_hidden, plain->model->final_hidden)) << model << stage_name(stage);
    }
  }
}

SweepQuestion sweep_question_of(const std::string& model, SweepPatch patch, const std::string& metric,
                                int threads = 2) {
  return {sweep_golden(model, kSweepTextB, threads), sweep_golden(model, kSweepTextA, threads), metric, patch, {}};
}

Request with_cell(Request request, const SweepCell& cell) {
  request.patches = patches_of_cell(cell);
  request.patch_from = "A";
  return request;
}

TEST(Sweep, EveryCellIsASingleRunWithThatPatch) {
  for (const char* model : {"gpt2", "llama", "bert"}) {
    for (const SweepPatch patch : {SweepPatch::heads, SweepPatch::positions, SweepPatch::stages}) {
      for (const char* metric : {"logit:3", "logit:3-8", "prob:5", "loss", "kl", "cell:1/weights:0,1,3,2",
                                 "cell:context:0,2,1,1", "cell:1/output:0,0,4"}) {
        const SweepQuestion question = sweep_question_of(model, patch, metric);
        const Sweep found = sweep({}, question, CancelToken());
        const std::size_t layers = 2, heads = model == std::string("llama") ? 4 : 3;
        EXPECT_EQ(found.cells.size(), patch == SweepPatch::heads       ? layers * heads
                                      : patch == SweepPatch::positions ? layers * kSweepTextB.size()
                                                                       : layers * (std::size(kSweepStages) + 1));
        const auto plain = Engine(with_source(question.source)).run(question.patched, CancelToken());
        const auto other = Engine(with_source(question.source)).run(question.source, CancelToken());
        const std::vector<double> unpatched = log_probabilities(*plain->model, 5, CancelToken());
        const auto value = [&](const Trace& trace) {
          return sweep_metric_of(*trace.model, found.metric, 5, unpatched, CancelToken());
        };
        EXPECT_EQ(found.position, 5);
        EXPECT_EQ(found.unpatched, value(*plain));
        ASSERT_TRUE(found.source.has_value());
        EXPECT_EQ(*found.source, value(*other));
        for (const SweepCell& cell : found.cells) {
          Engine fresh(with_source(question.source));
          const auto single = fresh.run(with_cell(question.patched, cell), CancelToken());
          EXPECT_EQ(cell.value, value(*single)) << model << " " << metric << " " << cell.layer << "/" << cell.stage;
        }
      }
    }
  }
}

TEST(Sweep, IsTheSameOnAnyNumberOfThreads) {
  for (const SweepPatch patch : {SweepPatch::heads, SweepPatch::positions, SweepPatch::stages}) {
    std::vector<std::pair<std::vector<SweepCell>, std::size_t>> steps;
    const Sweep one = sweep({}, sweep_question_of("llama", patch, "logit:3-8", 1), CancelToken(),
                            [&](const Sweep& so_far, std::size_t known) { steps.emplace_back(so_far.cells, known); });
    ASSERT_EQ(steps.size(), one.cells.size());
    for (const auto& [cells, known] : steps) {
      for (std::size_t k = 0; k < known; ++k) EXPECT_EQ(cells[k].value, one.cells[k].value) << "said to be known";
    }
    for (const int threads : {2, 8}) {
      const Sweep more = sweep({}, sweep_question_of("llama", patch, "logit:3-8", threads), CancelToken());
      ASSERT_EQ(more.cells.size(), one.cells.size());
      for (std::size_t k = 0; k < one.cells.size(); ++k) EXPECT_EQ(more.cells[k].value, one.cells[k].value);
    }
  }
}

TEST(Sweep, FindsTheHeadOfTheInductionDemo) {
  SweepQuestion question;
  question.patched.model = question.source.model = "demo:induction";
  question.patched.phrase = "cat box ink fox jam cat";
  question.source.phrase = "cat ink box fox jam cat";
  question.metric = "logit:ink-box";
  const Sweep found = sweep({}, question, CancelToken());
  ASSERT_TRUE(found.source.has_value());
  EXPECT_GT(*found.source, 0);
  EXPECT_LT(found.unpatched, 0);
  const auto largest = std::max_element(found.cells.begin(), found.cells.end(),
                                        [](const SweepCell& a, const SweepCell& b) { return a.value < b.value; });
  EXPECT_EQ(largest->layer, 1) << "the head that copies what stood after this word";
  EXPECT_GT(largest->value - found.unpatched, 0.2 * (*found.source - found.unpatched));
}

TEST(Sweep, PositionsWithoutAPartnerAreNotRun) {
  SweepQuestion question = sweep_question_of("gpt2", SweepPatch::positions, "logit:3");
  question.source.token_ids = {1, 5, 9};
  const Sweep found = sweep({}, question, CancelToken());
  for (const SweepCell& cell : found.cells) {
    const bool partner = *cell.position < 2 || *cell.position == 5;
    if (!partner) {
      EXPECT_EQ(cell.value, found.unpatched) << *cell.position;
    }
  }
  EXPECT_NE(found.found->notice.find("2 '4', 3 '7', 4 '8'"), std::string::npos) << found.found->notice;
  question.at = 3;
  EXPECT_FALSE(sweep({}, question, CancelToken()).source.has_value());
}

void expect_refused(const SweepQuestion& question, const std::string& part) {
  try {
    sweep({}, question, CancelToken());
    ADD_FAILURE() << "ran: " << part;
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Sweep, RefusesWhatCannotBe) {
  const SweepQuestion good = sweep_question_of("gpt2", SweepPatch::heads, "logit:3");
  SweepQuestion bad = good;
  bad.source = sweep_golden("llama", kSweepTextA);
  expect_refused(bad, "--patch: context is [1, 4, 6, 4] in A and [1, 3, 6, 4] here");
  bad = good;
  bad.at = 6;
  expect_refused(bad, "--at: found position 6, but there are 6 tokens; expected 0 to 5, or -6 to -1 from the end");
  bad = good;
  bad.metric = "logits:3";
  expect_refused(bad, "--metric: found 'logits:3'");
  bad.metric = "prob:99";
  expect_refused(bad, "99 is not in the vocabulary");
  bad = good;
  bad.patched = patched(bad.patched, "context@A");
  expect_refused(bad, "--patch: found patches");
  bad = good;
  bad.source = Request();
  bad.source.phrase = "a b";
  expect_refused(bad, "--model: found one layer");
}

}  // namespace
}  // namespace headscope
