#include "core/explain/stream_row.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/attention/model_stages.h"
#include "core/attention/put_numbers.h"
#include "core/base/assert.h"
#include "core/model/checkpoint.h"
#include "core/model/row_convolution.h"
#include "core/model/stack.h"

namespace headscope {
namespace {

// [1, 1, features]
Tensor tensor_of(std::vector<float> row) {
  const auto features = static_cast<std::int64_t>(row.size());
  return Tensor::of({1, 1, features}, {Axis::batch, Axis::position, Axis::feature}, std::move(row));
}

std::vector<float> table_row(const Tensor& table, std::int64_t index) {
  if (table.empty()) return {};
  std::vector<float> row(static_cast<std::size_t>(table.dim(1)));
  table.read({{index, index + 1}, {0, table.dim(1)}}, row);
  return row;
}

void add_to_row(const std::vector<float>& addend, std::vector<float>& row) {
  for (std::size_t d = 0; d < addend.size(); ++d) row[d] += addend[d];
}

std::vector<float> normed(const Architecture& architecture, const NormWeights& norm, const std::vector<float>& row) {
  Tensor tensor = tensor_of(row);
  norm_rows(architecture, norm, tensor, 0, tensor);
  return tensor.values();
}

// Adds up as embedded() of core/model/stack.h does.
void embed(const ModelTrace& model, const Inputs& inputs, std::int64_t position, StreamRow& row) {
  const Architecture& architecture = model.checkpoint->architecture();
  const EmbeddingWeights weights = model.checkpoint->embedding();
  const auto at = static_cast<std::size_t>(position);
  row.word = table_row(weights.word, inputs.token_ids[at]);
  const auto scale = static_cast<float>(architecture.embedding_scale);
  if (scale != 1.0F)
    std::transform(row.word.begin(), row.word.end(), row.word.begin(), [&](float x) { return x * scale; });
  row.token_type = table_row(weights.token_type, inputs.token_types.empty() ? 0 : inputs.token_types[at]);
  row.position = table_row(weights.position, position + architecture.position_offset);
  row.embedded = row.word;
  add_to_row(row.token_type, row.embedded);
  add_to_row(row.position, row.embedded);
}

// What a layer adds to the stream, whose row becomes what leaves the layer; as finish_layer() of core/model/stack.h.
LayerRow layer_row(const ModelTrace& model, const ModelStep& step, std::int64_t position, const CancelToken& cancel,
                   std::vector<float>& stream) {
  const std::shared_ptr<const Trace>& trace = step.attention;
  HEADSCOPE_ASSERT(trace != nullptr, "layer " + std::to_string(step.layer));
  const Architecture& architecture = trace->inputs->checkpoint->architecture();
  const BlockWeights weights = trace->inputs->checkpoint->block(step.layer);
  const bool after_sum = architecture.norm_place == Architecture::NormPlace::after_sum;
  LayerRow row;
  if (is_changed(trace->request, step.layer, kStreamPatch)) {
    std::vector<float> changed = row_with_changes(*trace, kStreamPatch, position, stream);
    row.entered = changed;
    for (std::size_t d = 0; d < stream.size(); ++d) row.entered[d] -= stream[d];
    stream = std::move(changed);
  }
  row.attention = row_at(attention_added(*trace), position);
  row.attended = row.attention;
  add_to_row(stream, row.attended);
  std::vector<float> s = after_sum ? normed(architecture, weights.attention_norm, row.attended) : row.attended;
  if (architecture.mlp == Architecture::Mlp::none) {
    stream = std::move(s);
    return row;
  }
  Tensor added = tensor_of(std::vector<float>(s.size()));
  mlp_added(architecture, weights, {tensor_of(stream), tensor_of(s)}, *model.backend, cancel, added);
  row.mlp = row_with_changes(*trace, kMlpPatch, position, added.values());
  row.summed = row.mlp;
  add_to_row(s, row.summed);
  stream = after_sum ? normed(architecture, weights.mlp_norm, row.summed) : row.summed;
  if (weights.convolution.empty()) return row;
  row.convolved = convolved_rows(*architecture.convolution, weights.convolution, model.streams.front().sliced(0, 0, 1),
                                 {position, position + 1}, *model.backend, cancel)
                      .values();
  row.joined = stream;
  add_to_row(row.convolved, row.joined);
  stream = normed(architecture, weights.convolution_norm, row.joined);
  return row;
}

}  // namespace

std::vector<float> row_at(const Tensor& tensor, std::int64_t position) {
  std::vector<float> row(static_cast<std::size_t>(tensor.dim(2)));
  tensor.read({{0, 1}, {position, position + 1}, {0, tensor.dim(2)}}, row);
  return row;
}

double dot(std::span<const double> direction, std::span<const float> row) {
  double sum = 0;
  for (std::size_t d = 0; d < row.size(); ++d) sum += direction[d] * static_cast<double>(row[d]);
  return sum;
}

StreamRow stream_row(const ModelTrace& model, std::int64_t position, const CancelToken& cancel) {
  StreamRow row;
  embed(model, *model.layers[static_cast<std::size_t>(model.layer)]->inputs, position, row);
  const EmbeddingWeights weights = model.checkpoint->embedding();
  row.left = normed_embedding(model.checkpoint->architecture(), weights, tensor_of(row.embedded)).values();
  for (const ModelStep& step : model_steps(model)) {
    cancel.check();
    row.layers.push_back(layer_row(model, step, position, cancel, row.left));
  }
  return row;
}

}  // namespace headscope
