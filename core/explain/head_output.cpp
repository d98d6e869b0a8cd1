#include "core/explain/head_output.h"

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/attention/model_stages.h"
#include "core/explain/held_norm.h"
#include "core/model/checkpoint.h"

namespace headscope {
namespace {

const Axes kAxes{Axis::batch, Axis::position, Axis::feature};

// The row [batch, position] of [batch, len, features].
std::vector<float> row_of(const Tensor& tensor, std::int64_t batch, std::int64_t position) {
  std::vector<float> row(static_cast<std::size_t>(tensor.dim(2)));
  tensor.read({{batch, batch + 1}, {position, position + 1}, {0, tensor.dim(2)}}, row);
  return row;
}

// W [out, columns] x, added to y [out].
void add_product(std::span<const float> weight, std::span<const float> x, std::vector<double>& y) {
  for (std::size_t out = 0; out < y.size(); ++out) {
    const std::span<const float> row = weight.subspan(out * x.size(), x.size());
    double sum = 0;
    for (std::size_t d = 0; d < x.size(); ++d) sum += static_cast<double>(row[d]) * static_cast<double>(x[d]);
    y[out] += sum;
  }
}

// What W_O makes of the head's features of concat: [len] rows of [d_model].
std::vector<std::vector<double>> projected(const Trace& layer, std::int64_t batch, std::int64_t head,
                                           const CancelToken& cancel) {
  const Inputs& inputs = *layer.inputs;
  const Tensor& weight = inputs.weights.output.weight;
  const Tensor& concat = layer.tensor(StageId::concat);
  const std::int64_t features = inputs.value_head_dim, width = weight.dim(0);
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(inputs.query_len),
                                        std::vector<double>(static_cast<std::size_t>(width)));
  std::vector<float> block(static_cast<std::size_t>(width * features)), x(static_cast<std::size_t>(features));
  for (std::int64_t begin = 0; begin < concat.dim(2); begin += features) {
    bool read = false;
    for (std::int64_t i = 0; i < inputs.query_len; ++i) {
      if (provenance_of(layer.request.merge, inputs.num_heads, inputs.query_len, features, i, begin).head != head) {
        continue;
      }
      cancel.check();
      if (!read) weight.read({{0, width}, {begin, begin + features}}, block);
      read = true;
      concat.read({{batch, batch + 1}, {i, i + 1}, {begin, begin + features}}, x);
      add_product(block, x, rows[static_cast<std::size_t>(i)]);
    }
  }
  return rows;
}

}  // namespace

Tensor head_output(const Trace& layer, const Tensor& stream, std::int64_t batch, std::int64_t head,
                   const CancelToken& cancel) {
  const Checkpoint& checkpoint = *layer.inputs->checkpoint;
  const Architecture& architecture = checkpoint.architecture();
  std::optional<RowNorm> of_sum;
  if (architecture.norm_place == Architecture::NormPlace::after_sum) {
    of_sum = row_norm_of(architecture, checkpoint.block(layer.inputs->layer).attention_norm);
  }
  const std::vector<std::vector<double>> rows = projected(layer, batch, head, cancel);
  std::vector<float> values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    cancel.check();
    const auto position = static_cast<std::int64_t>(i);
    std::vector<double> row = rows[i];
    if (layer.inputs->output_norm != nullptr) {
      row = HeldNorm(*layer.inputs->output_norm, row_of(layer.tensor(StageId::output), batch, position)).after(row);
    }
    if (of_sum) {
      std::vector<float> sum = row_of(stream, batch, position);
      const std::vector<float> added = row_of(attention_added(layer), batch, position);
      for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += added[d];
      row = HeldNorm(*of_sum, sum).after(row);
    }
    for (const double each : row) values.push_back(static_cast<float>(each));
  }
  const auto len = static_cast<std::int64_t>(rows.size());
  return Tensor::of({1, len, stream.dim(2)}, kAxes, std::move(values));
}

}  // namespace headscope
