#include "core/circuits/head_maps.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/model/row_norm.h"

namespace headscope {
namespace {

// Matrices below each other, [matrices, rows, columns].
struct Stack {
  std::int64_t matrices = 0, rows = 0, columns = 0;
  std::vector<float> values;
};

// Appends rows [begin, begin + rows) of a weight [out, in] as one matrix.
void add_rows(const Tensor& weight, std::int64_t begin, Stack& stack) {
  const std::size_t at = stack.values.size(), count = static_cast<std::size_t>(stack.rows * stack.columns);
  stack.values.resize(at + count);
  weight.read({{begin, begin + stack.rows}, {0, stack.columns}}, std::span(stack.values).subspan(at, count));
  ++stack.matrices;
}

// Where the rows of a head's part of a projection begin.
struct Rows {
  const Tensor& weight;
  std::int64_t first = 0, stride = 0, rows = 0;
};

Stack stack_of(const Rows& rows, std::int64_t heads) {
  Stack stack{0, rows.rows, rows.weight.dim(1), {}};
  for (std::int64_t h = 0; h < heads; ++h) add_rows(rows.weight, rows.first + h * rows.stride, stack);
  return stack;
}

// W_O [d_model, heads * features], transposed head by head.
Stack output_of(const Tensor& weight, std::int64_t heads) {
  const std::int64_t d_model = weight.dim(0), features = weight.dim(1) / heads;
  Stack stack{heads, features, d_model, std::vector<float>(static_cast<std::size_t>(weight.size()))};
  std::vector<float> row(static_cast<std::size_t>(weight.dim(1)));
  for (std::int64_t out = 0; out < d_model; ++out) {
    weight.read({{out, out + 1}, {0, weight.dim(1)}}, row);
    for (std::size_t in = 0; in < row.size(); ++in) {
      stack.values[in * static_cast<std::size_t>(d_model) + static_cast<std::size_t>(out)] = row[in];
    }
  }
  return stack;
}

// The numbers that a norm multiplies with; empty where there is none.
std::vector<double> gain_of(const RowNorm& norm) {
  if (norm.weights.empty()) return {};
  std::vector<double> gain;
  for (const float each : norm.weights.weight.values()) gain.push_back((norm.plus_one ? 1.0 : 0.0) + each);
  return gain;
}

// Multiplies the columns: w diag(gain).
void multiply_columns(const std::vector<double>& gain, Stack& stack) {
  const std::size_t columns = gain.size();
  for (std::size_t k = 0; columns > 0 && k < stack.values.size(); ++k) {
    stack.values[k] = static_cast<float>(stack.values[k] * gain[k % columns]);
  }
}

// Takes the mean of every row from it: w P.
void take_means(Stack& stack) {
  const auto columns = static_cast<std::size_t>(stack.columns);
  for (std::size_t begin = 0; begin < stack.values.size(); begin += columns) {
    double sum = 0;
    for (std::size_t k = begin; k < begin + columns; ++k) sum += stack.values[k];
    const double mean = sum / static_cast<double>(columns);
    for (std::size_t k = begin; k < begin + columns; ++k) stack.values[k] = static_cast<float>(stack.values[k] - mean);
  }
}

Tensor tensor_of(Stack stack) {
  return Tensor::of({stack.matrices, stack.rows, stack.columns}, {Axis::head, Axis::position, Axis::feature},
                    std::move(stack.values));
}

// The parts of the projections of one layer.
struct Parts {
  Stack query, key, value, output;
};

Parts parts_of(const LayerWeights& weights, const Architecture& architecture) {
  const std::int64_t heads = architecture.num_heads, groups = architecture.num_kv_heads,
                     features = architecture.head_dim;
  if (!weights.fused()) {
    const std::int64_t of_value = weights.value.weight.dim(0) / groups;
    return {stack_of({weights.query.weight, 0, features, features}, heads),
            stack_of({weights.key.weight, 0, features, features}, groups),
            stack_of({weights.value.weight, 0, of_value, of_value}, groups), output_of(weights.output.weight, heads)};
  }
  const Tensor& all = weights.qkv.weight;
  if (weights.qkv_layout == QkvLayout::per_head) {
    return {stack_of({all, 0, 3 * features, features}, heads), stack_of({all, features, 3 * features, features}, heads),
            stack_of({all, 2 * features, 3 * features, features}, heads), output_of(weights.output.weight, heads)};
  }
  const std::int64_t key_at = heads * features, value_at = key_at + groups * features;
  const std::int64_t of_value = (all.dim(0) - value_at) / groups;
  return {stack_of({all, 0, features, features}, heads), stack_of({all, key_at, features, features}, groups),
          stack_of({all, value_at, of_value, of_value}, groups), output_of(weights.output.weight, heads)};
}

}  // namespace

HeadMaps head_maps(const Checkpoint& checkpoint, std::int64_t layer, NormFolding folding) {
  const Architecture& architecture = checkpoint.architecture();
  HEADSCOPE_ASSERT(0 <= layer && layer < architecture.num_layers, std::to_string(layer));
  if (architecture.latents) {
    throw UsageError("model",
                     "its heads read latents, with a norm between them and the stream: no map of the stream is theirs",
                     "a model without latents");
  }
  const BlockWeights block = checkpoint.block(layer);
  Parts parts = parts_of(block.attention, architecture);
  HeadMaps maps;
  maps.dimensions = architecture.d_model;
  if (folding == NormFolding::fold) {
    const bool means = architecture.norm == Architecture::Norm::layer;
    if (architecture.norms_result() && !block.attention_norm_out.empty()) {
      if (means) take_means(parts.output);
      multiply_columns(gain_of(row_norm_of(architecture, block.attention_norm_out)), parts.output);
    }
    if (architecture.norms_input() && !block.attention_norm.empty()) {
      const std::vector<double> gain = gain_of(row_norm_of(architecture, block.attention_norm));
      for (Stack* stack : {&parts.query, &parts.key, &parts.value}) {
        multiply_columns(gain, *stack);
        if (means) take_means(*stack);
      }
      if (means) {
        take_means(parts.output);
        --maps.dimensions;
      }
    }
  }
  maps.query = tensor_of(std::move(parts.query));
  maps.key = tensor_of(std::move(parts.key));
  maps.value = tensor_of(std::move(parts.value));
  maps.output = tensor_of(std::move(parts.output));
  return maps;
}

}  // namespace headscope
