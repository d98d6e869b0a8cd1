// Metrics of a run against plain loops in double, and how they are spelled.
#include "core/sweep/sweep_metric.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/attention/engine.h"
#include "core/base/error.h"
#include "tests/core/sweep/plain_models.h"

namespace headscope {
namespace {

const std::vector<std::int64_t> kTextA = {1, 5, 2, 7, 3, 9}, kTextB = {1, 5, 4, 7, 8, 9};

std::shared_ptr<const Trace> run(const std::string& model, const std::vector<std::int64_t>& ids) {
  Request request;
  request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + model;
  request.token_ids = ids;
  request.backend = BackendChoice::cpu;
  EngineOptions options;
  options.whole_model = true;
  return Engine(options).run(request, CancelToken());
}

std::vector<double> plain_log_softmax(const std::vector<double>& logits) {
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit);
  std::vector<double> result;
  for (const double logit : logits) result.push_back(logit - std::log(sum));
  return result;
}

TEST(SweepMetric, IsWhatPlainLoopsGive) {
  for (const char* model : {"gpt2", "llama", "bert"}) {
    const auto a = run(model, kTextA), b = run(model, kTextB);
    PlainParts parts;
    const PlainRows plain_a = plain_logits(model, kTextA, parts), plain_b = plain_logits(model, kTextB, parts);
    const Checkpoint& checkpoint = *a->model->checkpoint;
    const auto expect = [&](const char* text, std::int64_t position, double wanted) {
      const std::vector<double> unpatched = log_probabilities(*b->model, position, CancelToken());
      const double found =
          sweep_metric_of(*a->model, parse_sweep_metric(checkpoint, text), position, unpatched, CancelToken());
      EXPECT_TRUE(std::abs(found - wanted) <= 5e-5 * (1 + std::abs(wanted)))
          << model << " " << text << ": " << found << " for " << wanted;
    };
    for (const std::size_t at : {std::size_t{2}, std::size_t{5}}) {
      const auto position = static_cast<std::int64_t>(at);
      const std::vector<double> p = plain_log_softmax(plain_a[at]), q = plain_log_softmax(plain_b[at]);
      double kl = 0;
      for (std::size_t k = 0; k < p.size(); ++k) kl += std::exp(p[k]) * (p[k] - q[k]);
      expect("logit:3", position, plain_a[at][3]);
      expect("logit:3-8", position, plain_a[at][3] - plain_a[at][8]);
      expect("prob:5", position, std::exp(p[5]));
      expect("kl", position, kl);
      double other_kl = 0, above = 0;
      for (std::size_t k = 0; k < p.size(); ++k) {
        other_kl += std::exp(q[k]) * (q[k] - p[k]);
        above += plain_a[at][k] > plain_a[at][4] ? 1 : 0;
      }
      expect("kl:patched", position, kl);
      expect("kl:clean", position, other_kl);
      expect("rank:4", position, above);
      const std::vector<double>& z = plain_a[at];
      expect("logit:{3,5}-{8,4,7}", position, (z[3] + z[5]) / 2 - (z[8] + z[4] + z[7]) / 3);
      expect("logit:{3,5}", position, (z[3] + z[5]) / 2);
      expect("logit:6-{8,4}", position, z[6] - (z[8] + z[4]) / 2);
      expect("prob:{3,5}-8", position, std::exp(p[3]) + std::exp(p[5]) - std::exp(p[8]));
      expect("prob:3-8", position, std::exp(p[3]) - std::exp(p[8]));
    }
    const bool masked = model == std::string("bert");
    double loss = 0;
    for (std::size_t i = 0; i < (masked ? 6u : 5u); ++i) {
      loss -= plain_log_softmax(plain_a[i])[static_cast<std::size_t>(kTextA[masked ? i : i + 1])];
    }
    expect("loss", 0, loss / (masked ? 6 : 5));
  }
}

TEST(SweepMetric, TokensAreNamedAsTheyAreTyped) {
  Request request;
  request.model = "demo:induction";
  request.phrase = "cat box";
  EngineOptions options;
  options.whole_model = true;
  const auto trace = Engine(options).run(request, CancelToken());
  const Checkpoint& checkpoint = *trace->model->checkpoint;
  const auto ids = [&](const std::string& text) { return parse_sweep_metric(checkpoint, text).ids; };
  EXPECT_EQ(ids("logit:box"), (std::vector<std::int64_t>{6}));
  EXPECT_EQ(ids("logit:box-ink"), (std::vector<std::int64_t>{6, 28}));
  EXPECT_EQ(ids("logit:6-ink"), (std::vector<std::int64_t>{6, 28}));
  EXPECT_EQ(ids("prob:28"), (std::vector<std::int64_t>{28}));
  EXPECT_TRUE(ids("loss").empty() && ids("kl").empty() && ids("kl:clean").empty());
  EXPECT_EQ(ids("logit:{box,ink}-{cat}"), (std::vector<std::int64_t>{6, 28, ids("rank:cat")[0]}));
  EXPECT_EQ(parse_sweep_metric(checkpoint, "logit:{box,ink}-{cat}").added, 2u);
  EXPECT_EQ(parse_sweep_metric(checkpoint, "logit:box-{ink,cat}").added, 1u);
  EXPECT_TRUE(parse_sweep_metric(checkpoint, "recovered").recovered);
  EXPECT_EQ(parse_sweep_metric(checkpoint, "recovered").kind, MetricKind::kl_clean);
  EXPECT_EQ(parse_sweep_metric(checkpoint, "recovered:logit:box-ink").ids, (std::vector<std::int64_t>{6, 28}));
  EXPECT_EQ(sweep_metric_text(checkpoint, parse_sweep_metric(checkpoint, "logit:{box,ink}-28")),
            "mean logit of 'box' (6), 'ink' (28) less that of 'ink' (28)");
  EXPECT_EQ(sweep_metric_text(checkpoint, parse_sweep_metric(checkpoint, "logit:box-ink")),
            "logit of 'box' (6) less that of 'ink' (28)");
  for (const char* bad : {"",
                          "logit",
                          "logit:",
                          "logit:box-",
                          "logit:-box",
                          "logit:box-nosuchword",
                          "logit:nosuchword",
                          "prob:999999",
                          "entropy",
                          "loss:3",
                          "kl:box",
                          "rank:",
                          "rank:box-ink",
                          "recovered:",
                          "recovered:recovered",
                          "recoveredlogit:box",
                          "logit:{box,}",
                          "logit:{box,box}",
                          "logit:{}",
                          "logit:{box}-",
                          "prob:{box}-{nosuchword}"}) {
    try {
      parse_sweep_metric(checkpoint, bad);
      ADD_FAILURE() << bad;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.option(), "metric") << bad;
    }
  }
}

}  // namespace
}  // namespace headscope
