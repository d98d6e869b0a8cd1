// Norm and rotary positions of the heads, within a layer.
#include "core/model/head_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/attention/forward.h"
#include "core/attention/stage_buffers.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

RotaryRule rotary(std::int64_t features, RotaryRule::Pairs pairs, double factor = 1) {
  RotaryRule rule;
  rule.features = features;
  rule.pairs = pairs;
  rule.factor = factor;
  for (std::int64_t p = 0; p < features / 2; ++p) {
    const double exponent = 2.0 * static_cast<double>(p) / static_cast<double>(features);
    rule.inverse_frequencies.push_back(static_cast<float>(std::pow(10000.0, -exponent)));
  }
  return rule;
}

std::shared_ptr<const HeadRule> made_rule(const RotaryRule* turns, bool norm, bool plus_one, std::int64_t head_dim) {
  const auto rule = std::make_shared<HeadRule>();
  if (norm) {
    rule->query_norm = random_tensor({head_dim}, 31);
    rule->key_norm = random_tensor({head_dim}, 32);
    rule->norm_eps = 1e-6;
    rule->norm_plus_one = plus_one;
  }
  if (turns != nullptr) rule->rotary = std::make_shared<const RotaryTable>(*turns);
  return rule;
}

// One head, with the weights from `first` on.
void normalise_plainly(const HeadRule& rule, const Tensor& norm, std::int64_t first, std::vector<double>& x) {
  const auto count = static_cast<double>(x.size());
  double mean = 0, squares = 0;
  for (const double each : x) mean += rule.norm_centred ? each / count : 0.0;
  for (const double each : x) squares += (each - mean) * (each - mean) / count;
  for (std::size_t d = 0; d < x.size(); ++d) {
    const double weight = (rule.norm_plus_one ? 1.0 : 0.0) + norm.at({first + static_cast<std::int64_t>(d)});
    x[d] = (x[d] - mean) * weight / std::sqrt(squares + rule.norm_eps);
  }
}

// The formulas of head_rule.h and architecture.h as one plain loop in double precision.
Tensor turned_plainly(const HeadRule& rule, const Tensor& norm, const Tensor& heads) {
  Tensor result = Tensor::zeros(heads.shape(), heads.axes());
  const std::int64_t features = heads.dim(3);
  for (std::int64_t b = 0; b < heads.dim(0); ++b) {
    for (std::int64_t h = 0; h < heads.dim(1); ++h) {
      for (std::int64_t i = 0; i < heads.dim(2); ++i) {
        std::vector<double> x;
        for (std::int64_t d = 0; d < features; ++d) x.push_back(rule.held(heads.at({b, h, i, d})));
        if (!norm.empty()) normalise_plainly(rule, norm, rule.norm_own ? h * features : 0, x);
        if (rule.rotary != nullptr) {
          const RotaryRule& turns = rule.rotary->rule();
          for (std::int64_t p = 0; p < turns.features / 2; ++p) {
            const bool halves = turns.pairs == RotaryRule::Pairs::halves;
            double& left = x[static_cast<std::size_t>(turns.begin + (halves ? p : 2 * p))];
            double& right = x[static_cast<std::size_t>(turns.begin + (halves ? p + turns.features / 2 : 2 * p + 1))];
            const double angle = static_cast<double>(i) * turns.inverse_frequencies[static_cast<std::size_t>(p)];
            const double cosine = turns.factor * std::cos(angle), sine = turns.factor * std::sin(angle);
            const double a = left, c = right;
            left = a * cosine - c * sine;
            right = c * cosine + a * sine;
          }
        }
        for (std::int64_t d = 0; d < features; ++d) {
          result.mutable_data()[((b * heads.dim(1) + h) * heads.dim(2) + i) * features + d] =
              static_cast<float>(x[static_cast<std::size_t>(d)]);
        }
      }
    }
  }
  return result;
}

// Four query heads of 8 features on two key heads, separate projections, causal by the model's own mask.
Inputs turned_inputs(std::int64_t len, std::shared_ptr<const HeadRule> rule) {
  Inputs inputs = sized_inputs({2, len, len, 4, 2, 8, 8});
  inputs.key_tokens = inputs.tokens;
  inputs.input_dim = 7;
  inputs.d_model = 7;
  const Tensor all = random_tensor({2, 40, 7}, 5);
  inputs.x = all.sliced(1, 0, len).dense_copy();
  static const Linear query = random_linear(7, 32, 11), key = random_linear(7, 16, 12),
                      value = random_linear(7, 16, 13);
  static const Linear output = random_linear(32, 7, 14);
  inputs.weights.query = query;
  inputs.weights.key = key;
  inputs.weights.value = value;
  inputs.weights.output = output;
  inputs.own_mask = {{MaskTerm::Kind::causal, 0, ""}};
  inputs.head_rule = std::move(rule);
  return inputs;
}

