// The finer parts of a sweep, and shares of the way between both runs, against single runs and plain loops in double.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/base/error.h"
#include "core/sweep/sweep.h"
#include "tests/core/sweep/plain_models.h"

namespace headscope {
namespace {

const std::vector<std::int64_t> kPartsTextA = {1, 5, 2, 7, 3, 9}, kPartsTextB = {1, 5, 4, 7, 8, 9};

Request parts_golden(const std::string& name, const std::vector<std::int64_t>& ids) {
  Request request;
  request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name;
  request.token_ids = ids;
  request.backend = BackendChoice::cpu;
  request.threads = 1;
  return request;
}

SweepQuestion parts_question(const std::string& model, SweepPatch patch, const std::string& metric = "logit:3-8") {
  return {parts_golden(model, kPartsTextB), parts_golden(model, kPartsTextA), metric, patch, {}};
}

double single_run(const SweepQuestion& question, const std::string& metric, const SweepCell& cell) {
  EngineOptions options;
  options.whole_model = true;
  options.read_request = [source = question.source](const std::string&) { return source; };
  Request request = question.patched;
  request.patches = patches_of_cell(cell);
  request.patch_from = "A";
  const auto run = Engine(options).run(request, CancelToken());
  return sweep_metric_of(*run->model, parse_sweep_metric(*run->model->checkpoint, metric), 5, {}, CancelToken());
}

TEST(SweepParts, HeadsAtPositionsAndPartsOfHeadsAreSingleRuns) {
  for (const char* model : {"gpt2", "llama"}) {
    const std::size_t heads = model == std::string("llama") ? 4 : 3, groups = model == std::string("llama") ? 2 : 3;
    for (const SweepPatch patch : {SweepPatch::heads_positions, SweepPatch::head_parts, SweepPatch::mlps}) {
      const SweepQuestion question = parts_question(model, patch);
      const Sweep found = sweep({}, question, CancelToken());
      EXPECT_EQ(found.cells.size(), 2 * (patch == SweepPatch::heads_positions ? heads * 6
                                         : patch == SweepPatch::head_parts    ? 3 * heads + 2 * groups
                                                                              : 1));
      std::set<std::string> stages;
      for (const SweepCell& cell : found.cells) {
        stages.insert(cell.stage);
        EXPECT_EQ(cell.value, single_run(question, "logit:3-8", cell)) << model << " " << cell.layer << cell.stage;
      }
      if (patch == SweepPatch::head_parts) {
        EXPECT_EQ(stages, (std::set<std::string>{"query", "key", "value", "weights", "context"}));
      }
    }
  }
}

// The neuron alone takes the numbers of A, in the plain loops.
double plain_neuron(const std::string& model, std::int64_t layer, std::size_t neuron, const PlainParts* a) {
  PlainParts parts;
  const std::string part = fmt::format("{}/neurons", layer);
  parts.change = [&](const std::string& name, PlainRows& rows) {
    if (name != part) return;
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i][neuron] = a == nullptr ? 0 : a->seen.at(name)[i][neuron];
  };
  const PlainRows logits = plain_logits(model, kPartsTextB, parts);
  return logits[5][3] - logits[5][8];
}

TEST(SweepParts, NeuronsAreThoseOfPlainLoops) {
  for (const char* model : {"gpt2", "llama", "bert"}) {
    PlainParts a;
    plain_logits(model, kPartsTextA, a);
    SweepQuestion question = parts_question(model, SweepPatch::neurons);
    const Sweep found = sweep({}, question, CancelToken());
    question.ablation = Ablation::zero;
    const Sweep zeros = sweep({}, question, CancelToken());
    const std::size_t width = a.seen.at("0/neurons")[0].size();
    ASSERT_EQ(found.cells.size(), 2 * width) << model;
    double largest = 0;
    for (std::size_t k = 0; k < found.cells.size(); ++k) {
      const SweepCell& cell = found.cells[k];
      ASSERT_EQ(cell.layer, static_cast<std::int64_t>(k / width));
      ASSERT_EQ(cell.neuron, static_cast<std::int64_t>(k % width));
      EXPECT_NEAR(cell.value, plain_neuron(model, cell.layer, k % width, &a), 2e-5) << model << " " << k;
      EXPECT_NEAR(zeros.cells[k].value, plain_neuron(model, cell.layer, k % width, nullptr), 2e-5) << model << " " << k;
      largest = std::max(largest, std::abs(cell.value - found.unpatched));
    }
    EXPECT_GT(largest, 1e-4) << model << ": a neuron carries something";
  }
}

// All neurons together are the MLP: their estimates, which are linear, add up to that of mlp_out.
TEST(SweepParts, EstimatesOfNeuronsAddUpToThatOfTheMlp) {
  for (const char* model : {"gpt2", "llama"}) {
    SweepQuestion question = parts_question(model, SweepPatch::neurons);
    question.estimate = SweepEstimate::alone;
    const Sweep neurons = sweep({}, question, CancelToken());
    question.patch = SweepPatch::mlps;
    const Sweep mlps = sweep({}, question, CancelToken());
    for (const SweepCell& mlp : mlps.cells) {
      double sum = 0;
      for (const SweepCell& cell : neurons.cells) {
        if (cell.layer == mlp.layer) sum += *cell.estimate - neurons.unpatched;
      }
      EXPECT_NEAR(sum, *mlp.estimate - mlps.unpatched, 2e-5) << model << " " << mlp.layer;
    }
  }
}

TEST(SweepParts, RecoveredIsTheShareOfTheWay) {
  for (const bool noise : {false, true}) {
    SweepQuestion question = parts_question("gpt2", SweepPatch::positions);
    if (noise) {
      std::swap(question.patched, question.source);
      question.direction = SweepDirection::noise;
    }
    for (const char* metric : {"logit:3-8", "prob:5", "loss", "kl:clean", "kl:patched"}) {
      question.metric = metric;
      const Sweep raw = sweep({}, question, CancelToken());
      question.metric = std::string("recovered:") + metric;
      const Sweep found = sweep({}, question, CancelToken());
      const double corrupt = noise ? *raw.source : raw.unpatched, clean = noise ? raw.unpatched : *raw.source;
      EXPECT_DOUBLE_EQ(found.unpatched, noise ? 1 : 0) << metric;
      EXPECT_DOUBLE_EQ(*found.source, noise ? 0 : 1) << metric;
      for (std::size_t k = 0; k < raw.cells.size(); ++k) {
        EXPECT_NEAR(found.cells[k].value, (raw.cells[k].value - corrupt) / (clean - corrupt), 1e-9) << metric;
      }
    }
  }
}

TEST(SweepParts, TheCleanRunIsA) {
  SweepQuestion question = parts_question("gpt2", SweepPatch::heads, "kl:clean");
  EngineOptions options;
  options.whole_model = true;
  const auto clean = Engine(options).run(question.source, CancelToken());
  const std::vector<double> p = log_probabilities(*clean->model, 5, CancelToken());
  const auto own = Engine(options).run(question.patched, CancelToken());
  const std::vector<double> q = log_probabilities(*own->model, 5, CancelToken());
  double to = 0, from = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    to += std::exp(p[k]) * (p[k] - q[k]);
    from += std::exp(q[k]) * (q[k] - p[k]);
  }
  const Sweep found = sweep({}, question, CancelToken());
  EXPECT_NEAR(found.unpatched, to, 1e-12);
  EXPECT_NEAR(*found.source, 0, 1e-12);
  question.metric = "kl:patched";
  EXPECT_NEAR(sweep({}, question, CancelToken()).unpatched, from, 1e-12);
  question.metric = "recovered";
  EXPECT_DOUBLE_EQ(*sweep({}, question, CancelToken()).source, 1);
  std::swap(question.patched, question.source);
  question.direction = SweepDirection::noise;
  question.metric = "kl:clean";
  EXPECT_NEAR(*sweep({}, question, CancelToken()).source, to, 1e-12);
}

