#include "core/explain/weight_cells.h"

#include <fmt/format.h>

#include <string>

#include "core/attention/position_scores.h"
#include "core/base/assert.h"
#include "core/model/linear_names.h"
#include "core/model/past.h"
#include "core/model/relative_positions.h"
#include "core/model/row_norm.h"

namespace headscope {
namespace {

constexpr const char* kPositionKeys = "position_keys";
constexpr const char* kPositionQueries = "position_queries";

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
  const std::int64_t in_file = file_row(linear, row);
  const Range output{in_file, in_file + 1};
  const Tensor weight = rows_as_in_file(linear, linear.weight);
  sources.push_back({std::nullopt, from.weight_name, transposed ? weight.permuted({1, 0}) : weight,
                     transposed ? Region{inputs, output} : Region{output, inputs}, SourceRole::projection});
  if (linear.bias.empty()) return sources;
  // A part of a longer vector is shown at its place there.
  const std::int64_t before = from.bias_at - row;
  const Tensor bias = rows_as_in_file(linear, linear.bias);
  const Tensor whole_bias = before == 0
                                ? bias
                                : Tensor::computed({before + bias.dim(0)}, {Axis::feature},
                                                   [bias, before](const Region& region, std::span<float> out) {
                                                     for (std::int64_t k = region[0].begin; k < region[0].end; ++k) {
                                                       out[static_cast<std::size_t>(k - region[0].begin)] =
                                                           k < before ? 0.0F : bias.at({k - before});
                                                     }
                                                   });
  const std::int64_t bias_at = before + in_file;
  sources.push_back({std::nullopt, from.bias_name, whole_bias, Region{{bias_at, bias_at + 1}}, SourceRole::bias});
  return sources;
}

std::string head_feature(const Trace& trace, Part part, std::int64_t feature) {
  const Inputs& inputs = *trace.inputs;
  const std::int64_t size = part == Part::value ? inputs.value_head_dim : inputs.head_dim;
  const char* name = part == Part::query ? "query" : part == Part::key ? "key" : "value";
  const bool grouped = part != Part::query && inputs.num_kv_heads != inputs.num_heads;
  return fmt::format("{} feature {} of {}head {}", name, feature % size, grouped ? "kv " : "", feature / size);
}

// Of row `row` of rows that lie in blocks of query, key and value.
std::string block_feature(const Trace& trace, std::int64_t row) {
  for (const Part part : {Part::query, Part::key}) {
    const std::int64_t features = part_features(*trace.inputs, part);
    if (row < features) return head_feature(trace, part, row);
    row -= features;
  }
  return head_feature(trace, Part::value, row);
}

std::string made_by_row(const Trace& trace, const Linear& linear, std::int64_t row) {
  const LayerWeights& weights = trace.inputs->weights;
  if (&linear == &weights.output) return fmt::format("output feature {}", row);
  if (&linear == &weights.query) return head_feature(trace, Part::query, row);
  if (&linear == &weights.key) return head_feature(trace, Part::key, row);
  if (&linear == &weights.value) return head_feature(trace, Part::value, row);
  if (read_layout_of(trace.request, weights) == QkvLayout::blocked) return block_feature(trace, row);
  const std::int64_t size = trace.inputs->head_dim;
  return head_feature(trace, static_cast<Part>(row / size % 3), row / (3 * size) * size + row % size);
}

// What column `column` of the [out, in] matrix multiplies.
std::string read_by_column(const Trace& trace, const Linear& linear, std::int64_t column) {
  if (&linear != &trace.inputs->weights.output) return fmt::format("input feature {}", column);
  const std::string concat = fmt::format("concat feature {}", column);
  if (trace.request.merge == Merge::direct) return concat;
  return fmt::format("{} (head {})", concat, column / trace.inputs->value_head_dim);
}

RowOf weight_row(const LayerWeights& weights, const Linear& linear, std::int64_t row) {
  const LinearNames names = file_names_of(weights, linear);
  return {&linear, row, names.weight, names.bias, row};
}

}  // namespace

std::vector<CellSource> fused_projection_cells(const Trace& trace, std::int64_t o) {
  return cells_of(weight_row(trace.inputs->weights, trace.inputs->weights.qkv, o));
}

std::vector<CellSource> projection_cells(const Trace& trace, Part part, std::int64_t o) {
  const Inputs& inputs = *trace.inputs;
  const LayerWeights& weights = inputs.weights;
  if (weights.fused()) {
    if (read_layout_of(trace.request, weights) == QkvLayout::per_head) {
      const std::int64_t features = inputs.head_dim;
      const std::int64_t head = o / features;
      return cells_of(
          weight_row(weights, weights.qkv, (head * 3 + static_cast<std::int64_t>(part)) * features + o % features));
    }
    std::int64_t before = 0;
    for (Part earlier : {Part::query, Part::key}) {
      if (earlier < part) before += part_features(inputs, earlier);
    }
    return cells_of(weight_row(weights, weights.qkv, before + o));
  }
  const Linear& linear = part == Part::query ? weights.query : part == Part::key ? weights.key : weights.value;
  RowOf from = weight_row(weights, linear, o);
  if (linear.bias_name == "in_proj_bias") {  // one vector for three matrices
    for (Part earlier : {Part::query, Part::key}) {
      if (earlier < part) from.bias_at += part_features(inputs, earlier);
    }
  }
  return cells_of(from);
}

