// Derivatives against finite differences of the engine itself, over requests that take every road through it.
#include "core/explain/sensitivity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>

#include "core/model/head_rule.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

using Given = std::vector<std::pair<const char*, const char*>>;

Request sensitivity_options(Request request, const Given& given) {
  for (const auto& [option, value] : given) find_request_option(option)->set(request, value);
  return request;
}

double value_at(const Request& request, const Inputs& inputs, StageId stage, const Index& index) {
  return static_cast<double>(traced(request, inputs)->tensor(stage).at(index));
}

// d f / d x at 0 by central differences of two widths, extrapolated (Richardson): f is a float32 number.
double slope(const std::function<double(float)>& f) {
  const float wide = 0.0625F, narrow = 0.03125F;
  const auto rise = [&](float by) {
    const double above = f(by), below = f(-by);
    return above == below ? 0.0 : (above - below) / (2 * static_cast<double>(by));  // -inf stays -inf
  };
  return (4 * rise(narrow) - rise(wide)) / 3;
}

Tensor with_added(const Tensor& tensor, std::int64_t cell, float by) {
  std::vector<float> values = tensor.values();
  values[static_cast<std::size_t>(cell)] += by;
  return Tensor::of(tensor.shape(), tensor.axes(), std::move(values));
}

// A stage of vectors and the tensor of the inputs that is it.
using Member = Tensor Inputs::*;
struct Source {
  StageId stage;
  Member member;
};

struct Worst {
  double error = 0;  // relative to the largest derivative of its target
  std::int64_t numbers = 0;
};

// All derivatives of a target with respect to vectors.
void check_vectors(const Request& request, const Inputs& inputs, const std::pair<StageId, Index>& target,
                   const std::vector<Source>& sources, const std::string& what, Worst& worst) {
  const StageId stage = target.first;
  const Index& index = target.second;
  const Sensitivity found = sensitivity(*traced(request, inputs), stage, index, CancelToken());
  double largest = 1e-3;
  for (const TokenSensitivity& tokens : found.tokens) {
    for (const float each : tokens.gradient.values()) largest = std::max(largest, std::abs(static_cast<double>(each)));
  }
  for (const Source& source : sources) {
    const TokenSensitivity* tokens = nullptr;
    for (const TokenSensitivity& each : found.tokens) tokens = each.stage == source.stage ? &each : tokens;
    const Tensor& vectors = inputs.*source.member;
    const std::int64_t len = vectors.dim(vectors.rank() - 2), width = vectors.dim(vectors.rank() - 1);
    const std::int64_t heads = vectors.rank() == 4 ? vectors.dim(1) : 1;
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t i = 0; i < len; ++i) {
        double squares = 0, times = 0;
        for (std::int64_t d = 0; d < width; ++d) {
          const std::int64_t cell = ((index[0] * heads + h) * len + i) * width + d;
          const double expected = slope([&](float by) {
            Inputs moved = inputs;
            moved.*source.member = with_added(vectors, cell, by);
            return value_at(request, moved, stage, index);
          });
          const double ours =
              tokens == nullptr ? 0 : static_cast<double>(tokens->gradient.at({i, heads == 1 ? d : h * width + d}));
          const double error = std::abs(ours - expected) / largest;
          worst.error = std::max(worst.error, std::isfinite(error) ? error : INFINITY);
          EXPECT_LE(error, 2e-3) << what << " " << stage_name(stage) << to_string(index) << " by "
                                 << stage_name(source.stage) << " " << i << "," << d << ": " << ours << " beside "
                                 << expected;
          ++worst.numbers;
          squares += ours * ours;
          times += ours * static_cast<double>(vectors.values()[static_cast<std::size_t>(cell)]);
        }
        if (tokens == nullptr || heads > 1) continue;
        EXPECT_NEAR(tokens->norm[static_cast<std::size_t>(i)], std::sqrt(squares), 1e-5 * (1 + largest));
        EXPECT_NEAR(tokens->times_vector[static_cast<std::size_t>(i)], times, 1e-5 * (1 + largest));
      }
    }
  }
}