// Along the straight way from B to A the slope of every metric at B is its estimate.
TEST(SweepParts, EstimatesOfNewMetricsAreTheirSlopes) {
  for (const char* metric : {"kl:clean", "kl:patched", "logit:{3,5}-{8,4}", "prob:{3,5}-8", "recovered:logit:3-8"}) {
    SweepQuestion question = parts_question("gpt2", SweepPatch::mlps, metric);
    question.estimate = SweepEstimate::alone;
    const Sweep found = sweep({}, question, CancelToken());
    PlainParts a, b;
    const PlainRows clean = plain_logits("gpt2", kPartsTextA, a);
    plain_logits("gpt2", kPartsTextB, b);
    for (const SweepCell& cell : found.cells) {
      constexpr double kStep = 1e-5;
      double ends[2];
      for (const int end : {0, 1}) {
        PlainParts parts;
        parts.change = [&](const std::string& name, PlainRows& rows) {
          if (name != fmt::format("{}/mlp_out", cell.layer)) return;
          for (std::size_t i = 0; i < rows.size(); ++i) {
            for (std::size_t d = 0; d < rows[i].size(); ++d) {
              rows[i][d] += (end == 0 ? -kStep : kStep) * (a.seen.at(name)[i][d] - rows[i][d]);
            }
          }
        };
        const PlainRows logits = plain_logits("gpt2", kPartsTextB, parts);
        // In double: the formulas over the plain logits.
        const auto softmax = [](const std::vector<double>& of) {
          double sum = 0;
          std::vector<double> p;
          for (const double logit : of) sum += std::exp(logit);
          for (const double logit : of) p.push_back(std::exp(logit) / sum);
          return p;
        };
        const std::vector<double> p = softmax(logits[5]), c = softmax(clean[5]);
        double to = 0, from = 0;
        for (std::size_t k = 0; k < p.size(); ++k) {
          to += c[k] * std::log(c[k] / p[k]);
          from += p[k] * std::log(p[k] / c[k]);
        }
        const std::vector<double>& x = logits[5];
        const std::string of = metric;
        ends[end] = of == "kl:clean"            ? to
                    : of == "kl:patched"        ? from
                    : of == "logit:{3,5}-{8,4}" ? (x[3] + x[5]) / 2 - (x[8] + x[4]) / 2
                    : of == "prob:{3,5}-8"      ? p[3] + p[5] - p[8]
                                                : (x[3] - x[8]) / (clean[5][3] - clean[5][8] - found.ends->corrupt);
      }
      const double slope = (ends[1] - ends[0]) / (2 * kStep);
      EXPECT_NEAR(*cell.estimate - found.unpatched, slope, 2e-4 * std::max(0.1, std::abs(slope))) << metric;
    }
  }
}

