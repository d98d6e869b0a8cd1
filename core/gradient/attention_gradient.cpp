#include "core/gradient/attention_gradient.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "core/attention/position_scores.h"
#include "core/attention/projection_steps.h"
#include "core/gradient/norm_gradient.h"
#include "core/model/head_rule.h"
#include "core/model/relative_positions.h"

namespace headscope {
namespace {

// The numbers of a stage [batch, heads, rows, features], head after head.
struct HeadRows {
  std::int64_t heads = 0, rows = 0;
  GradientRows all;
  HeadRows(const Tensor& like, bool filled)
      : heads(like.dim(1)),
        rows(like.dim(2)),
        all(filled ? gradient_rows(like) : GradientRows(like.dim(0) * like.dim(1) * like.dim(2), like.dim(3))) {}
  std::int64_t at(std::int64_t b, std::int64_t h, std::int64_t i) const { return (b * heads + h) * rows + i; }
  std::span<double> row(std::int64_t b, std::int64_t h, std::int64_t i) { return all.row(at(b, h, i)); }
  std::span<const double> row(std::int64_t b, std::int64_t h, std::int64_t i) const { return all.row(at(b, h, i)); }
};

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += a[d] * b[d];
  return sum;
}

void add_scaled(double factor, std::span<const double> from, std::span<double> to) {
  for (std::size_t d = 0; d < to.size(); ++d) to[d] += factor * from[d];
}

// [batch * len, heads * features] to heads, and back.
void split(const GradientRows& merged, HeadRows& heads, std::int64_t batch) {
  const std::int64_t features = heads.all.features;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t h = 0; h < heads.heads; ++h) {
      for (std::int64_t i = 0; i < heads.rows; ++i) {
        const std::span<const double> from = merged.row(b * heads.rows + i);
        std::copy_n(from.begin() + h * features, features, heads.row(b, h, i).begin());
      }
    }
  }
}

GradientRows merged(const HeadRows& heads, std::int64_t batch) {
  const std::int64_t features = heads.all.features;
  GradientRows rows(batch * heads.rows, heads.heads * features);
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t h = 0; h < heads.heads; ++h) {
      for (std::int64_t i = 0; i < heads.rows; ++i) {
        const std::span<const double> from = heads.row(b, h, i);
        std::copy(from.begin(), from.end(), rows.row(b * heads.rows + i).begin() + h * features);
      }
    }
  }
  return rows;
}

// The gradient by a head before rotary positions turned it: x' = cosine x + sine (other of the pair).
void turn_back(const HeadRule& rule, HeadRows& heads) {
  if (rule.rotary == nullptr) return;
  const std::int64_t features = heads.all.features, sequences = heads.all.count / heads.rows;
  std::vector<double> before(static_cast<std::size_t>(features));
  for (std::int64_t i = 0; i < heads.rows; ++i) {
    std::vector<FeatureTurn> turns;
    for (std::int64_t d = 0; d < features; ++d) turns.push_back(feature_turn(rule, d, i));
    for (std::int64_t s = 0; s < sequences; ++s) {
      const std::span<double> row = heads.all.row(s * heads.rows + i);
      std::fill(before.begin(), before.end(), 0.0);
      for (std::size_t d = 0; d < before.size(); ++d) {
        before[d] += turns[d].cosine * row[d];
        if (turns[d].other >= 0) before[static_cast<std::size_t>(turns[d].other)] += turns[d].sine * row[d];
      }
      std::copy(before.begin(), before.end(), row.begin());
    }
  }
}

// Keys (c2p) or queries (p2c) of relative positions; no rows where the layer has none.
HeadRows positions_of(const Trace& trace, StageId stage) {
  if (trace.find(stage) == nullptr) return {Tensor::zeros({1, 1, 0, 1}, trace.tensor(StageId::query).axes()), false};
  const PositionHeads& heads = *trace.position_heads;
  const Tensor& values = stage == StageId::c2p ? heads.keys : heads.queries;
  const Shape all{1, values.dim(0), values.dim(1), values.dim(2)};
  return {values.reshaped(all, trace.tensor(StageId::query).axes()), true};
}