// With respect to scores: a mask file adds to one cell of them.
void check_scores(const Request& request, const Inputs& inputs, StageId stage, const Index& index,
                  const std::string& what, Worst& worst) {
  const auto trace = traced(request, inputs);
  const Sensitivity found = sensitivity(*trace, stage, index, CancelToken());
  if (trace->find(StageId::capped_scores) != nullptr) return;  // a mask is added behind the cap
  Request with_file = request;
  with_file.mask.push_back({MaskTerm::Kind::file, 0, "m.npy"});
  const Shape shape = trace->tensor(StageId::scores).shape();
  double largest = 1e-3;
  for (const float each : found.scores.values()) largest = std::max(largest, std::abs(static_cast<double>(each)));
  for (std::int64_t h = 0; h < shape[1]; ++h) {
    for (std::int64_t i = 0; i < shape[2]; ++i) {
      for (std::int64_t j = 0; j < shape[3]; ++j) {
        const std::int64_t cell = ((index[0] * shape[1] + h) * shape[2] + i) * shape[3] + j;
        const double expected = slope([&](float by) {
          Inputs moved = inputs;
          const Tensor none = Tensor::zeros(shape, {Axis::batch, Axis::head, Axis::query, Axis::key});
          moved.mask_files = {{"m.npy", with_added(none, cell, by), false}};
          return value_at(with_file, moved, stage, index);
        });
        const double ours = found.scores.empty() ? 0 : static_cast<double>(found.scores.at({h, i, j}));
        const double error = std::abs(ours - expected) / largest;
        worst.error = std::max(worst.error, std::isfinite(error) ? error : INFINITY);
        EXPECT_LE(error, 2e-3) << what << " " << stage_name(stage) << to_string(index) << " by score " << h << "," << i
                               << "," << j << ": " << ours << " beside " << expected;
        ++worst.numbers;
      }
    }
  }
}

// A cell of every stage from raw_scores on, in the last batch item.
std::vector<std::pair<StageId, Index>> targets(const Trace& trace) {
  std::vector<std::pair<StageId, Index>> all;
  for (const Stage& stage : trace.stages) {
    if (stage.id < StageId::raw_scores) continue;
    const Shape& shape = stage.tensor.shape();
    if (shape.count == 4) {
      all.push_back({stage.id, {shape[0] - 1, shape[1] - 1, 2, 1}});
    } else {
      all.push_back({stage.id, {shape[0] - 1, 2, shape[2] - 2}});
    }
  }
  return all;
}

const std::vector<Source> kSelf = {{StageId::input, &Inputs::x}};

const std::vector<Given>& requests() {
  static const std::vector<Given> all = {
      {},
      {{"mask", "causal"}, {"scale", "-0.8"}},
      {{"mask", "causal"}, {"mask-order", "before-scale"}},
      {{"mask", "causal,padding:1"}, {"mask-order", "before-scale"}, {"mask-fill", "-1e20"}},
      {{"mask", "window:1"}, {"softcap", "0.6"}, {"scale", "1"}},
      {{"mask", "padding:5"}, {"fully-masked", "uniform"}},
      {{"mask", "padding:5"}, {"fully-masked", "zero"}},
      {{"dropout", "0.4"}, {"dropout-seed", "7"}, {"mask", "causal"}},
      {{"merge", "direct"}},
      {{"ablate", "0.1"}},
      {{"variant", "no-scale"}},
      {{"variant", "scale-by-d-model"}, {"merge", "direct"}},
      {{"variant", "softmax-over-queries"}, {"mask", "causal"}},
      {{"variant", "mask-inverted"}, {"mask", "causal"}},
      {{"variant", "mask-after-softmax"}, {"mask", "causal"}},
      {{"freeze", "0.1=uniform"}, {"scale-query", "1.5"}, {"edit", "scores:0,0,1,1=0.5;key:0,0,2,1=0.25"}},
      {{"edit", "query:1,1,2,0=0.5;scores:1,1,2,1=0.25"}, {"scale-key", "0.1=-0.5"}},
      {{"freeze", "0.1=uniform"}, {"mask", "causal"}},
  };
  return all;
}

TEST(Sensitivity, IsTheSlopeOfTheEngineByEveryVector) {
  Worst worst;
  for (const Given& given : requests()) {
    const std::string what = given.empty() ? "plain" : given[0].first + std::string(" ") + given[0].second;
    const Request request = sensitivity_options(phrase_request(), given);
    const Inputs inputs = fused_inputs(QkvLayout::per_head, {.input_dim = 4});
    for (const auto& target : targets(*traced(request, inputs)))
      check_vectors(request, inputs, target, kSelf, what, worst);
  }
  EXPECT_GT(worst.numbers, 1500);
  EXPECT_LT(worst.error, 1e-3);
  RecordProperty("worst", std::to_string(worst.error));
  std::printf("largest error of %ld derivatives by vectors: %.2g of the largest\n", static_cast<long>(worst.numbers),
              worst.error);
}

