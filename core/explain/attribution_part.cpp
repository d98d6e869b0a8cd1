#include "core/explain/attribution_part.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "core/attention/interventions.h"
#include "core/attention/model_stages.h"
#include "core/attention/put_numbers.h"
#include "core/base/assert.h"
#include "core/explain/held_norm.h"
#include "core/explain/stream_row.h"
#include "core/model/checkpoint.h"
#include "core/request/intervention_kinds.h"

namespace headscope {
namespace {

// W^T u of a weight [out, in].
std::vector<double> transposed_product(const Tensor& weight, const std::vector<double>& u) {
  const std::int64_t in = weight.dim(1);
  std::vector<double> result(static_cast<std::size_t>(in));
  std::vector<float> row(result.size());
  for (std::int64_t out = 0; out < weight.dim(0); ++out) {
    weight.read({{out, out + 1}, {0, in}}, row);
    const double factor = u[static_cast<std::size_t>(out)];
    for (std::size_t d = 0; d < row.size(); ++d) result[d] += factor * row[d];
  }
  return result;
}

// Value_head_dim features of a row of concat: one query of one head, with every merge.
struct Block {
  std::int64_t head = 0, query = 0;
  std::vector<double> direction;  // w of its features
  std::span<const float> context;
};

struct Attended {
  const Trace& trace;
  std::int64_t position = 0;
  std::vector<float> concat;
  std::vector<Block> blocks;
};

void cut_into_blocks(const std::vector<double>& direction, Attended& of) {
  const Inputs& inputs = *of.trace.inputs;
  const std::int64_t features = inputs.value_head_dim;
  for (std::int64_t begin = 0; begin < static_cast<std::int64_t>(direction.size()); begin += features) {
    const Provenance from =
        provenance_of(of.trace.request.merge, inputs.num_heads, inputs.query_len, features, of.position, begin);
    const auto first = direction.begin() + begin;
    of.blocks.push_back(
        {from.head,
         from.position,
         {first, first + features},
         std::span(of.concat).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(features))});
  }
}

// Whether an edit by hand, an array or a patch of a stage changes [batch 0, position, any feature].
bool is_edited(const Trace& trace, StageId stage, std::int64_t position) {
  const std::vector<NumberEdit> edits = edits_of(trace.request, trace.inputs->layer, stage);
  const bool changed = trace.find(stage) != nullptr && is_changed(trace, stage, {0, position, 0});
  return changed || std::any_of(edits.begin(), edits.end(), [&](const NumberEdit& edit) {
           return edit.index[0] == 0 && edit.index[1] == position;
         });
}

// Whether the numbers of a block were changed by hand, or patched, behind weights and values.
bool is_edited(const Attended& of, std::size_t block) {
  const std::int64_t layer = of.trace.inputs->layer, features = of.trace.inputs->value_head_dim;
  const Block& at = of.blocks[block];
  if (is_changed(of.trace, StageId::context, {0, at.head, at.query, 0}) ||
      is_changed(of.trace, StageId::concat, {0, of.position, static_cast<std::int64_t>(block) * features})) {
    return true;
  }
  const std::vector<NumberEdit> context = edits_of(of.trace.request, layer, StageId::context);
  const std::vector<NumberEdit> concat = edits_of(of.trace.request, layer, StageId::concat);
  return std::any_of(context.begin(), context.end(),
                     [&](const NumberEdit& edit) {
                       return edit.index[0] == 0 && edit.index[1] == at.head && edit.index[2] == at.query;
                     }) ||
         std::any_of(concat.begin(), concat.end(), [&](const NumberEdit& edit) {
           return edit.index[0] == 0 && edit.index[1] == of.position &&
                  edit.index[2] / features == static_cast<std::int64_t>(block);
         });
}

// Adds to sums[key] what a block reads from each key. Weights of 0 are not multiplied: what a hidden key holds does not
// count, NaN included.
void add_sources(const Attended& of, const Block& block, std::span<double> sums) {
  const Trace& trace = of.trace;
  const bool drops = trace.find(StageId::dropped_weights) != nullptr;
  const Tensor& weights = trace.tensor(drops ? StageId::dropped_weights : StageId::weights);
  const Tensor& value = trace.tensor(StageId::value);
  const auto keys = static_cast<std::int64_t>(sums.size()), features = value.dim(3);
  const std::int64_t group = block.head / (trace.inputs->num_heads / value.dim(1));
  std::vector<float> row(sums.size()), values(sums.size() * block.direction.size());
  weights.read({{0, 1}, {block.head, block.head + 1}, {block.query, block.query + 1}, {0, keys}}, row);
  value.read({{0, 1}, {group, group + 1}, {0, keys}, {0, features}}, values);
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (row[j] == 0.0F) continue;
    const auto at = std::span<const float>(values).subspan(j * block.direction.size(), block.direction.size());
    sums[j] += row[j] * dot(block.direction, at);
  }
}

