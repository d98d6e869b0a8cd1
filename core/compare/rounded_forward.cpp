// Long because the steps of a layer stand in one class, in their order, as the forward has them.
#include "core/compare/rounded_forward.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/attention/projection_steps.h"
#include "core/attention/score_rule_of.h"
#include "core/attention/stage_layout.h"
#include "core/attention/stage_sources.h"
#include "core/backend/score_steps.h"
#include "core/compare/rounded_formula.h"
#include "core/compare/rounded_products.h"
#include "core/compare/rounded_steps.h"
#include "core/compare/rounder.h"
#include "core/model/past.h"
#include "core/model/relative_positions.h"
#include "core/request/intervention_kinds.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

// `Real` is what is not rounded.
template <typename Real>
class RoundedForward {
 public:
  RoundedForward(const Trace& trace, const Rounding& rounding, const CancelToken& cancel)
      : trace_(trace),
        inputs_(*trace.inputs),
        rounder_(rounding),
        steps_(rounder_),
        products_(rounder_, cancel),
        cancel_(cancel),
        rule_(score_rule_of(trace.request, inputs_, trace.mask)) {}

  WideStages run() {
    inputs_.query.empty() ? project_all() : take_heads();
    scores();
    weights();
    context();
    merge();
    move_axes();
    return std::move(stages_);
  }

 private:
  double stored(Real value) const { return steps_.stored(value); }
  WideStage& add(StageId stage, const Shape& shape) {
    WideStage& made = stages_[stage];
    made.shape = shape;
    made.values.assign(static_cast<std::size_t>(element_count(shape)), 0.0);
    return made;
  }
  const WideStage& keep(StageId id, const Tensor& from) { return stages_[id] = rounder_.given_stage(from); }
  bool has(StageId stage) const { return trace_.find(stage) != nullptr; }

  // The features of query, key or value as the fused projection holds them: where numbers share a factor with others of
  // their row, they are not those of a projection of their own.
  WideStage columns_of_qkv(QkvLayout layout, Part part) const {
    const WideStage& all = stages_.at(StageId::qkv);
    const std::int64_t width = all.shape[2];
    std::vector<float> numbers(static_cast<std::size_t>(width));
    std::iota(numbers.begin(), numbers.end(), 0.0F);
    Inputs numbered = inputs_;
    numbered.weights.qkv.weight = Tensor::of({width, 1}, {Axis::feature, Axis::feature}, std::move(numbers));
    numbered.weights.qkv.bias = Tensor();
    const std::vector<float> columns = part_of(numbered, layout, part).weight.values();
    WideStage result{{all.shape[0], all.shape[1], static_cast<std::int64_t>(columns.size())}, {}};
    for (std::int64_t row = 0; row < all.shape[0] * all.shape[1]; ++row) {
      for (const float column : columns) {
        result.values.push_back(all.values[static_cast<std::size_t>(row * width) + static_cast<std::size_t>(column)]);
      }
    }
    return result;
  }

  void project_all() {
    const WideStage x = keep(StageId::input, inputs_.x);
    WideStage key_x = x, value_x = x;
    if (!inputs_.key_x.empty()) {
      key_x = keep(StageId::key_input, inputs_.key_x);
      value_x = keep(StageId::value_input, inputs_.value_x.empty() ? inputs_.key_x : inputs_.value_x);
    }
    if (has(StageId::qkv)) {
      stages_[StageId::qkv] = products_.projected(x, inputs_.weights.qkv);
      if (has(StageId::qkv_split)) {
        WideStage split = stages_[StageId::qkv];
        split.shape = trace_.tensor(StageId::qkv_split).shape();
        stages_[StageId::qkv_split] = std::move(split);
      }
    }
    const QkvLayout layout = read_layout_of(trace_.request, inputs_.weights);
    const auto heads_of = [&](StageId projection, StageId stage, Part part, const WideStage& from, std::int64_t heads) {
      WideStage flat = rounder_.scaled() && has(StageId::qkv)
                           ? columns_of_qkv(layout, part)
                           : products_.projected(from, part_of(inputs_, layout, part));
      if (has(projection)) stages_[projection] = flat;
      flat.shape = {flat.shape[0], flat.shape[1], heads, flat.shape[2] / heads};
      stages_[stage] = steps_.permuted(flat, {0, 2, 1, 3});
    };
    heads_of(StageId::query_proj, StageId::query, Part::query, x, inputs_.num_heads);
    heads_of(StageId::key_proj, StageId::key, Part::key, key_x, inputs_.num_kv_heads);
    heads_of(StageId::value_proj, StageId::value, Part::value, value_x, inputs_.num_kv_heads);
    if (const HeadRule* rule = inputs_.head_rule.get()) {
      steps_.turn(stages_[StageId::query], *rule, rule->query_norm);
      steps_.turn(stages_[StageId::key], *rule, rule->key_norm);
      if (rule->changes_values()) steps_.turn(stages_[StageId::value], rule->of_values(), Tensor());
    }
    if (const Past* past = past_of(inputs_)) {
      steps_.prepend(past->key, stages_[StageId::key]);
      steps_.prepend(past->value, stages_[StageId::value]);
    }
    if (!inputs_.weights.bias_k.empty()) {
      steps_.append(stages_[StageId::key], inputs_.weights.bias_k);
      steps_.append(stages_[StageId::value], inputs_.weights.bias_v);
    }
  }

