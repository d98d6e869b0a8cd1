// The tensors of a model's stages, made of the traces of its layers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/attention/model_stage.h"
#include "core/attention/model_trace.h"
#include "core/base/cancel.h"
#include "core/request/memory.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct ModelStage {
  ModelStageId id{};
  Tensor tensor;          // shape: ModelStageInfo::shape; the axis of layers is called Axis::feature
  std::string operation;  // how it came from other stages: "RMSNorm(stream + attention_out)"
};

// What a layer adds to the stream as the result of its attention: attention_norm_out where there is one, else output.
const Tensor& attention_added(const Trace& layer);

// What enters a layer and what leaves it, of all layers: all [layers + 1, batch, len, d_model]; each[l] [batch, len,
// d_model] shares its memory.
struct LayerStreams {
  Tensor all;
  std::vector<Tensor> each;
};

// Throws UsageError, which names `option`, when a layer was not kept (ModelForward::run).
void check_layers_kept(const std::string& option, const ModelTrace& model);

// Throws UsageError, which names `option`, when the trace is no whole model's or the model lacks what `id` needs.
void check_model_stage(const std::string& option, const Trace& trace, ModelStageId id);

// Bit for bit what the model computed with. With the norms where Architecture::norm_place says (core/model/stack.h)
//   stream[0] = embeddings, stream[l + 1] = finish_layer(stream[l], attention_out[l])
// and of a layer whose stream is patched, what was taken; of a decoder beside an encoder finish_layer() after either
// attention (ModelTrace::whole_streams). It lies in memory. UsageError, which names `option`: layers
// that were not kept, or more than `limit` bytes. Throws Cancelled.
LayerStreams layer_streams(const std::string& option, const ModelTrace& model, const CancelToken& cancel,
                           std::int64_t limit = kDefaultMemoryLimit);

// The stages `ids` of a model that was computed whole (asserted), with its interventions and masks. stream lies in
// memory; mlp_in, mlp_out and logits are computed when read, attention_out reads the layers' traces: only what is read
// at once takes memory. Reads throw Cancelled when `cancel` is. UsageError as check_model_stage() and layer_streams().
std::vector<ModelStage> model_stages(const std::string& option, const Trace& trace, std::span<const ModelStageId> ids,
                                     const CancelToken& cancel, std::int64_t limit = kDefaultMemoryLimit);

}  // namespace headscope