// Everything of the middle of a layer: values and gradients.
struct Middle {
  const Trace& trace;
  HeadRows query, key, value, weights, context;  // context: the gradient
  HeadRows dquery, dkey, dvalue, dweights, dmasked, dscores;
  HeadRows position_keys, position_queries;  // values, where the layer has relative positions
  GradientRows capped;                       // values of capped_scores, where scores are capped

  explicit Middle(const Trace& of)
      : trace(of),
        query(of.tensor(StageId::query), true),
        key(of.tensor(StageId::key), true),
        value(of.tensor(StageId::value), true),
        weights(of.tensor(StageId::weights), true),
        context(of.tensor(StageId::context), false),
        dquery(of.tensor(StageId::query), false),
        dkey(of.tensor(StageId::key), false),
        dvalue(of.tensor(StageId::value), false),
        dweights(of.tensor(StageId::weights), false),
        dmasked(of.tensor(StageId::weights), false),
        dscores(of.tensor(StageId::weights), false),
        position_keys(positions_of(of, StageId::c2p)),
        position_queries(positions_of(of, StageId::p2c)) {
    if (const Stage* stage = of.find(StageId::capped_scores)) capped = gradient_rows(stage->tensor);
  }
};

// A score's gradient to query i by the key of its relative position, and to key j by its query.
void positions_backwards(Middle& all, const Index& cell, double dscore) {
  if (all.trace.inputs->relative_positions == nullptr) return;
  const std::int64_t b = cell[0], h = cell[1], i = cell[2], j = cell[3];
  const std::int64_t row = all.trace.inputs->relative_positions->row_of(i, j);
  const double raw = all.trace.scale * dscore;
  if (all.position_keys.rows > 0) {
    add_scaled(raw, std::as_const(all.position_keys).row(0, h, row), all.dquery.row(b, h, i));
  }
  if (all.position_queries.rows > 0) {
    add_scaled(raw, std::as_const(all.position_queries).row(0, h, row), all.dkey.row(b, h, j));
  }
}

// One query of one head.
void query_backwards(Middle& all, std::int64_t b, std::int64_t h, std::int64_t i, std::vector<std::uint8_t>& hidden) {
  const std::int64_t shared = h / (all.query.heads / all.key.heads), keys = all.key.rows;
  const std::span<const double> w = std::as_const(all.weights).row(b, h, i), dcontext = all.context.row(b, h, i);
  const std::span<double> dw = all.dweights.row(b, h, i), dmasked = all.dmasked.row(b, h, i),
                          dscores = all.dscores.row(b, h, i);
  all.trace.mask->hidden.read_row(b, h, i, hidden);
  double mean = 0;
  for (std::int64_t j = 0; j < keys; ++j) {
    const auto at = static_cast<std::size_t>(j);
    if (hidden[at] != 0) continue;
    dw[at] = dot(dcontext, std::as_const(all.value).row(b, shared, j));
    mean += w[at] * dw[at];
    add_scaled(w[at], dcontext, all.dvalue.row(b, shared, j));
  }
  const std::int64_t row = all.weights.at(b, h, i);
  for (std::int64_t j = 0; j < keys; ++j) {
    const auto at = static_cast<std::size_t>(j);
    if (hidden[at] != 0) continue;
    dmasked[at] = w[at] * (dw[at] - mean);
    dscores[at] = dmasked[at];
    if (!all.capped.values.empty()) {
      const double share = all.capped.row(row)[at] / *all.trace.as_computed().softcap;
      dscores[at] *= 1.0 - share * share;
    }
    const double raw = all.trace.scale * dscores[at];
    add_scaled(raw, std::as_const(all.key).row(b, shared, j), all.dquery.row(b, h, i));
    add_scaled(raw, std::as_const(all.query).row(b, h, i), all.dkey.row(b, shared, j));
    positions_backwards(all, {b, h, i, j}, dmasked[at]);
  }
}

// The gradients by the stages from weights back to raw_scores.
void put_scores(const Middle& all, const PutGradient& put) {
  const Trace& trace = all.trace;
  const Tensor& like = trace.tensor(StageId::weights);
  put("weights", all.dweights.all, like);
  put("masked_scores", all.dmasked.all, like);
  for (const StageId stage : {StageId::c2p, StageId::p2c}) {
    if (trace.find(stage) != nullptr) put(stage_name(stage), all.dmasked.all, like);
  }
  if (!all.capped.values.empty()) put("capped_scores", all.dmasked.all, like);
  // With the mask before the scale `scores` are what leaves the scaling: dscores.
  put("scores", all.dscores.all, like);
  GradientRows raw = all.dscores.all;
  for (double& value : raw.values) value *= trace.scale;
  put("raw_scores", raw, like);
}