  void take_heads() {
    keep(StageId::query, inputs_.query);
    keep(StageId::key, inputs_.key);
    keep(StageId::value, inputs_.value);
  }

  // Calls visit(b, h, i, offset of the row) for every row of scores.
  template <typename Visit>
  void for_rows(Visit&& visit) {
    std::int64_t offset = 0;
    for (std::int64_t b = 0; b < shape_[0]; ++b) {
      for (std::int64_t h = 0; h < shape_[1]; ++h) {
        cancel_.check();
        for (std::int64_t i = 0; i < shape_[2]; ++i, offset += shape_[3]) visit(b, h, i, offset);
      }
    }
  }
  bool hides(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    return rule_.mask->hidden.hidden(b, h, i, j);
  }
  void scores() {
    const WideStage &query = stages_[StageId::query], &key = stages_[StageId::key];
    const bool as_it_lies = has_variant(trace_.request, Variant::key_not_transposed);
    const std::int64_t heads = query.shape[1], queries = query.shape[2], features = query.shape[3];
    const std::int64_t keys = as_it_lies ? key.shape[3] : key.shape[2], group = heads / key.shape[1];
    shape_ = {query.shape[0], heads, queries, keys};
    WideStage& raw = add(StageId::raw_scores, shape_);
    for (std::int64_t pair = 0; pair < shape_[0] * heads; ++pair) {  // (batch, head)
      const std::int64_t own = pair / heads * key.shape[1] + pair % heads / group;
      const typename RoundedProducts<Real>::Side q{query.values.data() + pair * queries * features, queries, features};
      const typename RoundedProducts<Real>::Side k{key.values.data() + own * key.shape[2] * key.shape[3], key.shape[2],
                                                   key.shape[3]};
      double* to = raw.values.data() + pair * queries * keys;
      if (as_it_lies) {
        products_.store_product(q, k, to);
      } else {
        products_.store_transposed(q, k, to);
      }
    }
    rounder_.store(raw);
    position_scores(StageId::c2p, inputs_.weights.position_key, inputs_.weights.key);
    position_scores(StageId::p2c, inputs_.weights.position_query, inputs_.weights.query);
    const Real scale = static_cast<Real>(rule_.scale);
    const bool before = rule_.mask_order == MaskOrder::before_scale && rule_.masks();
    WideStage values = raw;
    if (before) {
      mask(values, scale);
      stages_[StageId::scores] = stages_[StageId::masked_scores] = std::move(values);
      return;
    }
    for (double& value : values.values) value = stored(static_cast<Real>(value) * scale);
    rounder_.store(values);
    stages_[StageId::scores] = values;
    make_by_formula(trace_, steps_, stages_);
    if (has(StageId::capped_scores)) values = stages_.at(StageId::capped_scores);
    if (rule_.masks()) mask(values, 1);
    stages_[StageId::masked_scores] = std::move(values);
  }