TEST(HeadRule, EqualsAPlainLoopInDoublePrecision) {
  const RotaryRule halves = rotary(8, RotaryRule::Pairs::halves), part = rotary(4, RotaryRule::Pairs::halves),
                   neighbours = rotary(8, RotaryRule::Pairs::neighbours, 1.25);
  RotaryRule last = rotary(4, RotaryRule::Pairs::neighbours), middle = part;
  last.begin = 4;
  middle.begin = 3;
  for (const RotaryRule* turns :
       std::initializer_list<const RotaryRule*>{nullptr, &halves, &part, &neighbours, &last, &middle}) {
    for (const bool norm : {false, true}) {
      const auto rule = made_rule(turns, norm, turns == &part, 8);
      for (const Tensor* weight : {&rule->query_norm, &rule->key_norm}) {
        const Tensor heads = random_tensor({2, 40, 3, 8}, 9).permuted({0, 2, 1, 3});
        Tensor turned = Tensor::zeros(heads.shape(), heads.axes());
        turn_heads(*rule, *weight, heads, 0, heads.dim(2), turned);
        EXPECT_LT(largest_difference(turned, turned_plainly(*rule, *weight, heads)), 4e-6);
      }
    }
  }
}

TEST(HeadRule, HoldsNumbersAndNormalisesHeadsWithWeightsOfTheirOwn) {
  const RotaryRule turns = rotary(8, RotaryRule::Pairs::halves);
  for (const bool own : {false, true}) {
    for (const double clip : {0.0, 0.4}) {
      const auto rule = std::make_shared<HeadRule>(*made_rule(&turns, true, false, own ? 24 : 8));
      rule->norm_own = own;
      rule->norm_centred = true;
      rule->clip = clip;
      const Tensor heads = random_tensor({2, 3, 9, 8}, 9);
      Tensor turned = Tensor::zeros(heads.shape(), heads.axes());
      turn_heads(*rule, rule->query_norm, heads, 0, heads.dim(2), turned);
      EXPECT_LT(largest_difference(turned, turned_plainly(*rule, rule->query_norm, heads)), 8e-6) << own << clip;
    }
  }
}

TEST(HeadRule, ALayerNormOverAllHeadsTakesTheirMeanAway) {
  HeadRule rule;
  rule.norm_whole = rule.norm_centred = true;
  rule.norm_eps = 1e-5;
  const Tensor norm = random_tensor({24}, 31), heads = random_tensor({1, 3, 2, 8}, 9);
  Tensor turned = Tensor::zeros(heads.shape(), heads.axes());
  turn_heads(rule, norm, heads, 0, 2, turned);
  for (std::int64_t i = 0; i < 2; ++i) {
    std::vector<double> x;
    for (std::int64_t f = 0; f < 24; ++f) x.push_back(heads.at({0, f / 8, i, f % 8}));
    normalise_plainly(rule, norm, 0, x);
    for (std::int64_t f = 0; f < 24; ++f) {
      EXPECT_NEAR(turned.at({0, f / 8, i, f % 8}), x[static_cast<std::size_t>(f)], 4e-6) << f;
    }
  }
}

// Values are held too, and nothing else is done to them.
TEST(HeadRule, ValuesAreHeldWithinTheBounds) {
  const RotaryRule turns = rotary(8, RotaryRule::Pairs::halves);
  const auto rule = std::make_shared<HeadRule>(*made_rule(&turns, false, false, 8));
  rule->clip = 0.25;
  const auto plain = traced(phrase_request(), turned_inputs(6, nullptr), make_cpu_backend(2));
  const auto held = traced(phrase_request(), turned_inputs(6, rule), make_cpu_backend(2));
  EXPECT_EQ(held->find(StageId::query)->operation, "split heads, within ±0.25, RoPE");
  EXPECT_EQ(held->find(StageId::value)->operation, "split heads, within ±0.25");
  const std::vector<float> free = plain->tensor(StageId::value).values(), bound = held->tensor(StageId::value).values();
  ASSERT_EQ(free.size(), bound.size());
  int changed = 0;
  for (std::size_t k = 0; k < free.size(); ++k) {
    EXPECT_EQ(bound[k], std::clamp(free[k], -0.25F, 0.25F));
    changed += bound[k] != free[k];
  }
  EXPECT_GT(changed, 10);
}

