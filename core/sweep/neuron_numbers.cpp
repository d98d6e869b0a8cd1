#include "core/sweep/neuron_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "core/attention/model_trace.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/base/thread_pool.h"
#include "core/gradient/layer_gradient.h"
#include "core/gradient/mlp_gradient.h"
#include "core/gradient/norm_gradient.h"
#include "core/model/architecture.h"
#include "core/model/checkpoint.h"
#include "core/model/checkpoint_weights.h"
#include "core/model/row_norm.h"
#include "core/request/interventions.h"

namespace headscope {
namespace {

MlpPass pass_of(const Trace& run, std::int64_t layer, const BlockWeights& weights) {
  const auto at = static_cast<std::size_t>(layer);
  const ModelTrace& model = *run.model;
  ThreadPool threads(run.request.threads);
  return layer_pass({model.checkpoint->architecture(), weights, *model.layers[at], model.streams[at], threads}).mlp;
}

GradientRows neurons_of_run(const Trace& run, std::int64_t layer) {
  const Checkpoint& checkpoint = *run.model->checkpoint;
  return neurons_of(checkpoint.architecture(), pass_of(run, layer, checkpoint.block(layer)));
}

}  // namespace

void check_mlps(const Trace& trace, bool neurons) {
  const Architecture& architecture = trace.model->checkpoint->architecture();
  if (architecture.mlp == Architecture::Mlp::none) {
    throw UsageError("patch", fmt::format("found MLPs, but {} has none", trace.model->name), "heads or stages");
  }
  if (!neurons || !architecture.mixture) return;
  throw UsageError("patch", fmt::format("found neurons, but {} has experts, which have theirs each", trace.model->name),
                   "mlps");
}

NeuronNumbers::NeuronNumbers(std::shared_ptr<const Trace> own, std::shared_ptr<const Trace> source,
                             std::shared_ptr<const Patches> found, std::optional<Ablation> ablation)
    : own_(std::move(own)), source_(std::move(source)), found_(std::move(found)), ablation_(ablation) {}

void NeuronNumbers::add_to_means(const Trace& run) {
  const std::int64_t len = run.query_len();
  for (std::int64_t layer = 0; layer < std::ssize(run.model->layers); ++layer) {
    const GradientRows neurons = neurons_of_run(run, layer);
    Mean& mean = means_[layer];
    mean.sum.resize(static_cast<std::size_t>(neurons.features));
    mean.positions += len;
    for (std::int64_t i = 0; i < len; ++i) {
      const std::span<const double> row = neurons.row(i);
      for (std::size_t n = 0; n < row.size(); ++n) mean.sum[n] += row[n];
    }
  }
}

GradientRows NeuronNumbers::put_of(std::int64_t layer, const GradientRows& neurons) const {
  if (source_ == nullptr) {
    GradientRows put(neurons.count, neurons.features);
    if (ablation_ != Ablation::mean) return put;
    const Mean& mean = means_.at(layer);
    for (std::size_t k = 0; k < put.values.size(); ++k) {
      put.values[k] = mean.sum[k % mean.sum.size()] / static_cast<double>(mean.positions);
    }
    return put;
  }
  const GradientRows other = neurons_of_run(*source_, layer);
  if (other.features != neurons.features) {
    throw UsageError(
        "patch", fmt::format("found {} neurons in layer {} of A and {} here", other.features, layer, neurons.features),
        "runs whose layers have the same number of neurons");
  }
  GradientRows put = neurons;
  const std::int64_t len = own_->query_len(), other_len = source_->query_len();
  for (std::int64_t i = 0; i < put.count; ++i) {
    const std::int64_t partner = found_->query_of[static_cast<std::size_t>(i % len)];
    const std::int64_t from = i / len * other_len + partner;
    if (partner < 0 || from >= other.count) continue;
    const std::span<const double> row = other.row(from);
    std::copy(row.begin(), row.end(), put.row(i).begin());
  }
  return put;
}

const NeuronNumbers::Layer& NeuronNumbers::known(std::int64_t layer) {
  if (known_.layer == layer) return known_;
  const Checkpoint& checkpoint = *own_->model->checkpoint;
  const MlpPass pass = pass_of(*own_, layer, checkpoint.block(layer));
  Layer now{
      layer, patch_numbers(*own_, kMlpPatch, layer), pass.result, neurons_of(checkpoint.architecture(), pass), {}};
  now.put = put_of(layer, now.neurons);
  known_ = std::move(now);
  return known_;
}

Tensor NeuronNumbers::numbers(std::int64_t layer, std::int64_t neuron) {
  const Layer& of = known(layer);
  const Checkpoint& checkpoint = *own_->model->checkpoint;
  const Architecture& architecture = checkpoint.architecture();
  const BlockWeights weights = checkpoint.block(layer);
  const auto n = static_cast<std::size_t>(neuron);
  const std::int64_t features = of.result.features;
  std::vector<float> column(static_cast<std::size_t>(features));
  weights.down.weight.read({{0, features}, {neuron, neuron + 1}}, column);
  GradientRows moved = of.result;
  for (std::int64_t i = 0; i < moved.count; ++i) {
    const double step = of.put.row(i)[n] - of.neurons.row(i)[n];
    const std::span<double> row = moved.row(i);
    for (std::size_t d = 0; d < row.size(); ++d) row[d] += step * static_cast<double>(column[d]);
  }
  GradientRows before = of.result;
  if (architecture.norms_result()) {
    const RowNorm norm = result_norm_of(architecture, weights.mlp_norm_out);
    moved = normed(norm, moved);
    before = normed(norm, before);
  }
  std::vector<float> values = of.added.values();
  HEADSCOPE_ASSERT(values.size() == moved.values.size(), to_string(of.added.shape()));
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = static_cast<float>(static_cast<double>(values[k]) + (moved.values[k] - before.values[k]));
  }
  return Tensor::of(of.added.shape(), of.added.axes(), std::move(values));
}

}  // namespace headscope