  // What the mask adds to a score; where the cap comes after it, it is in what is masked already.
  Real added(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    Real sum = rule_.caps_added() ? 0 : steps_.added(trace_.terms().added, b, h, i, j);
    for (const StageId stage : {StageId::c2p, StageId::p2c}) {
      if (!has(stage)) continue;
      const std::int64_t row = (b * shape_[1] + h) * shape_[2] + i;
      sum += static_cast<Real>(stages_.at(stage).values[static_cast<std::size_t>(row * shape_[3] + j)]);
    }
    return sum;
  }
  // What queries or keys give with their relative positions.
  void position_scores(StageId stage, const Linear& own, const Linear& shared) {
    if (!has(stage)) return;
    const RelativePositions& positions = *inputs_.relative_positions;
    const WideStage table = rounder_.given_stage(positions.rows);
    const WideStage projected_rows = products_.projected(table, positions.rule.own_projections ? own : shared);
    const WideStage& content = stages_.at(stage == StageId::c2p ? StageId::query : StageId::key);
    const std::int64_t len = content.shape[2], features = content.shape[3], count = table.shape[1];
    const std::int64_t width = projected_rows.shape[2];
    WideStage& made = add(stage, shape_);
    std::vector<double> products(static_cast<std::size_t>(len * count));
    std::vector<double> others(static_cast<std::size_t>(count * features));
    for (std::int64_t pair = 0; pair < shape_[0] * shape_[1]; ++pair) {
      const double* own_columns = projected_rows.values.data() + pair % shape_[1] * features;
      for (std::int64_t row = 0; row < count; ++row) {
        std::copy_n(own_columns + row * width, features, others.begin() + row * features);
      }
      products_.store_transposed({content.values.data() + pair * len * features, len, features},
                                 {others.data(), count, features}, products.data());
      for (std::int64_t i = 0; i < len; ++i) {
        for (std::int64_t j = 0; j < len; ++j) {
          const std::int64_t from = (stage == StageId::c2p ? i : j) * count + positions.row_of(i, j);
          made.values[static_cast<std::size_t>((pair * len + i) * len + j)] =
              stored(static_cast<Real>(products[static_cast<std::size_t>(from)]) * static_cast<Real>(rule_.scale));
        }
      }
    }
    rounder_.store(made);
  }
  // A fill that the format cannot hold is what kernels of such formats put there in float32.
  void mask(WideStage& values, Real scale) {
    const Real fill = static_cast<Real>(static_cast<float>(rule_.mask_fill));
    const bool hiding = !rule_.mask_after_softmax, kept = std::isinf(fill);
    std::vector<bool> filled(rounder_.scaled() ? values.values.size() : 0);
    for_rows([&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t offset) {
      for (std::int64_t j = 0; j < shape_[3]; ++j) {
        const auto at = static_cast<std::size_t>(offset + j);
        double& value = values.values[at];
        const bool hidden = hiding && hides(b, h, i, j);
        if (!filled.empty()) filled[at] = hidden;
        if (hidden && (kept || !rounder_.holds_fills())) {
          value = static_cast<double>(kept ? fill : fill * scale);
        } else {
          value = stored((hidden ? fill : static_cast<Real>(value) + added(b, h, i, j)) * scale);
        }
      }
    });
    rounder_.store(values, [&](std::size_t place) { return !filled[place]; });
  }

  // Where heads have sinks, also what these take.
  void softmax_rows(WideStage& weights) {
    const std::int64_t keys = shape_[3];
    if (rule_.sinks.empty()) {
      for_rows([&](std::int64_t, std::int64_t, std::int64_t, std::int64_t offset) {
        steps_.softmax(weights.values.data() + offset, keys, 1);
      });
      return;
    }
    const std::vector<double> sinks = rounder_.given(rule_.sinks);
    WideStage& shares = add(StageId::sink_weights, {shape_[0], shape_[1], shape_[2]});
    for_rows([&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t offset) {
      const double share = steps_.softmax(weights.values.data() + offset, keys, 1, sinks[static_cast<std::size_t>(h)]);
      const bool none = rule_.fully_masked == FullyMasked::uniform && rule_.mask->hidden.all_hidden(b, h, i);
      shares.values[static_cast<std::size_t>(offset / keys)] = none ? 0 : share;
    });
  }

  void weights() {
    WideStage& weights = stages_[StageId::weights] = stages_[StageId::masked_scores];
    const std::int64_t queries = shape_[2], keys = shape_[3];
    if (has_variant(trace_.request, Variant::softmax_over_queries)) {
      for (std::int64_t matrix = 0; matrix < shape_[0] * shape_[1]; ++matrix) {
        for (std::int64_t j = 0; j < keys; ++j)
          steps_.softmax(weights.values.data() + matrix * queries * keys + j, queries, keys);
      }
    } else {
      softmax_rows(weights);
    }
    const bool opened = rule_.fully_masked != FullyMasked::as_computed;
    const double filled = rule_.fully_masked == FullyMasked::zero ? 0.0 : stored(Real(1) / static_cast<Real>(keys));
    for_rows([&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t offset) {
      double* row = weights.values.data() + offset;
      if (opened && rule_.mask->hidden.all_hidden(b, h, i)) {
        std::fill_n(row, keys, filled);
      } else if (rule_.mask_after_softmax) {
        for (std::int64_t j = 0; j < keys; ++j) row[j] = hides(b, h, i, j) ? 0 : row[j];
      }
    });
    rounder_.store(weights);
    if (!rule_.drops()) return;
    // What is kept is decided by the request, not by the numbers.
    Tensor ones = Tensor::of(shape_, {Axis::batch, Axis::head, Axis::query, Axis::key},
                             std::vector<float>(weights.values.size(), 1.0F));
    const std::vector<float> kept = dropped_weights(ones, rule_, whole(shape_), cancel_).values();
    const Real gain = rule_.dropout < 1 ? 1 / (1 - static_cast<Real>(rule_.dropout)) : 0;
    WideStage& dropped = stages_[StageId::dropped_weights] = weights;
    for (std::size_t k = 0; k < kept.size(); ++k) {
      dropped.values[k] = stored(static_cast<Real>(dropped.values[k]) * (kept[k] != 0 ? gain : 0));
    }
    rounder_.store(dropped);
  }