TEST(HeadRule, ScoresAreOfTheTurnedHeadsOnEveryBackend) {
  const RotaryRule turns = rotary(8, RotaryRule::Pairs::halves);
  const auto rule = made_rule(&turns, true, false, 8);
  const auto plain = traced(phrase_request(), turned_inputs(9, nullptr));
  const auto wanted = traced(phrase_request(), turned_inputs(9, rule));
  const auto found = traced(phrase_request(), turned_inputs(9, rule), make_cpu_backend(2));
  EXPECT_EQ(wanted->find(StageId::query)->operation, "split heads, RMSNorm, RoPE");
  EXPECT_EQ(wanted->find(StageId::key)->operation, "split heads, RMSNorm, RoPE");
  EXPECT_EQ(wanted->find(StageId::value)->operation, "split heads");
  EXPECT_EQ(wanted->find(StageId::masked_scores)->operation, "+ causal mask");
  EXPECT_LT(largest_difference(wanted->tensor(StageId::query),
                               turned_plainly(*rule, rule->query_norm, plain->tensor(StageId::query))),
            4e-6);
  EXPECT_LT(largest_difference(wanted->tensor(StageId::key),
                               turned_plainly(*rule, rule->key_norm, plain->tensor(StageId::key))),
            4e-6);
  double product = 0;
  for (std::int64_t d = 0; d < 8; ++d) {
    product += wanted->tensor(StageId::query).at({1, 3, 5, d}) * wanted->tensor(StageId::key).at({1, 1, 2, d});
  }
  EXPECT_NEAR(wanted->tensor(StageId::raw_scores).at({1, 3, 5, 2}), product, 1e-5);
  for (const Stage& stage : wanted->stages) {
    EXPECT_LT(largest_difference(found->tensor(stage.id), stage.tensor), 2e-5) << stage_name(stage.id);
  }
}

TEST(HeadRule, ScoreScaleOfTheModelGivesWayToTheRequests) {
  Inputs inputs = turned_inputs(4, nullptr);
  inputs.score_scale = 0.5;
  EXPECT_EQ(traced(phrase_request(), inputs)->scale, 0.5);
  EXPECT_EQ(traced(phrase_request(), inputs)->find(StageId::scores)->operation, "× 0.5");
  Request request = phrase_request();
  request.scale = 0.25;
  EXPECT_EQ(traced(request, inputs)->scale, 0.25);
}

TEST(HeadRule, ARowKeepsItsBitsWhateverFollowsAndWhateverThreadsCompute) {
  const RotaryRule turns = rotary(6, RotaryRule::Pairs::neighbours);
  const auto rule = made_rule(&turns, true, true, 8);
  StageBuffers buffers;
  const auto backend = make_cpu_backend(2);
  std::shared_ptr<const Trace> last;
  for (const std::int64_t len : {3, 4, 5, 33, 34, 6, 7}) {
    ForwardOptions options;
    options.previous = last;
    options.buffers = &buffers;
    last = forward(phrase_request(), std::make_shared<const Inputs>(turned_inputs(len, rule)), backend, CancelToken(),
                   options);
    const auto fresh = traced(phrase_request(), turned_inputs(len, rule), make_cpu_backend(1));
    for (const Stage& stage : fresh->stages) {
      EXPECT_TRUE(same_bits(last->tensor(stage.id), stage.tensor)) << stage_name(stage.id) << " of " << len;
    }
  }
  // Another rule changes the heads and all that follows.
  const auto other = made_rule(nullptr, true, true, 8);
  ForwardOptions options;
  options.previous = last;
  options.buffers = &buffers;
  const auto found = forward(phrase_request(), std::make_shared<const Inputs>(turned_inputs(7, other)), backend,
                             CancelToken(), options);
  const auto fresh = traced(phrase_request(), turned_inputs(7, other), backend);
  for (const Stage& stage : fresh->stages) {
    EXPECT_TRUE(same_bits(found->tensor(stage.id), stage.tensor)) << stage_name(stage.id);
  }
  EXPECT_FALSE(same_bits(found->tensor(StageId::query), last->tensor(StageId::query)));
}

}  // namespace
}  // namespace headscope