void expect_parts_refused(const SweepQuestion& question, const std::string& part) {
  try {
    sweep({}, question, CancelToken());
    ADD_FAILURE() << "ran: " << part;
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(SweepParts, RefusesWhatCannotBe) {
  expect_parts_refused(parts_question("mixtral", SweepPatch::neurons), "--patch: found neurons");
  expect_parts_refused(parts_question("attention-only-decoder", SweepPatch::mlps), "--patch: found MLPs");
  SweepQuestion question = parts_question("gpt2", SweepPatch::heads, "recovered:logit:3");
  question.ablation = Ablation::zero;
  expect_parts_refused(question, "--metric: found recovered, but an ablation");
  question.ablation.reset();
  question.source = question.patched;
  expect_parts_refused(question, "--metric: found recovered, but the corrupt run has");
  question = parts_question("gpt2", SweepPatch::heads, "kl:clean");
  question.source.token_ids = {1, 5, 9};
  question.at = 3;
  expect_parts_refused(question, "--metric: found kl:clean, but A has no partner of position 3");
  question = parts_question("gpt2", SweepPatch::heads, "rank:3");
  question.estimate = SweepEstimate::alone;
  expect_parts_refused(question, "--estimate: found the metric rank");
  question.metric = "kl:clean";
  std::swap(question.patched, question.source);
  question.direction = SweepDirection::noise;
  expect_parts_refused(question, "--estimate: found the metric kl:clean");
}

}  // namespace
}  // namespace headscope
