#include "core/diagnose/layer_on_stream.h"

#include <utility>

#include "core/attention/forward.h"
#include "core/model/inputs.h"
#include "core/model/latents.h"
#include "core/model/row_norm.h"
#include "core/model/stack.h"

namespace headscope {
namespace {

const Axes kRows{Axis::batch, Axis::position, Axis::feature};

Tensor zeros_like(const Tensor& rows) {
  return Tensor::zeros(rows.shape(), kRows);
}

}  // namespace

std::shared_ptr<const Trace> layer_on_stream(const ModelTrace& model, std::int64_t layer, const Tensor& stream,
                                             const std::shared_ptr<const Backend>& backend, const CancelToken& cancel) {
  const Trace& own = *model.layers[static_cast<std::size_t>(layer)];
  const Architecture& architecture = model.checkpoint->architecture();
  const BlockWeights weights = model.checkpoint->block(layer);
  auto inputs = std::make_shared<Inputs>(*own.inputs);
  inputs->x = stream;
  if (architecture.norms_input() && !weights.attention_norm.empty()) {
    inputs->x = zeros_like(stream);
    norm_rows(architecture, weights.attention_norm, stream, 0, inputs->x);
  }
  if (weights.latents != nullptr) {
    Latents latents = latents_of(*architecture.latents, *weights.latents, inputs->x, *backend, cancel);
    inputs->x = std::move(latents.query);
    inputs->key_x = std::move(latents.key);
    inputs->value_x = std::move(latents.value);
  }
  return forward(own.request, std::move(inputs), backend, cancel);
}

LayerRest::LayerRest(const ModelTrace& model, std::int64_t layer, const Backend& backend, const CancelToken& cancel)
    : architecture_(model.checkpoint->architecture()),
      weights_(model.checkpoint->block(layer)),
      final_norm_(model.checkpoint->output_head().final_norm),
      backend_(backend),
      cancel_(cancel) {}

Tensor LayerRest::added(const Tensor& output) const {
  if (weights_.attention_norm_out.empty()) return output;
  Tensor normed = zeros_like(output);
  norm_rows(result_norm_of(architecture_, weights_.attention_norm_out), output, 0, normed);
  return normed;
}

Tensor LayerRest::attended(const Tensor& stream, const Tensor& added) const {
  return attended_rows(architecture_, weights_, {.stream = stream, .attention = added}, {0, stream.dim(1)});
}

Tensor LayerRest::mlp_in(const Tensor& stream, const Tensor& attended) const {
  return mlp_input(architecture_, weights_, {stream, attended});
}

Tensor LayerRest::mlp_out(const Tensor& mlp_in) const {
  // An architecture whose MLP reads the sum itself: mlp_input() has been applied.
  Architecture behind_norm = architecture_;
  using Place = Architecture::NormPlace;
  behind_norm.norm_place = architecture_.norms_result() ? Place::after : Place::after_sum;
  behind_norm.parallel = false;
  Tensor out = zeros_like(mlp_in);
  mlp_added(behind_norm, weights_, {mlp_in, mlp_in}, backend_, cancel_, out);
  return out;
}

Tensor LayerRest::leaving(const Tensor& attended, const Tensor& mlp_out) const {
  std::vector<float> sum = attended.values();
  const std::vector<float> added = mlp_out.values();
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += added[k];
  Tensor left = Tensor::of(attended.shape(), kRows, std::move(sum));
  if (architecture_.norm_place != Architecture::NormPlace::after_sum) return left;
  Tensor normed = zeros_like(left);
  norm_rows(architecture_, weights_.mlp_norm, left, 0, normed);
  return normed;
}

Tensor LayerRest::finished(const Tensor& stream, const Tensor& added) const {
  Tensor left = zeros_like(stream);
  finish_layer(architecture_, weights_, {.stream = stream, .attention = added}, backend_, cancel_, left);
  return left;
}

Tensor LayerRest::final_norm(const Tensor& leaving) const {
  if (final_norm_.empty()) return leaving;
  Tensor normed = zeros_like(leaving);
  norm_rows(architecture_, final_norm_, leaving, 0, normed);
  return normed;
}

}  // namespace headscope
