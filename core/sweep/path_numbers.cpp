#include "core/sweep/path_numbers.h"

#include <cstddef>
#include <numeric>
#include <utility>

#include "core/attention/forward.h"
#include "core/attention/model_forward.h"
#include "core/attention/model_trace.h"
#include "core/attention/patches.h"
#include "core/base/error.h"
#include "core/gradient/layer_gradient.h"
#include "core/gradient/norm_gradient.h"
#include "core/model/checkpoint.h"
#include "core/request/stage.h"

namespace headscope {
namespace {

GradientRows difference(GradientRows a, const GradientRows& b) {
  for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] -= b.values[k];
  return a;
}

// What leaves a layer with NormPlace::after_sum whose attention and MLP add what they added, when `change` is added to
// the sum of its stream and its attention; less what leaves it without.
GradientRows carried(const LayerOf& layer, const LayerPass& pass, const GradientRows& change) {
  const auto left = [&](LayerPass held, const GradientRows* more) {
    if (more != nullptr) held.sum += *more;
    held.attended = normed(row_norm_of(layer.architecture, layer.weights.attention_norm), held.sum);
    held.left = held.attended;
    if (!held.added.values.empty()) held.left += held.added;
    return left_of(layer, held);
  };
  return difference(left(pass, &change), left(pass, nullptr));
}

// By how much what attention adds changes when one head's context does.
GradientRows attention_change(const Trace& trace, std::int64_t head, const Tensor& context, ThreadPool& threads) {
  const Tensor& own = trace.tensor(StageId::context);
  const GradientRows step =
      difference(gradient_rows(context.sliced(1, head, head + 1)), gradient_rows(own.sliced(1, head, head + 1)));
  const std::int64_t features = own.dim(3);
  Linear part;
  part.weight = trace.inputs->weights.output.weight.sliced(1, head * features, (head + 1) * features);
  GradientRows change = linear_of(step, part, threads);
  if (trace.find(StageId::attention_norm_out) == nullptr) return change;
  const RowNorm& norm = *trace.inputs->output_norm;
  const GradientRows output = gradient_rows(trace.tensor(StageId::output));
  GradientRows moved = output;
  moved += change;
  return difference(normed(norm, moved), normed(norm, output));
}

}  // namespace

PathNumbers::PathNumbers(std::shared_ptr<const Trace> own, std::shared_ptr<const Inputs> inputs, Request request)
    : own_(std::move(own)), inputs_(std::move(inputs)), request_(std::move(request)) {}

GradientRows PathNumbers::change_before(const LayerHead& from, std::int64_t layer, const Tensor& context,
                                        const CancelToken& cancel) const {
  const ModelTrace& model = *own_->model;
  ThreadPool threads(own_->request.threads);
  GradientRows change =
      attention_change(*model.layers[static_cast<std::size_t>(from.layer)], from.head, context, threads);
  const Architecture& architecture = model.checkpoint->architecture();
  if (architecture.norm_place != Architecture::NormPlace::after_sum) return change;  // sums carry it as it is
  if (architecture.convolution && from.layer == 0) {
    throw UsageError("from", "found a convolution beside layer 0, through which no path is known", "a later layer");
  }
  if (architecture.mixture) {
    throw UsageError("from",
                     "found a mixture of experts in a model that norms its sums, through which no path is known",
                     "a model without one");
  }
  for (std::int64_t between = from.layer; between < layer; ++between) {
    cancel.check();
    const auto at = static_cast<std::size_t>(between);
    const BlockWeights weights = model.checkpoint->block(between);
    const LayerOf of{architecture, weights, *model.layers[at], model.streams[at], threads};
    change = carried(of, layer_pass(of), change);
  }
  return change;
}

std::shared_ptr<const Trace> PathNumbers::run_with_stream(std::int64_t layer, const Tensor& stream,
                                                          const CancelToken& cancel) const {
  auto patches = std::make_shared<Patches>();
  patches->query_of.resize(static_cast<std::size_t>(own_->query_len()));
  std::iota(patches->query_of.begin(), patches->query_of.end(), 0);
  patches->key_of = patches->query_of;
  patches->stages.push_back({layer, kStreamPatch, stream});
  auto inputs = std::make_shared<Inputs>(*inputs_);
  inputs->patches = std::move(patches);
  Request request = request_;
  request.patches = {{kStreamPatch, layer, {}, {}, true}};
  ModelOptions options;
  options.stage_memory = kDefaultStageMemory;
  options.whole_model = true;
  ModelForward models;
  return models.run(request, inputs, own_->model->backend, cancel, options);
}

Tensor PathNumbers::numbers(const Path& path, const Tensor& context, const CancelToken& cancel) {
  if (!known_ || !(known_->from == path.from) || known_->layer != path.layer) {
    const Tensor& own = own_->model->streams[static_cast<std::size_t>(path.layer)];
    GradientRows stream = gradient_rows(own);
    stream += change_before(path.from, path.layer, context, cancel);
    known_ = Known{path.from, path.layer,
                   run_with_stream(path.layer, tensor_of_rows(stream, own.shape(), own.axes()), cancel)};
  }
  const Trace& layer = *known_->run->model->layers[static_cast<std::size_t>(path.layer)];
  return layer.tensor(stage_named(path.stage).value());
}

}  // namespace headscope
