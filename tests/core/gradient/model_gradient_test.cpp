// Gradients of whole models against central differences of plain loops in double; what is refused.
#include "core/gradient/model_gradient.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "core/attention/engine.h"
#include "core/base/error.h"
#include "tests/core/sweep/plain_models.h"

namespace headscope {
namespace {

const std::vector<std::int64_t> kGradientText = {1, 5, 4, 7, 8, 9};

Request gradient_golden(const std::string& name) {
  Request request;
  request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name;
  request.token_ids = kGradientText;
  request.backend = BackendChoice::cpu;
  request.threads = 1;
  return request;
}

std::shared_ptr<const Trace> gradient_run(const Request& request) {
  EngineOptions options;
  options.whole_model = true;
  return Engine(options).run(request, CancelToken());
}

// logit(3) - logit(8) at one position.
LogitSlopes gradient_difference_at(std::int64_t position) {
  return {{position}, [](std::int64_t, std::span<const float>, std::span<double> out) {
            out[3] += 1;
            out[8] -= 1;
          }};
}

// The mean of -ln softmax(logits)[k + 2] over positions k = 1 and 4.
LogitSlopes losses() {
  return {{1, 4}, [](std::int64_t position, std::span<const float> logits, std::span<double> out) {
            double sum = 0;
            for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
            for (std::size_t k = 0; k < out.size(); ++k) out[k] = std::exp(static_cast<double>(logits[k])) / sum / 2;
            out[static_cast<std::size_t>(position + 2)] -= 0.5;
          }};
}

double plain_losses(const PlainRows& logits) {
  double loss = 0;
  for (const std::size_t k : {1u, 4u}) {
    double sum = 0;
    for (const double logit : logits[k]) sum += std::exp(logit);
    loss += (std::log(sum) - logits[k][k + 2]) / 2;
  }
  return loss;
}

double plain_difference(const PlainRows& logits) {
  return logits[5][3] - logits[5][8];
}

using PlainNumber = double (*)(const PlainRows& logits);

// d number / d a cell of a part, by central differences.
double plain_slope(const std::string& model, const std::string& part, std::size_t row, std::size_t column,
                   PlainNumber number) {
  constexpr double kStep = 1e-5;
  double ends[2];
  for (const int end : {0, 1}) {
    PlainParts parts;
    parts.change = [&](const std::string& name, PlainRows& rows) {
      if (name == part) rows[row][column] += end == 0 ? -kStep : kStep;
    };
    ends[end] = number(plain_logits(model, kGradientText, parts));
  }
  return (ends[1] - ends[0]) / (2 * kStep);
}

// A cell of a part of the plain model in the gradient of its stage: heads stand beside each other there.
double gradient_at(const Tensor& gradient, std::size_t row, std::size_t column) {
  const auto i = static_cast<std::int64_t>(row), d = static_cast<std::int64_t>(column);
  if (gradient.rank() == 3) return static_cast<double>(gradient.at({0, i, d}));
  const std::int64_t len = gradient.dim(2), size = gradient.dim(3);
  if (size == len && gradient.axes()[3] == Axis::key) return static_cast<double>(gradient.at({0, i / len, i % len, d}));
  return static_cast<double>(gradient.at({0, d / size, i, d % size}));
}

void expect_plain_slopes(const std::string& model, const LogitSlopes& slopes, PlainNumber number) {
  const std::map<std::string, std::string> stages = {{"stream", "stream"}, {"query", "query"},     {"key", "key"},
                                                     {"value", "value"},   {"weights", "weights"}, {"concat", "concat"},
                                                     {"output", "output"}, {"mlp_out", "mlp_out"}};
  PlainParts seen;
  plain_logits(model, kGradientText, seen);
  const ModelGradients found =
      model_gradients("estimate", *gradient_run(gradient_golden(model)), slopes, {}, CancelToken());
  for (std::int64_t layer = 0; layer < 2; ++layer) {
    for (const auto& [stage, part] : stages) {
      const std::string name = fmt::format("{}/{}", layer, part);
      const Tensor* gradient = found.layers[static_cast<std::size_t>(layer)].find(stage);
      ASSERT_NE(gradient, nullptr) << stage;
      const PlainRows& rows = seen.seen.at(name);
      double largest = 0;
      for (const float value : gradient->values()) largest = std::max(largest, std::abs(static_cast<double>(value)));
      EXPECT_GT(largest, 0) << model << " " << name;
      const std::size_t step = rows.size() * rows[0].size() / 6 - 1;
      for (std::size_t at = 1; at < rows.size() * rows[0].size(); at += step) {
        const std::size_t row = at / rows[0].size(), column = at % rows[0].size();
        // What a hidden cell holds counts in the plain loops alone.
        if (part == "weights" && model != "bert" && column > row % kGradientText.size()) continue;
        const double wanted = plain_slope(model, name, row, column, number);
        const double here = gradient_at(*gradient, row, column);
        EXPECT_TRUE(std::abs(here - wanted) <= 3e-5 * largest)
            << model << " " << name << " [" << row << ", " << column << "]: " << here << " for " << wanted;
      }
    }
  }
}

TEST(ModelGradient, IsTheSlopeOfPlainLoopsInDouble) {
  for (const char* model : {"gpt2", "llama", "bert"}) {
    expect_plain_slopes(model, gradient_difference_at(5), plain_difference);
    expect_plain_slopes(model, losses(), plain_losses);
  }
}

TEST(ModelGradient, HoldsTheStagesThatAreAskedFor) {
  const auto trace = gradient_run(gradient_golden("gemma2"));
  const ModelGradients all = model_gradients("estimate", *trace, gradient_difference_at(5), {}, CancelToken());
  for (const LayerGradients& layer : all.layers) {
    for (const StageGradient& each : layer.stages) {
      const std::optional<StageId> id = stage_named(each.stage);
      if (id) {
        EXPECT_EQ(each.tensor.shape(), trace->tensor(*id).shape()) << each.stage;
      }
    }
    for (const char* stage : {"capped_scores", "raw_scores", "input", "attention_norm_out", "mlp_in", "query_proj"}) {
      EXPECT_NE(layer.find(stage), nullptr) << stage;
    }
  }
  const std::vector<std::string> one = {"key"};
  const ModelGradients some = model_gradients("estimate", *trace, gradient_difference_at(5), one, CancelToken());
  ASSERT_EQ(some.layers[0].stages.size(), 1u);
  EXPECT_EQ(some.layers[0].stages[0].tensor.values(), all.layers[0].find("key")->values());
}

void expect_refused(const Request& request, const std::string& part) {
  try {
    model_gradients("estimate", *gradient_run(request), gradient_difference_at(5), {}, CancelToken());
    ADD_FAILURE() << "ran: " << part;
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(ModelGradient, HasTheSameBitsForAnyNumberOfThreads) {
  for (const char* model : {"gpt2", "llama", "bert"}) {
    const std::string name = model;
    ModelGradients one;
    for (const int threads : {1, 2, 3}) {
      Request request = gradient_golden(name);
      request.threads = threads;
      ModelGradients found = model_gradients("metric", *gradient_run(request), losses(), {}, CancelToken());
      if (threads == 1) {
        one = std::move(found);
        continue;
      }
      for (std::size_t layer = 0; layer < one.layers.size(); ++layer) {
        for (const StageGradient& each : one.layers[layer].stages) {
          EXPECT_EQ(found.layers[layer].find(each.stage)->values(), each.tensor.values()) << name << " " << each.stage;
        }
      }
    }
  }
}

TEST(ModelGradient, RefusesByNameWhatItDoesNotKnow) {
  expect_refused(gradient_golden("mixtral"), "--estimate: found a mixture of experts in layer 0 of mixtral");
  expect_refused(gradient_golden("deepseek_v2"), "attention by latents");
  expect_refused(gradient_golden("deberta_v2-conv"), "a convolution beside layer 0");
  expect_refused(gradient_golden("mpt-held"), "held within bounds");
  expect_refused(gradient_golden("cohere-normed"), "norms of heads with weights of their own");
  Request request = gradient_golden("gpt2");
  request.ablate = {{{0, 1}, true}};
  expect_refused(request, "interventions that put in numbers");
  request = gradient_golden("gpt2");
  request.dropout = 0.5;
  expect_refused(request, "dropout");
  request = gradient_golden("gpt2");
  request.variants = {Variant::no_scale};
  expect_refused(request, "known mistakes");
  request = gradient_golden("gpt2");
  request.merge = Merge::direct;
  expect_refused(request, "without transposing");
  request = gradient_golden("gpt2");
  request.mask_fill = -5;
  expect_refused(request, "a finite fill");
}

TEST(ModelGradient, SwitchedOffInterventionsAndMasksDoNotMatter) {
  Request request = gradient_golden("gpt2");
  request.ablate = {{{0, 1}, false}};
  request.paint = {{true, 3, 4, 1, 2, true}};
  const auto trace = gradient_run(request);
  const ModelGradients found = model_gradients("estimate", *trace, gradient_difference_at(5), {}, CancelToken());
  EXPECT_EQ(found.layers[0].find("weights")->at({0, 0, 3, 1}), 0) << "a cell that is hidden";
  EXPECT_NE(found.layers[0].find("weights")->at({0, 0, 3, 2}), 0);
}

}  // namespace
}  // namespace headscope