// The gradient by heads before their norm; `projected`: what entered it, [batch, len, heads * features].
void before_head_norm(const HeadRule& rule, const Tensor& weight, const Tensor& projected, HeadRows& heads) {
  RowNorm norm;
  norm.kind = rule.norm_centred ? Architecture::Norm::layer : Architecture::Norm::rms;
  norm.weights.weight = weight;
  norm.eps = rule.norm_eps;
  norm.plus_one = rule.norm_plus_one;
  const std::int64_t batch = projected.dim(0);
  if (rule.norm_whole) {
    split(before_norm(norm, gradient_rows(projected), merged(heads, batch)), heads, batch);
    return;
  }
  HeadRows entered = heads;
  split(gradient_rows(projected), entered, batch);
  heads.all = before_norm(norm, entered.all, heads.all);
}

// The gradients by queries and keys before rotary positions and norms of heads.
void before_head_rule(const Trace& trace, Middle& all) {
  const HeadRule* rule = trace.inputs->head_rule.get();
  if (rule == nullptr) return;
  turn_back(*rule, all.dquery);
  turn_back(*rule, all.dkey);
  if (!rule->query_norm.empty()) {
    before_head_norm(*rule, rule->query_norm, trace.tensor(StageId::query_proj), all.dquery);
  }
  if (!rule->key_norm.empty()) before_head_norm(*rule, rule->key_norm, trace.tensor(StageId::key_proj), all.dkey);
}

// From queries, keys and values to what entered attention.
GradientRows before_projections(const Middle& all, const PutGradient& put, ThreadPool& threads,
                                const CancelToken& cancel) {
  const Trace& trace = all.trace;
  const Inputs& inputs = *trace.inputs;
  const QkvLayout layout = read_layout_of(trace.request, inputs.weights);
  GradientRows dinput(inputs.batch * inputs.query_len, inputs.input_dim);
  const std::tuple<Part, StageId, const HeadRows&> parts[] = {{Part::query, StageId::query_proj, all.dquery},
                                                              {Part::key, StageId::key_proj, all.dkey},
                                                              {Part::value, StageId::value_proj, all.dvalue}};
  for (const auto& [part, stage, heads] : parts) {
    cancel.check();
    const GradientRows projected = merged(heads, inputs.batch);
    if (const Stage* found = trace.find(stage)) put(stage_name(stage), projected, found->tensor);
    dinput += before_linear(projected, part_of(inputs, layout, part), threads);
  }
  put("input", dinput, trace.tensor(StageId::input));
  return dinput;
}

}  // namespace

GradientRows before_attention(const Trace& trace, const GradientRows& doutput, const PutGradient& put,
                              ThreadPool& threads, const CancelToken& cancel) {
  const std::int64_t batch = trace.inputs->batch;
  Middle all(trace);
  const GradientRows dconcat = before_linear(doutput, trace.inputs->weights.output, threads);
  split(dconcat, all.context, batch);
  put("concat", dconcat, trace.tensor(StageId::concat));
  put("context", all.context.all, trace.tensor(StageId::context));
  // Heads that share keys and values add to the same rows: one thread goes through them, in their order.
  const std::int64_t together = all.query.heads / all.key.heads;
  threads.run(batch * all.key.heads, true, [&](std::int64_t matrix) {
    std::vector<std::uint8_t> hidden(static_cast<std::size_t>(all.key.rows));
    const std::int64_t b = matrix / all.key.heads, first = matrix % all.key.heads * together;
    for (std::int64_t h = first; h < first + together; ++h) {
      cancel.check();
      for (std::int64_t i = 0; i < all.query.rows; ++i) query_backwards(all, b, h, i, hidden);
    }
  });
  put_scores(all, put);
  put("query", all.dquery.all, trace.tensor(StageId::query));
  put("key", all.dkey.all, trace.tensor(StageId::key));
  put("value", all.dvalue.all, trace.tensor(StageId::value));
  before_head_rule(trace, all);
  return before_projections(all, put, threads, cancel);
}

}  // namespace headscope
