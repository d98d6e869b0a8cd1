#include "core/attention/weight_cells.h"

#include <string>

#include "core/assert.h"

namespace headscope {
namespace {

// Drawn layers have no file: they are named as the tutorials and torch name such layers.
struct DrawnNames {
  const char* qkv;
  const char* output;
};

DrawnNames drawn_names(const LayerWeights& weights) {
  return weights.qkv_layout == QkvLayout::blocked ? DrawnNames{"in_proj_", "out_proj."}
                                                  : DrawnNames{"qkv_layer.", "linear_layer."};
}

// A file that stores [in, out] gives a [out, in] view whose columns lie apart.
bool is_transposed(const Tensor& weight) {
  return weight.dim(1) > 1 && weight.strides()[0] == 1 && weight.strides()[1] == weight.dim(0) && weight.dim(0) > 1;
}

struct RowOf {
  const Linear* linear = nullptr;
  std::int64_t row = 0;
  std::string weight_name, bias_name;
  std::int64_t bias_at = 0;  // in the file's bias
};

std::vector<CellSource> cells_of(const RowOf& from) {
  const Linear& linear = *from.linear;
  const std::int64_t row = from.row;
  HEADSCOPE_ASSERT(row >= 0 && row < linear.weight.dim(0),
                   "row " + std::to_string(row) + " of " + to_string(linear.weight.shape()));
  std::vector<CellSource> sources;
  const bool transposed = is_transposed(linear.weight);
  const Range inputs{0, linear.weight.dim(1)};
  const Range output{row, row + 1};
  sources.push_back({std::nullopt, from.weight_name, transposed ? linear.weight.permuted({1, 0}) : linear.weight,
                     transposed ? Region{inputs, output} : Region{output, inputs}, SourceRole::projection});
  if (linear.bias.empty()) return sources;
  // A part of a longer vector is shown at its place there.
  const std::int64_t before = from.bias_at - row;
  const Tensor bias = linear.bias;
  const Tensor whole_bias = before == 0
                                ? bias
                                : Tensor::computed({before + bias.dim(0)}, {Axis::feature},
                                                   [bias, before](const Region& region, std::span<float> out) {
                                                     for (std::int64_t k = region[0].begin; k < region[0].end; ++k) {
                                                       out[static_cast<std::size_t>(k - region[0].begin)] =
                                                           k < before ? 0.0F : bias.at({k - before});
                                                     }
                                                   });
  sources.push_back(
      {std::nullopt, from.bias_name, whole_bias, Region{{from.bias_at, from.bias_at + 1}}, SourceRole::bias});
  return sources;
}

std::string or_else(const std::string& name, const std::string& drawn) {
  return name.empty() ? drawn : name;
}

RowOf fused_row(const LayerWeights& weights, std::int64_t row) {
  const std::string prefix = drawn_names(weights).qkv;
  return {&weights.qkv, row, or_else(weights.qkv.weight_name, prefix + "weight"),
          or_else(weights.qkv.bias_name, prefix + "bias"), row};
}

}  // namespace

std::vector<CellSource> fused_projection_cells(const Trace& trace, std::int64_t o) {
  return cells_of(fused_row(trace.inputs->weights, o));
}

std::vector<CellSource> projection_cells(const Trace& trace, Part part, std::int64_t o) {
  const Inputs& inputs = *trace.inputs;
  const LayerWeights& weights = inputs.weights;
  if (weights.fused()) {
    if (read_layout_of(trace.request, weights) == QkvLayout::per_head) {
      const std::int64_t features = inputs.head_dim;
      const std::int64_t head = o / features;
      return cells_of(fused_row(weights, (head * 3 + static_cast<std::int64_t>(part)) * features + o % features));
    }
    std::int64_t before = 0;
    for (Part earlier : {Part::query, Part::key}) {
      if (earlier < part) before += part_features(inputs, earlier);
    }
    return cells_of(fused_row(weights, before + o));
  }
  const Linear& linear = part == Part::query ? weights.query : part == Part::key ? weights.key : weights.value;
  const char* drawn = part == Part::query ? "queries." : part == Part::key ? "keys." : "values.";
  RowOf from{&linear, o, or_else(linear.weight_name, drawn + std::string("weight")),
             or_else(linear.bias_name, drawn + std::string("bias")), o};
  if (linear.bias_name == "in_proj_bias") {  // one vector for three matrices
    for (Part earlier : {Part::query, Part::key}) {
      if (earlier < part) from.bias_at += part_features(inputs, earlier);
    }
  }
  return cells_of(from);
}

std::vector<CellSource> output_projection_cells(const Trace& trace, std::int64_t o) {
  const LayerWeights& weights = trace.inputs->weights;
  const Linear& linear = weights.output;
  const std::string prefix = weights.fused() ? drawn_names(weights).output : "fc_out.";
  return cells_of(
      {&linear, o, or_else(linear.weight_name, prefix + "weight"), or_else(linear.bias_name, prefix + "bias"), o});
}

CellSource extra_key_cell(const Trace& trace, Part part, std::int64_t o) {
  const LayerWeights& weights = trace.inputs->weights;
  const Tensor& bias = part == Part::key ? weights.bias_k : weights.bias_v;
  return {std::nullopt, part == Part::key ? "bias_k" : "bias_v",
          bias.reshaped({1, 1, bias.size()}, {Axis::batch, Axis::position, Axis::feature}),
          Region{{0, 1}, {0, 1}, {o, o + 1}}, SourceRole::bias};
}

}  // namespace headscope