// One part a head, by its number.
void add_heads(const Attended& of, std::vector<AttributionPart>& parts) {
  const std::int64_t layer = of.trace.inputs->layer;
  std::vector<double> sums(static_cast<std::size_t>(of.trace.num_heads()));
  for (const Block& block : of.blocks) {
    sums[static_cast<std::size_t>(block.head)] += dot(block.direction, block.context);
  }
  for (std::size_t h = 0; h < sums.size(); ++h) {
    parts.push_back({attention_part_names(of.trace).head, layer, static_cast<std::int64_t>(h), {}, sums[h]});
  }
}

// One part a head and key; of a head whose context was edited one more.
void add_heads_by_source(const Attended& of, const CancelToken& cancel, std::vector<AttributionPart>& parts) {
  const std::int64_t layer = of.trace.inputs->layer;
  for (std::int64_t h = 0; h < of.trace.num_heads(); ++h) {
    cancel.check();
    std::vector<double> sums(static_cast<std::size_t>(of.trace.key_len()));
    double by_hand = 0;
    bool edited = false;
    for (std::size_t k = 0; k < of.blocks.size(); ++k) {
      const Block& block = of.blocks[k];
      if (block.head != h) continue;
      std::vector<double> own(sums.size());
      if (!is_ablated(of.trace.request, {layer, h})) add_sources(of, block, own);
      double sum = 0;
      for (std::size_t j = 0; j < own.size(); ++j) {
        sums[j] += own[j];
        sum += own[j];
      }
      if (!is_edited(of, k)) continue;
      edited = true;
      by_hand += dot(block.direction, block.context) - sum;
    }
    for (std::size_t j = 0; j < sums.size(); ++j) {
      parts.push_back({attention_part_names(of.trace).source, layer, h, static_cast<std::int64_t>(j), sums[j]});
    }
    if (edited) parts.push_back({attention_part_names(of.trace).edited, layer, h, {}, by_hand});
  }
}

}  // namespace

const AttentionPartNames& attention_part_names(const Trace& layer) {
  static constexpr AttentionPartNames kOwn{"attention",           "head",  "source", "attention bias",
                                           "attention norm bias", "edited"};
  static constexpr AttentionPartNames kCross{
      "cross attention",           "cross head",  "cross source", "cross attention bias",
      "cross attention norm bias", "cross edited"};
  const std::shared_ptr<const Checkpoint>& checkpoint = layer.inputs->checkpoint;
  const bool cross = checkpoint != nullptr && checkpoint->architecture().part == Architecture::Part::cross;
  return cross ? kCross : kOwn;
}

bool is_of_cross(const AttributionPart& part) {
  return std::string_view(part.name).starts_with("cross ");
}

ReadTokens read_tokens(const Trace& trace) {
  const Inputs& inputs = *trace.inputs;
  if (inputs.encoder == nullptr) return {trace.key_labels(), {}};
  return {inputs.tokens, inputs.encoder->tokens};
}

const std::string& ReadTokens::of(const AttributionPart& part) const {
  HEADSCOPE_ASSERT(part.key.has_value(), part.name);
  return (is_of_cross(part) ? cross : own).at(static_cast<std::size_t>(*part.key));
}

std::vector<AttributionPart> attention_parts(const AttentionQuestion& question, const std::vector<double>& direction,
                                             const CancelToken& cancel) {
  const Trace& trace = question.layer;
  const std::int64_t layer = trace.inputs->layer, position = question.position;
  const double whole = dot(direction, row_at(attention_added(trace), position));
  const AttentionPartNames& names = attention_part_names(trace);
  if (question.by == AttributionBy::components) return {{names.attention, layer, {}, {}, whole}};

  std::vector<AttributionPart> biases;
  std::vector<double> written = direction;  // of what W_O gives
  if (trace.inputs->output_norm != nullptr) {
    const HeldNorm norm(*trace.inputs->output_norm, row_at(trace.tensor(StageId::output), position));
    if (norm.has_bias()) biases.push_back({names.norm_bias, layer, {}, {}, norm.of_bias(direction)});
    written = norm.before(direction);
  }
  const Linear& output = trace.inputs->weights.output;
  if (!output.bias.empty()) {
    biases.insert(biases.begin(), {names.bias, layer, {}, {}, dot(written, output.bias.values())});
  }
  Attended of{trace, position, row_at(trace.tensor(StageId::concat), position), {}};
  cut_into_blocks(transposed_product(output.weight, written), of);
  std::vector<AttributionPart> parts;
  if (question.by == AttributionBy::heads) {
    add_heads(of, parts);
  } else {
    add_heads_by_source(of, cancel, parts);
  }
  parts.insert(parts.end(), biases.begin(), biases.end());
  if (is_edited(trace, StageId::output, position) || is_edited(trace, StageId::attention_norm_out, position)) {
    double sum = 0;
    for (const AttributionPart& part : parts) sum += part.value;
    parts.push_back({names.edited, layer, {}, {}, whole - sum});
  }
  return parts;
}

}  // namespace headscope