  void context() {
    const WideStage& weights = stages_[rule_.drops() ? StageId::dropped_weights : StageId::weights];
    const WideStage& value = stages_[StageId::value];
    const std::int64_t features = value.shape[3], keys = shape_[3], group = shape_[1] / value.shape[1];
    WideStage& context = add(StageId::context, {shape_[0], shape_[1], shape_[2], features});
    const std::vector<LayerHead> off = ablated_heads(trace_.request);
    std::vector<Real> v, sum(static_cast<std::size_t>(features));  // of the matrix that the row is in
    for_rows([&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t offset) {
      const std::int64_t row = offset / keys;
      if (std::any_of(off.begin(), off.end(), [&](const LayerHead& place) { return place.head == h; })) return;
      const double* w = weights.values.data() + offset;
      if (row % shape_[2] == 0) {
        const double* from = value.values.data() + (b * value.shape[1] + h / group) * value.shape[2] * features;
        v.resize(static_cast<std::size_t>(value.shape[2] * features));
        std::transform(from, from + value.shape[2] * features, v.begin(),
                       [&](double each) { return static_cast<Real>(rounder_.operand(each)); });
      }
      std::fill(sum.begin(), sum.end(), Real(0));
      for (std::int64_t j = 0; j < keys; ++j) {
        if (w[j] == 0 && hides(b, h, i, j)) continue;  // a hidden value is not read
        const Real weight = static_cast<Real>(rounder_.operand(w[j]));
        const auto own = v.begin() + j * features;
        const auto add = [weight](Real before, Real each) { return before + weight * each; };
        if (rounder_.rounds_sums()) {
          std::transform(sum.begin(), sum.end(), own, sum.begin(),
                         [&](Real before, Real each) { return steps_.summed(add(before, each)); });
        } else {
          std::transform(sum.begin(), sum.end(), own, sum.begin(), add);
        }
      }
      std::transform(sum.begin(), sum.end(), context.values.begin() + row * features,
                     [&](Real each) { return stored(each); });
    });
    rounder_.store(context);
  }

  void merge() {
    make_by_formula(trace_, steps_, stages_);
    const WideStage& context = stages_.at(feeding_stages(trace_, StageId::concat).front());
    WideStage concat = trace_.request.merge == Merge::direct ? context : steps_.permuted(context, {0, 2, 1, 3});
    concat.shape = {shape_[0], shape_[2], shape_[1] * context.shape[3]};
    if (has(StageId::output)) stages_[StageId::output] = products_.projected(concat, inputs_.weights.output);
    if (has(StageId::attention_norm_out)) {
      stages_[StageId::attention_norm_out] = steps_.normalised(stages_[StageId::output], *inputs_.output_norm);
    }
    stages_[StageId::concat] = std::move(concat);
  }

  // Stages that only hold another's numbers in another order of axes.
  void move_axes() {
    for (const Stage& stage : trace_.stages) {
      if (!stage_info(stage.id).moves) continue;
      const StageId from = stage_info(stage.id).made.from.front().front();
      stages_[stage.id] = steps_.permuted(stages_.at(from), axes_order(from, stage.id));
    }
  }

  const Trace& trace_;
  const Inputs& inputs_;
  const Rounder rounder_;
  const RoundedSteps<Real> steps_;
  const RoundedProducts<Real> products_;
  const CancelToken& cancel_;
  const ScoreRule rule_;
  Shape shape_;  // of the scores
  WideStages stages_;
};

}  // namespace

WideStages forward_in_double(const Trace& trace, const CancelToken& cancel) {
  return RoundedForward<double>(trace, {}, cancel).run();
}

WideStages forward_rounded(const Trace& trace, const Rounding& rounding, const CancelToken& cancel) {
  return rest_is_float32(rounding) ? RoundedForward<float>(trace, rounding, cancel).run()
                                   : RoundedForward<double>(trace, rounding, cancel).run();
}

}  // namespace headscope
