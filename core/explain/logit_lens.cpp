#include "core/explain/logit_lens.h"

#include <fmt/format.h>

#include <numeric>

#include "core/attention/model_stages.h"
#include "core/base/error.h"
#include "core/model/checkpoint.h"
#include "core/model/stack.h"

namespace headscope {
namespace {

// What the decoder reads when the model ends here: [batch, len, d_model].
Tensor hidden_of(const ModelTrace& model, const Tensor& stream) {
  const NormWeights norm = model.checkpoint->output_head().final_norm;
  if (norm.empty()) return stream;
  Tensor hidden = Tensor::zeros(stream.shape(), stream.axes());
  norm_rows(model.checkpoint->architecture(), norm, stream, 0, hidden);
  return hidden;
}

}  // namespace

std::string lens_row_name(std::int64_t layer) {
  return layer < 0 ? "embeddings" : fmt::format("layer {}", layer);
}

void check_lens(const std::string& option, const Trace& trace) {
  check_model_stage(option, trace, ModelStageId::logits);
}

LogitLens logit_lens(const std::string& option, const Trace& trace, std::int64_t batch, std::int64_t top_n,
                     const CancelToken& cancel) {
  check_lens(option, trace);
  const ModelTrace& model = *trace.model;
  const std::int64_t items = model.final_hidden.dim(0);
  if (batch < 0 || batch >= items) {
    throw UsageError("batch", fmt::format("{} asked for, the batches are 0 to {}", batch, items - 1));
  }
  const LayerStreams streams = layer_streams(option, model, cancel);
  std::vector<std::int64_t> positions(static_cast<std::size_t>(trace.query_len()));
  std::iota(positions.begin(), positions.end(), 0);
  LogitLens lens;
  lens.next_token = model.checkpoint->output_head().kind == OutputHead::Kind::next_token;
  ModelTrace ended = model;
  for (std::size_t l = 0; l < streams.each.size(); ++l) {
    cancel.check();
    ended.final_hidden = hidden_of(model, streams.each[l]);
    lens.layers.push_back(
        {static_cast<std::int64_t>(l) - 1, predictions(ended, batch, positions, top_n, *model.backend, cancel)});
  }
  return lens;
}

}  // namespace headscope
