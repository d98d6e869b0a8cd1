// Why tokens go to experts: every cell of small mixtures against what the model computed, and softmax and sigmoid again
// in double.
#include "core/explain/routing_cell.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/attention/engine.h"
#include "core/attention/layer_routing.h"
#include "core/base/error.h"
#include "core/explain/model_cell.h"
#include "core/model/checkpoint.h"

namespace headscope {
namespace {

const std::vector<std::string> kMixtures = {"mixtral", "mixtral-window", "qwen3_moe",           "qwen3_moe-dense",
                                            "gpt_oss", "deepseek_v2",    "deepseek_v2-grouped", "deepseek_v3"};

std::shared_ptr<const Trace> layer_of(const std::string& name, std::int64_t layer) {
  Request request;
  request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name;
  request.token_ids = {3, 14, 15, 9, 2};
  request.layer = layer;
  EngineOptions options;
  options.whole_model = true;
  Engine engine(options);
  return engine.run(request, CancelToken());
}

// Calls f(trace, routing) for every layer with experts.
template <typename F>
void each_layer(const F& f) {
  for (const std::string& name : kMixtures) {
    SCOPED_TRACE(name);
    const auto trace = layer_of(name, 0);
    const Architecture& architecture = trace->model->checkpoint->architecture();
    for (std::int64_t layer = 0; layer < architecture.num_layers; ++layer) {
      if (!architecture.has_experts(layer)) continue;
      const auto own = layer_of(name, layer);
      f(*own, *architecture.mixture, layer_routing(*own->model, layer, CancelToken()));
    }
  }
}

// The place of expert e among those that row i chose; -1: none.
std::int64_t place_of(const Routing& routing, std::int64_t i, std::int64_t e) {
  for (std::int64_t k = 0; k < routing.chosen.dim(2); ++k) {
    if (routing.chosen.at({0, i, k}) == static_cast<float>(e)) return k;
  }
  return -1;
}

double logit_of(const RoutingCell& why) {
  const bool bias = why.steps[1].name == "+ bias";
  return why.steps[bias ? 1 : 0].value;
}

TEST(RoutingCell, ProbabilitiesAreThoseOfTheirLogits) {
  each_layer([](const Trace& trace, const MixtureRule& rule, const Routing& routing) {
    for (std::int64_t i = 0; i < routing.probabilities.dim(1); ++i) {
      std::vector<RoutingCell> row;
      double sum = 0;
      for (std::int64_t e = 0; e < rule.experts; ++e) {
        row.push_back(routing_cell("stage", trace, RoutingStage::router, {0, i, e}, CancelToken()));
        sum += std::exp(logit_of(row.back()));
      }
      for (std::int64_t e = 0; e < rule.experts; ++e) {
        const RoutingCell& why = row[static_cast<std::size_t>(e)];
        EXPECT_EQ(why.value, static_cast<double>(routing.probabilities.at({0, i, e})));
        const double logit = logit_of(why), tolerance = 1e-5 * (1 + why.magnitude);
        const double expected = rule.sigmoid ? 1 / (1 + std::exp(-logit)) : std::exp(logit) / sum;
        EXPECT_TRUE(std::abs(why.value - expected) <= tolerance) << why.value << " " << expected;
        EXPECT_TRUE(std::abs(why.steps.back().value - why.value) <= tolerance) << why.steps.back().value;
        double product = 0;
        for (std::size_t k = 0; k + 1 < why.operands.size(); k += 2) {
          if (why.operands[k].stage == "mlp_in") product += why.operands[k].value * why.operands[k + 1].value;
        }
        EXPECT_TRUE(std::abs(product - why.steps.front().value) <= 1e-12 * (1 + why.magnitude));
      }
    }
  });
}

TEST(RoutingCell, TheChoiceEndsInWhatTheResultIsMultipliedBy) {
  each_layer([](const Trace& trace, const MixtureRule& rule, const Routing& routing) {
    for (std::int64_t i = 0; i < routing.probabilities.dim(1); ++i) {
      for (std::int64_t e = 0; e < rule.experts; ++e) {
        const RoutingCell why = routing_cell("stage", trace, RoutingStage::router, {0, i, e}, CancelToken());
        const std::int64_t place = place_of(routing, i, e);
        EXPECT_EQ(why.chosen, place >= 0);
        EXPECT_TRUE(place < 0 || why.rank == place);
        const double factor = place < 0 ? 0 : static_cast<double>(routing.factors.at({0, i, place}));
        ASSERT_FALSE(why.choice.empty());
        EXPECT_TRUE(std::abs(why.choice.back().value - factor) <= 1e-5 * (1 + factor)) << why.choice.back().value;
      }
    }
  });
}

TEST(RoutingCell, ExpertsAreInOrder) {
  each_layer([](const Trace& trace, const MixtureRule& rule, const Routing& routing) {
    for (std::int64_t i = 0; i < routing.chosen.dim(1); ++i) {
      for (std::int64_t k = 0; k < rule.chosen; ++k) {
        const RoutingCell why = routing_cell("stage", trace, RoutingStage::experts, {0, i, k}, CancelToken());
        EXPECT_EQ(why.value, static_cast<double>(routing.chosen.at({0, i, k})));
        EXPECT_EQ(why.steps.back().value, why.value);
        EXPECT_EQ(why.steps.size(), static_cast<std::size_t>(k + 1));
        EXPECT_TRUE(why.chosen && why.rank == k);
        EXPECT_EQ(why.operands.size(), static_cast<std::size_t>(rule.experts));
      }
    }
  });
}

TEST(RoutingCell, GroupsThatAreLeftOutAreSaid) {
  const auto trace = layer_of("deepseek_v3", 1);
  const MixtureRule& rule = *trace->model->checkpoint->architecture().mixture;
  ASSERT_LT(rule.chosen_groups, rule.groups);
  std::int64_t out = 0;
  for (std::int64_t e = 0; e < rule.experts; ++e) {
    const RoutingCell why = routing_cell("stage", *trace, RoutingStage::router, {0, 2, e}, CancelToken());
    const auto group = std::find_if(why.choice.begin(), why.choice.end(),
                                    [](const ExplainStep& step) { return step.name.starts_with("group "); });
    ASSERT_NE(group, why.choice.end());
    const bool left_out = group->expression.find("not among") != std::string::npos;
    out += left_out ? 1 : 0;
    EXPECT_FALSE(left_out && why.chosen);
  }
  EXPECT_EQ(out, rule.experts / rule.groups * (rule.groups - rule.chosen_groups));
}

TEST(RoutingCell, MlpOutIsTheSumOfItsExperts) {
  const auto trace = layer_of("mixtral", 1);
  const Routing routing = layer_routing(*trace->model, 1, CancelToken());
  const ModelCell why = model_cell("stage", *trace, ModelStageId::mlp_out, {1, 0, 3, 2}, CancelToken());
  ASSERT_EQ(why.terms.size(), 2u);
  double sum = 0;
  for (const ExplainTerm& term : why.terms) {
    const std::int64_t place = place_of(routing, 3, term.k);
    ASSERT_GE(place, 0);
    EXPECT_EQ(term.left, static_cast<double>(routing.factors.at({0, 3, place})));
    sum += term.product();
  }
  EXPECT_TRUE(std::abs(sum - why.value) <= 1e-5 * why.magnitude) << sum << " for " << why.value;
  EXPECT_LT(why.terms[0].k, why.terms[1].k) << "as the model adds them";
}

TEST(RoutingCell, WhatIsNotThereIsRefused) {
  const auto refused = [](const Trace& trace, const Index& at, const std::string& option) {
    try {
      routing_cell("stage", trace, RoutingStage::router, at, CancelToken());
      ADD_FAILURE() << option;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.option(), option);
    }
  };
  const auto mixtral = layer_of("mixtral", 0);
  refused(*mixtral, {0, 1}, "at");
  refused(*mixtral, {0, 1, 5}, "at");
  refused(*mixtral, {0, 5, 0}, "at");
  refused(*layer_of("llama", 0), {0, 1, 0}, "stage");
  refused(*layer_of("qwen3_moe-dense", 1), {0, 1, 0}, "layer");
  Request one_layer;
  one_layer.phrase = "a b";
  refused(*Engine().run(one_layer, CancelToken()), {0, 1, 0}, "stage");
}

}  // namespace
}  // namespace headscope