std::vector<CellSource> output_projection_cells(const Trace& trace, std::int64_t o) {
  const LayerWeights& weights = trace.inputs->weights;
  return cells_of(weight_row(weights, weights.output, o));
}

std::vector<CellSource> output_norm_cells(const Trace& trace) {
  const RowNorm& norm = *trace.inputs->output_norm;
  const Tensor &weight = norm.weights.weight, &bias = norm.weights.bias;
  std::vector<CellSource> sources;
  sources.push_back({std::nullopt, norm.weight_name, weight, Region{{0, weight.size()}}, SourceRole::projection});
  if (bias.empty()) return sources;
  sources.push_back({std::nullopt, "bias of " + norm.weight_name, bias, Region{{0, bias.size()}}, SourceRole::bias});
  return sources;
}

CellSource extra_key_cell(const Trace& trace, Part part, std::int64_t o) {
  const LayerWeights& weights = trace.inputs->weights;
  const Tensor& bias = part == Part::key ? weights.bias_k : weights.bias_v;
  return {std::nullopt, part == Part::key ? "bias_k" : "bias_v",
          bias.reshaped({1, 1, bias.size()}, {Axis::batch, Axis::position, Axis::feature}),
          Region{{0, 1}, {0, 1}, {o, o + 1}}, SourceRole::bias};
}

CellSource past_cell(const Trace& trace, Part part, const Index& index) {
  const Past& past = *past_of(*trace.inputs);
  Region cell;
  for (const std::int64_t at : index) cell.push_back({at, at + 1});
  if (part == Part::key) return {std::nullopt, past.key_path, past.key, cell, SourceRole::key};
  return {std::nullopt, past.value_path, past.value, cell, SourceRole::value};
}

double added_by_mask(const Trace& trace, const Index& index) {
  const Tensor& added = trace.mask->added;
  if (added.empty()) return 0;
  return static_cast<double>(
      added.at({added.dim(0) == 1 ? 0 : index[0], added.dim(1) == 1 ? 0 : index[1], index[2], index[3]}));
}

CellSource position_cells(const Trace& trace, StageId stage, const Index& index) {
  const bool keys = stage == StageId::c2p;
  const Tensor& heads = keys ? trace.position_heads->keys : trace.position_heads->queries;
  const std::int64_t h = index[1], row = trace.inputs->relative_positions->row_of(index[2], index[3]);
  return {std::nullopt, keys ? kPositionKeys : kPositionQueries, heads,
          Region{{h, h + 1}, {row, row + 1}, {0, heads.dim(2)}}, keys ? SourceRole::key : SourceRole::query};
}

CellSource sink_cell(const Trace& trace, std::int64_t h) {
  const LayerWeights& weights = trace.inputs->weights;
  return {std::nullopt, weights.sinks_name, weights.sinks, Region{{h, h + 1}}, SourceRole::bias};
}

std::string weight_meaning(const Trace& trace, const std::string& name, const Index& index) {
  const LayerWeights& weights = trace.inputs->weights;
  if (name == "bias_k" || name == "bias_v") {
    return head_feature(trace, name == "bias_k" ? Part::key : Part::value, index[index.count - 1]) + ", the added key";
  }
  if (name == kPositionKeys || name == kPositionQueries) {
    return fmt::format("feature {} of head {}, row {} of the table of relative positions", index[2], index[0],
                       index[1] + trace.inputs->relative_positions->first);
  }
  if (!weights.sinks.empty() && name == weights.sinks_name) return fmt::format("the sink of head {}", index[0]);
  for (const Linear* linear : {&weights.qkv, &weights.query, &weights.key, &weights.value, &weights.output}) {
    if (linear->empty()) continue;
    const LinearNames names = file_names_of(weights, *linear);
    if (name == names.weight) {
      const bool transposed = is_transposed(linear->weight);
      const std::int64_t row = row_of_file(*linear, index[transposed ? 1 : 0]), column = index[transposed ? 0 : 1];
      return made_by_row(trace, *linear, row) + " ← " + read_by_column(trace, *linear, column);
    }
    if (name == names.bias && !linear->bias.empty()) {
      const bool shared = linear->bias_name == "in_proj_bias" && !weights.fused();
      return shared ? block_feature(trace, index[0]) : made_by_row(trace, *linear, row_of_file(*linear, index[0]));
    }
  }
  return "";
}

}  // namespace headscope
