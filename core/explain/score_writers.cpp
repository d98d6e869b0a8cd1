#include "core/explain/score_writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/attention/interventions.h"
#include "core/attention/model_stages.h"
#include "core/attention/put_numbers.h"
#include "core/base/error.h"
#include "core/base/from_end.h"
#include "core/circuits/head_maps.h"
#include "core/explain/held_norm.h"
#include "core/explain/stream_parts.h"
#include "core/model/checkpoint.h"
#include "core/model/head_rule.h"

namespace headscope {
namespace {

using Rows = std::vector<std::vector<double>>;  // [writers][features of a head]

void check_index(const char* option, const char* what, std::int64_t index, std::int64_t count,
                 const std::string& expected) {
  if (0 <= index && index < count) return;
  throw UsageError(option, fmt::format("found {} {}, but there are {}", what, index, count), expected);
}

void check_question(const ModelTrace& model, const ScoreQuestion& question) {
  if (model.checkpoint == nullptr) {
    throw UsageError("model", model.name + " is a capture, which has no weights behind its attention", "a checkpoint");
  }
  check_one_stack("model", model);
  if (model.checkpoint->architecture().part == Architecture::Part::pool) {
    throw UsageError("attention", "found the layer that gathers patches, whose query is learned and no layer wrote",
                     "--attention encoder");
  }
  check_stream_parts(model);
  const Trace& layer = *model.layers[static_cast<std::size_t>(model.layer)];
  check_index("head", "head", question.head, layer.num_heads(), fmt::format("0 to {}", layer.num_heads() - 1));
  check_index("at", "query", question.query, layer.query_len(), places_text(layer.query_len()));
  check_index("at", "key", question.key, layer.inputs->key_len, places_text(layer.inputs->key_len));
  const HeadRule* rule = layer.inputs->head_rule.get();
  if (rule != nullptr && rule->clip > 0) {
    throw UsageError("model", "its projections are held within bounds, so that queries are no sum", "another model");
  }
  if (rule != nullptr && rule->past != nullptr) throw UsageError("key-past", "found keys that no layer wrote", "none");
  for (const StageId stage : {StageId::input, StageId::qkv, StageId::qkv_split, StageId::qkv_heads, StageId::query_proj,
                              StageId::key_proj, StageId::query, StageId::key, StageId::raw_scores, StageId::scores}) {
    if (!has_edits(layer.request, layer.inputs->layer, stage)) continue;
    const std::string option = changed_by(layer.request, layer.inputs->layer, stage_name(stage));
    throw UsageError(option.empty() ? "edit" : option,
                     fmt::format("found other numbers in {} of this layer, which no layer wrote", stage_name(stage)),
                     "a layer without edits, arrays and patches before its scores");
  }
  for (const NumberEdit& edit : layer.request.edits) {
    if (!edit.on || stage_named(edit.tensor)) continue;
    throw UsageError("edit", fmt::format("found other numbers in {} of this layer", edit.tensor),
                     "the model's weights");
  }
  for (const auto* factors : {&layer.request.scale_query, &layer.request.scale_key}) {
    for (const HeadFactor& factor : *factors) {
      if (factor.on) throw UsageError("scale-query", "found queries or keys that are multiplied by hand", "none");
    }
  }
}

// One side of the product: how the stream of a position becomes the head's query, or key.
struct Side {
  std::int64_t position = 0, head = 0;  // the head counts those of this side
  const Tensor& maps;                   // [heads, head_dim, d_model]
  const Tensor& norm;                   // of heads, or empty
  std::vector<double> bias;             // of all heads' projections, [heads * head_dim]; empty: none
  std::vector<float> entered;           // the stream that enters the layer at the position
};

// Biases of the queries or keys of all heads, in their order.
std::vector<double> bias_of(const LayerWeights& weights, const Architecture& architecture, bool keys) {
  const Tensor& own = keys ? weights.key.bias : weights.query.bias;
  const Tensor& all = weights.fused() ? weights.qkv.bias : own;
  std::vector<double> bias;
  if (all.empty()) return bias;
  const std::int64_t features = architecture.head_dim,
                     heads = keys ? architecture.num_kv_heads : architecture.num_heads;
  const bool per_head = weights.fused() && weights.qkv_layout == QkvLayout::per_head;
  const std::int64_t stride = per_head ? 3 * features : features;
  const std::int64_t first = !keys || !weights.fused() ? 0 : per_head ? features : architecture.num_heads * features;
  for (std::int64_t h = 0; h < heads; ++h) {
    for (std::int64_t d = 0; d < features; ++d) bias.push_back(static_cast<double>(all.at({first + h * stride + d})));
  }
  return bias;
}

std::vector<double> row_of_map(const Tensor& maps, std::int64_t head, std::int64_t feature) {
  std::vector<float> row(static_cast<std::size_t>(maps.dim(2)));
  maps.read({{head, head + 1}, {feature, feature + 1}, {0, maps.dim(2)}}, row);
  return {row.begin(), row.end()};
}

// What the writers give the side's head before the norm of heads: one column a feature, each by a walk through the
// layers before. `writers` are named by the first.
Rows projected(const ModelTrace& model, const ScoreQuestion& question, const Side& side, const RowNorm& norm,
               std::vector<ScoreWriter>& writers, const CancelToken& cancel) {
  const StreamRow row = stream_row(model, side.position, cancel);
  const std::int64_t features = side.maps.dim(1);
  Rows rows;
  for (std::int64_t d = 0; d < features; ++d) {
    std::vector<double> direction = row_of_map(side.maps, side.head, d);
    std::vector<AttributionPart> ends;
    go_before(norm, side.entered, {"input norm bias", model.layer, {}, {}, 0}, direction, ends);
    std::vector<AttributionPart> parts =
        stream_parts({model, side.position, question.by, row}, model.layer, direction, cancel);
    parts.insert(parts.end(), ends.begin(), ends.end());
    if (!side.bias.empty()) {
      const double bias = side.bias[static_cast<std::size_t>(side.head * features + d)];
      parts.push_back({"projection bias", model.layer, {}, {}, bias});
    }
    if (d == 0) {
      rows.assign(parts.size(), std::vector<double>(static_cast<std::size_t>(features)));
      for (const AttributionPart& part : parts) writers.push_back({part.name, part.layer, part.head});
    }
    for (std::size_t k = 0; k < parts.size(); ++k) rows[k][static_cast<std::size_t>(d)] = parts[k].value;
  }
  return rows;
}

// The projections of all heads of the side at its position, which a norm over all of them reads.
std::vector<double> all_heads(const Side& side, const RowNorm& norm) {
  const HeldNorm held(norm, side.entered);
  std::vector<double> projections;
  for (std::int64_t h = 0; h < side.maps.dim(0); ++h) {
    for (std::int64_t d = 0; d < side.maps.dim(1); ++d) {
      std::vector<double> direction = row_of_map(side.maps, h, d);
      double value = held.has_bias() ? held.of_bias(direction) : 0;
      value += dot(held.before(direction), side.entered);
      const auto at = static_cast<std::size_t>(h * side.maps.dim(1) + d);
      projections.push_back(value + (side.bias.empty() ? 0 : side.bias[at]));
    }
  }
  return projections;
}

double mean_of(const std::vector<double>& row) {
  double sum = 0;
  for (const double each : row) sum += each;
  return sum / static_cast<double>(row.size());
}

// The norm of heads, held at the scale of the whole query or key: `whole` is what it reads.
void norm_rows_of_head(const HeadRule& rule, const Side& side, std::vector<double> whole, Rows& rows) {
  const auto features = static_cast<std::size_t>(side.maps.dim(1));
  const bool own_weights = rule.norm_whole || rule.norm_own;
  const std::size_t first = own_weights ? static_cast<std::size_t>(side.head) * features : 0;
  const double mean = rule.norm_centred ? mean_of(whole) : 0;
  double squares = 0;
  for (const double each : whole) squares += (each - mean) * (each - mean);
  const double factor = 1 / std::sqrt(squares / static_cast<double>(whole.size()) + rule.norm_eps);
  for (std::vector<double>& row : rows) {
    const double own = rule.norm_centred ? mean_of(row) : 0;
    for (std::size_t d = 0; d < features; ++d) {
      const auto weight = static_cast<double>(side.norm.at({static_cast<std::int64_t>(first + d)}));
      row[d] = (row[d] - own) * factor * ((rule.norm_plus_one ? 1 : 0) + weight);
    }
  }
}

void turn(const HeadRule& rule, std::int64_t position, Rows& rows) {
  if (rule.rotary == nullptr) return;
  for (std::vector<double>& row : rows) {
    const std::vector<double> before = row;
    for (std::size_t d = 0; d < row.size(); ++d) {
      const FeatureTurn by = feature_turn(rule, static_cast<std::int64_t>(d), position);
      if (by.other >= 0) row[d] = by.cosine * before[d] + by.sine * before[static_cast<std::size_t>(by.other)];
    }
  }
}

// What each writer gives the head, as the product reads it.
Rows given_by_writers(const ModelTrace& model, const ScoreQuestion& question, const Side& side,
                      std::vector<ScoreWriter>& writers, const CancelToken& cancel) {
  const Trace& layer = *model.layers[static_cast<std::size_t>(model.layer)];
  const Architecture& architecture = model.checkpoint->architecture();
  RowNorm norm;
  if (architecture.norms_input()) {
    norm = row_norm_of(architecture, model.checkpoint->block(layer.inputs->layer).attention_norm);
  }
  Rows rows = projected(model, question, side, norm, writers, cancel);
  const HeadRule* rule = layer.inputs->head_rule.get();
  if (rule == nullptr) return rows;
  if (!side.norm.empty()) {
    std::vector<double> whole(static_cast<std::size_t>(side.maps.dim(1)));
    for (const std::vector<double>& row : rows) {
      for (std::size_t d = 0; d < whole.size(); ++d) whole[d] += row[d];
    }
    if (rule->norm_whole) {
      if (rule->norm_centred) {
        throw UsageError("model", "its norm of queries takes the mean of all heads away, which mixes them",
                         "another model");
      }
      whole = all_heads(side, norm);
    }
    norm_rows_of_head(*rule, side, std::move(whole), rows);
  }
  turn(*rule, side.position, rows);
  return rows;
}

// By how much the sum may miss the model's float32: far more than rounding, far less than a step that was left out.
double allowed(const ScoreWriters& found) {
  double largest = 1;
  for (const double term : found.terms) largest = std::max(largest, std::abs(term));
  return 1e-3 * largest;
}

}  // namespace

std::string score_writer_name(const ScoreWriter& writer) {
  if (!writer.layer) return writer.name;
  if (writer.head) return fmt::format("layer {}, head {}", *writer.layer, *writer.head);
  return fmt::format("layer {}, {}", *writer.layer, writer.name);
}

std::string score_writer_label(const ScoreWriter& writer) {
  if (!writer.layer) return writer.name;
  return writer.head ? fmt::format("{}.{}", *writer.layer, *writer.head)
                     : fmt::format("{} {}", writer.name, *writer.layer);
}

ScoreWriters score_writers(const ModelTrace& model, const ScoreQuestion& question, const CancelToken& cancel) {
  check_question(model, question);
  const Trace& layer = *model.layers[static_cast<std::size_t>(model.layer)];
  const Architecture& architecture = model.checkpoint->architecture();
  const HeadMaps maps = head_maps(*model.checkpoint, layer.inputs->layer, NormFolding::ignore);
  const LayerWeights& weights = layer.inputs->weights;
  const Tensor none;
  const Tensor& entered = model.streams[static_cast<std::size_t>(model.layer)];
  const HeadRule* rule = layer.inputs->head_rule.get();
  const Side query{question.query,
                   question.head,
                   maps.query,
                   rule != nullptr ? rule->query_norm : none,
                   bias_of(weights, architecture, false),
                   row_at(entered, question.query)};
  const Side key{question.key,
                 maps.group_of(question.head),
                 maps.key,
                 rule != nullptr ? rule->key_norm : none,
                 bias_of(weights, architecture, true),
                 row_at(entered, question.key)};
  ScoreWriters found;
  const Rows queries = given_by_writers(model, question, query, found.queries, cancel);
  const Rows keys = given_by_writers(model, question, key, found.keys, cancel);
  found.scale = layer.scale;
  found.total = static_cast<double>(layer.tensor(StageId::scores).at({0, question.head, question.query, question.key}));
  for (const std::vector<double>& q : queries) {
    for (const std::vector<double>& k : keys) {
      double product = 0;
      for (std::size_t d = 0; d < q.size(); ++d) product += q[d] * k[d];
      found.terms.push_back(found.scale * product);
      found.sum += found.terms.back();
    }
  }
  if (std::isfinite(found.sum) && std::isfinite(found.total) && std::abs(found.sum - found.total) > allowed(found)) {
    throw Error(
        fmt::format("The terms of this score add up to {:.6g}, the score is {:.6g}: the layer does more to it than "
                    "projections, norms and rotations, such as a mistake that is switched on.",
                    found.sum, found.total));
  }
  return found;
}

}  // namespace headscope
