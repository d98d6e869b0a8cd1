#include "core/sweep/weight_gradients.h"

#include <cmath>
#include <utility>

#include "core/attention/model_forward.h"
#include "core/attention/model_trace.h"
#include "core/attention/patches.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/gradient/model_gradient.h"
#include "core/request/model_kind.h"
#include "core/request/stage.h"
#include "core/sweep/sweep_source.h"

namespace headscope {
namespace {

constexpr const char* kOption = "model";

void check_request(const WeightQuestion& question) {
  if (shows_decoder(question.request)) {
    throw UsageError("attention", "found the decoder of a model that has an encoder beside it",
                     "a model that is one stack of layers");
  }
  if (!runs_checkpoint(question.request)) {
    throw UsageError(kOption,
                     runs_capture(question.request) ? "found a capture, which has no layers to go back through"
                                                    : "found one layer, which has no vocabulary",
                     "--model demo:NAME or PATH, a whole model");
  }
}

std::vector<std::string> weights_alone() {
  return {std::string(stage_name(StageId::weights))};
}

Tensor times(const Tensor& a, const Tensor& b) {
  std::vector<float> product = a.values();
  const std::vector<float> other = b.values();
  HEADSCOPE_ASSERT(product.size() == other.size(), to_string(a.shape()));
  for (std::size_t k = 0; k < product.size(); ++k) {
    product[k] = static_cast<float>(static_cast<double>(product[k]) * static_cast<double>(other[k]));
  }
  return Tensor::of(a.shape(), a.axes(), std::move(product));
}

Tensor scaled(const Tensor& a, double factor) {
  std::vector<float> values = a.values();
  for (float& value : values) value = static_cast<float>(factor * static_cast<double>(value));
  return Tensor::of(a.shape(), a.axes(), std::move(values));
}

// The run as if its numbers had come about by themselves: the weights that were put in are those that it has.
std::shared_ptr<const Trace> without_patches(const Trace& run) {
  auto clean = std::make_shared<Trace>(run);
  clean->request.patches.clear();
  auto model = std::make_shared<ModelTrace>(*run.model);
  for (std::shared_ptr<const Trace>& layer : model->layers) {
    if (layer == nullptr || layer->request.patches.empty()) continue;
    auto own = std::make_shared<Trace>(*layer);
    own->request.patches.clear();
    layer = std::move(own);
  }
  clean->model = std::move(model);
  return clean;
}

// Runs in which all weights of a layer are a share of what they are.
class ScaledRuns {
 public:
  ScaledRuns(Engine& engine, const WeightQuestion& question, const std::shared_ptr<const Trace>& own,
             std::int64_t stage_memory, const CancelToken& cancel)
      : question_(question), own_(own), inputs_(engine.read(question.request, cancel)), partners_(own_partners(*own)) {
    options_.stage_memory = stage_memory;
    options_.reuse = options_.whole_model = true;
  }

  std::shared_ptr<const Trace> run(std::int64_t layer, double share, const CancelToken& cancel) {
    const std::string stage(stage_name(StageId::weights));
    auto patches = std::make_shared<Patches>(*partners_);
    const Tensor& weights = own_->model->layers[static_cast<std::size_t>(layer)]->tensor(StageId::weights);
    patches->stages.push_back({layer, stage, scaled(weights, share)});
    auto inputs = std::make_shared<Inputs>(*inputs_);
    inputs->patches = std::move(patches);
    Request request = question_.request;
    request.patches = {{stage, layer, {}, {}, true}};
    request.patch_from = kSweepSource;
    return without_patches(*models_.run(request, std::move(inputs), own_->model->backend, cancel, options_));
  }