TEST(Sensitivity, IsTheSlopeOfTheEngineByEveryScore) {
  Worst worst;
  for (const Given& given : requests()) {
    const Request request = sensitivity_options(phrase_request(), given);
    if (request.mask_order == MaskOrder::before_scale) continue;  // a mask is added before the scores
    const std::string what = given.empty() ? "plain" : given[0].first + std::string(" ") + given[0].second;
    const Inputs inputs = fused_inputs(QkvLayout::blocked, {.len = 4, .input_dim = 4});
    for (const auto& [stage, index] : targets(*traced(request, inputs))) {
      if (stage > StageId::masked_scores) check_scores(request, inputs, stage, index, what, worst);
    }
  }
  EXPECT_GT(worst.numbers, 1000);
  EXPECT_LT(worst.error, 1e-3);
  std::printf("largest error of %ld derivatives by scores: %.2g of the largest\n", static_cast<long>(worst.numbers),
              worst.error);
}

// Grouped heads, an extra key, rotary positions after a norm, cross-attention, attention alone.
Inputs separate_inputs(std::int64_t kv_heads) {
  Inputs inputs = sized_inputs({2, 4, 4, 4, kv_heads, 6, 6});
  inputs.key_tokens = inputs.tokens;
  inputs.input_dim = 3;
  inputs.d_model = 24;
  inputs.x = random_tensor({2, 4, 3}, 3);
  inputs.weights.query = random_linear(3, 24, 11);
  inputs.weights.key = random_linear(3, 6 * kv_heads, 12);
  inputs.weights.value = random_linear(3, 6 * kv_heads, 13, false);
  inputs.weights.output = random_linear(24, 24, 14);
  return inputs;
}

void check(const Request& request, const Inputs& inputs, const std::vector<Source>& sources, const std::string& what) {
  Worst worst;
  for (const auto& target : targets(*traced(request, inputs)))
    check_vectors(request, inputs, target, sources, what, worst);
  EXPECT_LT(worst.error, 2e-3) << what;
}

TEST(Sensitivity, GoesThroughGroupedHeadsExtraKeysAndTurns) {
  const Request request = sensitivity_options(phrase_request(), {{"mask", "causal"}});
  check(request, separate_inputs(2), kSelf, "grouped");
  Inputs extra = separate_inputs(4);
  extra.weights.bias_k = random_tensor({24}, 21);
  extra.weights.bias_v = random_tensor({24}, 22);
  check(request, extra, kSelf, "bias_k");
  for (const auto pairs : {RotaryRule::Pairs::halves, RotaryRule::Pairs::neighbours}) {
    const auto rule = std::make_shared<HeadRule>();
    rule->rotary = std::make_shared<const RotaryTable>(
        RotaryRule{.features = 4, .pairs = pairs, .inverse_frequencies = {1.0, 0.25}, .factor = 1.5});
    Inputs turned = separate_inputs(2);
    turned.head_rule = rule;
    check(request, turned, kSelf, "RoPE");
    const auto normed = std::make_shared<HeadRule>(*rule);
    normed->query_norm = random_tensor({6}, 41);
    normed->key_norm = random_tensor({6}, 42);
    normed->norm_eps = 1e-6;
    normed->norm_plus_one = pairs == RotaryRule::Pairs::neighbours;
    turned.head_rule = normed;
    check(request, turned, kSelf, "RMSNorm and RoPE");
    const auto centred = std::make_shared<HeadRule>(*normed);
    centred->norm_centred = true;
    centred->clip = 1e3;  // a bound that nothing reaches, as a slope ends there
    turned.head_rule = centred;
    check(request, turned, kSelf, "LayerNorm and RoPE within bounds");
  }
}

TEST(Sensitivity, KeepsQueriesKeysAndValuesApartWhereTheyAre) {
  Inputs cross = fused_inputs(QkvLayout::per_head, {.input_dim = 4});
  cross.key_x = random_tensor({2, 3, 4}, 77);
  cross.value_x = random_tensor({2, 3, 4}, 78);
  cross.key_len = 3;
  cross.key_tokens = numbered_tokens("k", 3);
  Request request = phrase_request();
  request.key_phrase = "x y z";
  check(request, cross,
        {{StageId::input, &Inputs::x}, {StageId::key_input, &Inputs::key_x}, {StageId::value_input, &Inputs::value_x}},
        "cross-attention");
  const std::vector<Source> alone = {
      {StageId::query, &Inputs::query}, {StageId::key, &Inputs::key}, {StageId::value, &Inputs::value}};
  check(sensitivity_options(alone_request(), {{"mask", "causal"}}), alone_inputs({1, 4, 4, 2, 2, 3, 2}), alone,
        "alone");
  check(sensitivity_options(alone_request(), {{"variant", "key-not-transposed"}}), alone_inputs({1, 3, 4, 2, 2, 4, 2}),
        alone, "key-not-transposed");
}

}  // namespace
}  // namespace headscope
