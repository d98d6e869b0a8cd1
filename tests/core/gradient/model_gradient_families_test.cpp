// Gradients of whole models of every family against central differences of the engine's own runs.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>

#include "core/attention/engine.h"
#include "core/attention/model_forward.h"
#include "core/attention/model_trace.h"
#include "core/attention/output_head.h"
#include "core/attention/patches.h"
#include "core/gradient/model_gradient.h"
#include "core/model/checkpoint.h"

namespace headscope {
namespace {

const std::vector<std::int64_t> kText = {1, 5, 4, 7, 8, 9};

Request golden(const std::string& name) {
  Request request;
  request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name;
  request.token_ids = kText;
  request.backend = BackendChoice::cpu;
  request.threads = 1;
  return request;
}

std::shared_ptr<const Trace> run(const Request& request) {
  EngineOptions options;
  options.whole_model = true;
  return Engine(options).run(request, CancelToken());
}

// logit(3) - logit(8) at one position.
LogitSlopes difference_at(std::int64_t position) {
  return {{position}, [](std::int64_t, std::span<const float>, std::span<double> out) {
            out[3] += 1;
            out[8] -= 1;
          }};
}

// Runs of one model whose stages are put in.
class Runs {
 public:
  explicit Runs(const std::string& model) : request_(golden(model)), own_(run(request_)) {
    EngineOptions options;
    options.whole_model = true;
    inputs_ = Engine(options).read(request_, CancelToken());
  }
  const Trace& own() const { return *own_; }

  // The number that difference_at() is the slope of, with `numbers` for a whole stage.
  double with(std::int64_t layer, const std::string& stage, const Tensor& numbers, std::int64_t position) const {
    auto patches = std::make_shared<Patches>();
    for (std::int64_t i = 0; i < own_->query_len(); ++i) patches->query_of.push_back(i);
    patches->key_of = patches->query_of;
    patches->stages.push_back({layer, stage, numbers});
    auto inputs = std::make_shared<Inputs>(*inputs_);
    inputs->patches = patches;
    Request request = request_;
    request.patches = {{stage, layer, {}, {}, true}};
    ModelOptions options;
    options.whole_model = true;
    options.stage_memory = kDefaultStageMemory;
    ModelForward models;
    const auto found = models.run(request, inputs, own_->model->backend, CancelToken(), options);
    const std::vector<float> logits = logits_at(*found->model, 0, position, *found->model->backend, CancelToken());
    return static_cast<double>(logits[3]) - static_cast<double>(logits[8]);
  }

 private:
  Request request_;
  std::shared_ptr<const Trace> own_;
  std::shared_ptr<const Inputs> inputs_;
};

// The largest part of the numbers of a stage as a step along which the metric is followed.
void expect_slope_along(const Runs& runs, const ModelGradients& gradients, std::int64_t layer, const std::string& stage,
                        const std::string& model) {
  constexpr std::int64_t kAt = 4;
  const Tensor own = patch_numbers(runs.own(), stage, layer);
  const std::vector<float> values = own.values(),
                           gradient = gradients.layers[static_cast<std::size_t>(layer)].find(stage)->values();
  double norm = 0, size = 0;
  for (const float value : gradient) norm += static_cast<double>(value) * static_cast<double>(value);
  for (const float value : values) size += static_cast<double>(value) * static_cast<double>(value);
  ASSERT_TRUE(norm > 0 && size > 0) << model << " " << layer << "/" << stage;
  // Half along the gradient, half anywhere.
  std::mt19937 generator(7);
  std::normal_distribution<double> any;
  std::vector<double> direction;
  double wanted = 0, length = 0;
  for (const float slope : gradient) {
    direction.push_back(static_cast<double>(slope) / std::sqrt(norm) +
                        any(generator) / std::sqrt(static_cast<double>(values.size())));
    length += direction.back() * direction.back();
  }
  const auto slope_over = [&](double step) {
    double ends[2];
    for (const int end : {0, 1}) {
      std::vector<float> put = values;
      for (std::size_t k = 0; k < put.size(); ++k) {
        put[k] = static_cast<float>(static_cast<double>(put[k]) + (end == 0 ? -step : step) * direction[k]);
      }
      ends[end] = runs.with(layer, stage, Tensor::of(own.shape(), own.axes(), std::move(put)), kAt);
    }
    return (ends[1] - ends[0]) / (2 * step);
  };
  const double step = 5e-4 * std::sqrt(size / length);
  for (std::size_t k = 0; k < direction.size(); ++k) wanted += static_cast<double>(gradient[k]) * direction[k];
  // Richardson's extrapolation: what is left is the rounding of the runs.
  const double found = (4 * slope_over(step) - slope_over(2 * step)) / 3;
  EXPECT_TRUE(std::abs(found - wanted) <= 0.005 * std::sqrt(norm) + 3e-6 / step)
      << model << " " << layer << "/" << stage << ": the runs say " << found << ", the gradient " << wanted;
}

TEST(ModelGradientFamilies, AreTheSlopesOfTheEngine) {
  for (const char* model : {"gpt2",
                            "llama",
                            "bert",
                            "gpt_neox",
                            "gpt_neox-sequential",
                            "gptj",
                            "phi",
                            "phi3",
                            "falcon",
                            "falcon-alibi",
                            "falcon-grouped",
                            "gemma",
                            "gemma2",
                            "gemma3",
                            "olmo2",
                            "olmo2-grouped",
                            "olmo3",
                            "opt",
                            "opt-after",
                            "roberta",
                            "albert",
                            "electra-wide",
                            "deberta_v2",
                            "deberta_v2-own",
                            "deberta_v2-c2p",
                            "deberta_v2-p2c",
                            "modernbert",
                            "mpt",
                            "bloom",
                            "cohere",
                            "stablelm",
                            "stablelm-parallel",
                            "starcoder2",
                            "mistral",
                            "qwen2",
                            "qwen3",
                            "nanogpt",
                            "attention-only-decoder"}) {
    const Runs runs(model);
    const bool mlp = runs.own().model->checkpoint->architecture().mlp != Architecture::Mlp::none;
    std::vector<std::string> stages = {"stream", "query", "key", "value", "weights", "context", "output"};
    if (mlp) stages.emplace_back(kMlpPatch);
    if (runs.own().find(StageId::attention_norm_out) != nullptr) stages.emplace_back("attention_norm_out");
    for (const char* part : {"c2p", "p2c"}) {
      if (runs.own().find(*stage_named(part)) != nullptr) stages.emplace_back(part);
    }
    const ModelGradients gradients = model_gradients("estimate", runs.own(), difference_at(4), stages, CancelToken());
    for (std::int64_t layer = 0; layer < std::ssize(gradients.layers); layer += 1) {
      for (const std::string& stage : stages) {
        if (stage == "weights") continue;  // a step of weights is held against plain loops
        expect_slope_along(runs, gradients, layer, stage, model);
      }
    }
  }
}

}  // namespace
}  // namespace headscope