 private:
  const WeightQuestion& question_;
  std::shared_ptr<const Trace> own_;
  std::shared_ptr<const Inputs> inputs_;
  std::shared_ptr<const Patches> partners_;
  ModelForward models_;  // keeps the layers below the one that is scaled
  ModelOptions options_;
};

// The gradients by the weights of every layer.
std::vector<Tensor> slopes_of(const Trace& run, const WeightGradients& of, const CancelToken& cancel) {
  const LogitSlopes slopes = metric_slopes(*run.model, of.metric, of.position, {});
  const std::vector<std::string> stages = weights_alone();
  const ModelGradients gradients = model_gradients(kOption, run, slopes, stages, cancel);
  std::vector<Tensor> found;
  for (const LayerGradients& layer : gradients.layers) {
    const Tensor* gradient = layer.find(stages.front());
    HEADSCOPE_ASSERT(gradient != nullptr, "a layer without weights");
    found.push_back(*gradient);
  }
  return found;
}

void add_heads(WeightGradients& result, std::int64_t layer) {
  const Tensor& product = result.layers[static_cast<std::size_t>(layer)].product;
  const std::int64_t heads = product.dim(1), queries = product.dim(2), keys = product.dim(3);
  std::vector<float> values(static_cast<std::size_t>(queries * keys));
  for (std::int64_t head = 0; head < heads; ++head) {
    product.read(Region{{0, 1}, {head, head + 1}, {0, queries}, {0, keys}}, values);
    HeadWeightGradients found{layer, head};
    found.by_query.resize(static_cast<std::size_t>(queries));
    found.by_key.resize(static_cast<std::size_t>(keys));
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto value = static_cast<double>(values[k]);
      found.by_query[k / found.by_key.size()] += value;
      found.by_key[k % found.by_key.size()] += value;
      found.sum += value;
      found.absolute += std::abs(value);
      if (std::abs(value) <= std::abs(found.largest)) continue;
      found.largest = value;
      found.query = static_cast<std::int64_t>(k) / keys;
      found.key = static_cast<std::int64_t>(k) % keys;
    }
    result.layers[static_cast<std::size_t>(layer)].sum += found.sum;
    result.heads.push_back(std::move(found));
  }
}

void add_paths(WeightGradients& result, ScaledRuns& runs, std::int64_t steps, const CancelToken& cancel,
               const std::function<void(double)>& progress) {
  const auto layers = static_cast<std::int64_t>(result.trace->model->layers.size());
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    std::vector<double> sum;
    Tensor last;
    for (std::int64_t step = 0; step < steps; ++step) {
      const double share = (static_cast<double>(step) + 0.5) / static_cast<double>(steps);
      const auto run = runs.run(layer, share, cancel);
      last = slopes_of(*run, result, cancel)[static_cast<std::size_t>(layer)];
      const std::vector<float> slopes = last.values();
      sum.resize(slopes.size(), 0);
      for (std::size_t k = 0; k < slopes.size(); ++k) sum[k] += static_cast<double>(slopes[k]);
      if (progress) progress(static_cast<double>(layer * steps + step + 1) / static_cast<double>(layers * steps));
    }
    std::vector<float> mean(sum.size());
    for (std::size_t k = 0; k < sum.size(); ++k) mean[k] = static_cast<float>(sum[k] / static_cast<double>(steps));
    LayerWeightGradients& found = result.layers.emplace_back();
    found.gradient = Tensor::of(last.shape(), last.axes(), std::move(mean));
    const auto without = runs.run(layer, 0, cancel);
    found.difference = result.value - sweep_metric_of(*without->model, result.metric, result.position, {}, cancel);
  }
}

}  // namespace

WeightGradients weight_gradients(EngineOptions options, const WeightQuestion& question, const CancelToken& cancel,
                                 const std::function<void(double share)>& progress) {
  check_request(question);
  options.whole_model = true;
  options.reuse = false;
  const std::int64_t memory = options.stage_memory;
  Engine engine(std::move(options));
  WeightGradients result;
  result.trace = engine.run(question.request, cancel);
  const ModelTrace& model = *result.trace->model;
  result.metric = parse_sweep_metric(*model.checkpoint, question.metric);
  check_slopes("metric", result.metric, true);
  if (result.metric.recovered) {
    throw UsageError("metric", "found recovered, but there is one run alone", "logit:A, logit:A-B, prob:A or loss");
  }
  result.position = metric_position(*result.trace, question.at);
  check_gradient(kOption, *result.trace);
  result.value = sweep_metric_of(model, result.metric, result.position, {}, cancel);
  if (question.steps > 0) {
    ScaledRuns runs(engine, question, result.trace, memory, cancel);
    add_paths(result, runs, question.steps, cancel, progress);
  } else {
    for (Tensor& gradient : slopes_of(*result.trace, result, cancel)) {
      result.layers.emplace_back().gradient = std::move(gradient);
    }
  }
  for (std::size_t layer = 0; layer < result.layers.size(); ++layer) {
    LayerWeightGradients& found = result.layers[layer];
    found.product = times(found.gradient, model.layers[layer]->tensor(StageId::weights));
    add_heads(result, static_cast<std::int64_t>(layer));
  }
  return result;
}

}  // namespace headscope
