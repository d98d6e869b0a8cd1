// A layer of a model computed from a stream that another program gave, and from any of its parts behind attention.
#pragma once

#include <cstdint>
#include <memory>

#include "core/attention/model_trace.h"
#include "core/attention/trace.h"
#include "core/backend/backend.h"
#include "core/base/cancel.h"
#include "core/model/checkpoint.h"
#include "core/tensor/tensor.h"

namespace headscope {

// The attention of layer `layer` of a model that was computed whole, from what enters the layer, [batch, len, d_model],
// with the options of the model's own run. Throws Cancelled.
std::shared_ptr<const Trace> layer_on_stream(const ModelTrace& model, std::int64_t layer, const Tensor& stream,
                                             const std::shared_ptr<const Backend>& backend, const CancelToken& cancel);

// What a layer computes behind its attention. All tensors are [batch, rows, d_model], of any rows of a text.
class LayerRest {
 public:
  // `model`, `backend` and `cancel` must live as long as it.
  LayerRest(const ModelTrace& model, std::int64_t layer, const Backend& backend, const CancelToken& cancel);

  bool has_mlp() const { return architecture_.mlp != Architecture::Mlp::none; }
  // Whether a convolution over rows is added to what leaves the layer, which the parts do not have.
  bool has_convolution() const { return !weights_.convolution.empty(); }

  // What attention adds to the stream, from the stage output: its norm where the layer has one.
  Tensor added(const Tensor& output) const;
  // attended_rows(), mlp_input() of core/model/stack.h.
  Tensor attended(const Tensor& stream, const Tensor& added) const;
  Tensor mlp_in(const Tensor& stream, const Tensor& attended) const;
  // What the MLP makes of what it reads, after a norm of its result where the layer has one. Throws Cancelled.
  Tensor mlp_out(const Tensor& mlp_in) const;
  // Returns what leaves the layer: the sum of both, normalised where sums are.
  Tensor leaving(const Tensor& attended, const Tensor& mlp_out) const;
  // finish_layer(), with the convolution; of all rows. Throws Cancelled.
  Tensor finished(const Tensor& stream, const Tensor& added) const;
  // The model's norm behind its last layer; the rows themselves where it has none.
  Tensor final_norm(const Tensor& leaving) const;

 private:
  const Architecture& architecture_;
  BlockWeights weights_;
  NormWeights final_norm_;
  const Backend& backend_;
  const CancelToken& cancel_;
};

}  // namespace headscope
