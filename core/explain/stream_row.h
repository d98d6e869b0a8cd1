// The residual stream of one position on its way through a model: what is added to it, and what its norms read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/base/cancel.h"

namespace headscope {

// All rows are [d_model], of batch item 0, with the bits that the model computed with.
struct LayerRow {
  std::vector<float> entered;    // by how much arrays change the stream that enters the layer; empty: they do not
  std::vector<float> attention;  // what attention adds: attention_norm_out where there is one, else output
  std::vector<float> attended;   // stream + attention, before the norm that NormPlace::after_sum puts there
  std::vector<float> mlp;        // what the MLP adds, after its own norm where it has one; empty without an MLP
  std::vector<float> summed;     // the stream after the MLP, before the norm of after_sum; empty without an MLP
  std::vector<float> convolved;  // what the convolution beside layer 0 adds; empty without one
  std::vector<float> joined;     // the stream with it, before its norm; likewise
};

struct StreamRow {
  std::vector<float> word;        // word embedding * scale
  std::vector<float> token_type;  // empty without token types
  std::vector<float> position;    // empty without learned positions
  std::vector<float> embedded;    // their sum, before its norm
  std::vector<LayerRow> layers;   // one a step of the model (model_steps)
  std::vector<float> left;        // what leaves the last layer, and the final norm reads
};

// Goes through all layers, whose traces must be there (asserted). Costs one row of every MLP: attention is the
// traces'. Throws Cancelled.
StreamRow stream_row(const ModelTrace& model, std::int64_t position, const CancelToken& cancel);

// The row of batch item 0 at a position of [batch, len, features].
std::vector<float> row_at(const Tensor& tensor, std::int64_t position);

// direction . row, in double.
double dot(std::span<const double> direction, std::span<const float> row);

}  // namespace headscope
