// Long because the steps of a layer stand in one class, in their order, as the forward has them.
#include "core/compare/rounded_forward.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/attention/projection_steps.h"
#include "core/attention/score_rule_of.h"
#include "core/attention/stage_layout.h"
#include "core/attention/stage_sources.h"
#include "core/backend/score_steps.h"
#include "core/compare/rounded_formula.h"
#include "core/compare/rounded_steps.h"
#include "core/model/past.h"
#include "core/model/relative_positions.h"
#include "core/request/intervention_kinds.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

constexpr std::int64_t kRowsAtOnce = 64;  // of a product, between two looks at whether it is still wanted

// `Real` is what sums are made in; without a format nothing is rounded.
template <typename Real>
class RoundedForward {
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Row = Eigen::Matrix<Real, 1, Eigen::Dynamic>;

 public:
  RoundedForward(const Trace& trace, std::optional<NumberType> format, const CancelToken& cancel)
      : trace_(trace),
        inputs_(*trace.inputs),
        steps_(format),
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
  std::vector<double> stored(const Tensor& tensor) const { return steps_.stored(tensor); }
  WideStage& add(StageId stage, const Shape& shape) {
    WideStage& made = stages_[stage];
    made.shape = shape;
    made.values.assign(static_cast<std::size_t>(element_count(shape)), 0.0);
    return made;
  }
  const WideStage& keep(StageId id, const Tensor& from) { return stages_[id] = WideStage{from.shape(), stored(from)}; }
  bool has(StageId stage) const { return trace_.find(stage) != nullptr; }
  // Stored numbers as what sums are made of.
  static Matrix matrix(const double* values, std::int64_t rows, std::int64_t columns) {
    using Stored = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::Map<const Stored>(values, rows, columns).template cast<Real>();
  }
  // left · right + added, row-major, stored from `to` on.
  template <typename Right>
  void store_product(const Matrix& left, const Right& right, const Row& added, double* to) const {
    for (Eigen::Index first = 0; first < left.rows(); first += kRowsAtOnce) {
      cancel_.check();
      Matrix product = left.middleRows(first, std::min(kRowsAtOnce, left.rows() - first)) * right;
      if (added.size() > 0) product.rowwise() += added;
      to = std::transform(product.data(), product.data() + product.size(), to, [&](Real sum) { return stored(sum); });
    }
  }

  // x · weightᵀ + bias, [batch, len, out].
  WideStage projected(const WideStage& x, const Linear& linear) {
    const std::int64_t rows = x.shape[0] * x.shape[1], in = x.shape[2], out = linear.weight.dim(0);
    const Matrix weight = matrix(stored(linear.weight).data(), out, in);
    Row bias;
    if (!linear.bias.empty()) bias = matrix(stored(linear.bias).data(), 1, out);
    WideStage result{{x.shape[0], x.shape[1], out}, std::vector<double>(static_cast<std::size_t>(rows * out))};
    store_product(matrix(x.values.data(), rows, in), weight.transpose(), bias, result.values.data());
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
      stages_[StageId::qkv] = projected(x, inputs_.weights.qkv);
      if (has(StageId::qkv_split)) {
        WideStage split = stages_[StageId::qkv];
        split.shape = trace_.tensor(StageId::qkv_split).shape();
        stages_[StageId::qkv_split] = std::move(split);
      }
    }
    const QkvLayout layout = read_layout_of(trace_.request, inputs_.weights);
    const auto heads_of = [&](StageId projection, StageId stage, Part part, const WideStage& from, std::int64_t heads) {
      WideStage flat = projected(from, part_of(inputs_, layout, part));
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
      const Matrix q = matrix(query.values.data() + pair * queries * features, queries, features);
      const Matrix k = matrix(key.values.data() + own * key.shape[2] * key.shape[3], key.shape[2], key.shape[3]);
      double* to = raw.values.data() + pair * queries * keys;
      if (as_it_lies) {
        store_product(q, k, {}, to);
      } else {
        store_product(q, k.transpose(), {}, to);
      }
    }
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
    const WideStage table{positions.rows.shape(), stored(positions.rows)};
    const WideStage projected_rows = projected(table, positions.rule.own_projections ? own : shared);
    const WideStage& content = stages_.at(stage == StageId::c2p ? StageId::query : StageId::key);
    const std::int64_t len = content.shape[2], features = content.shape[3], count = table.shape[1];
    const Matrix all = matrix(projected_rows.values.data(), count, projected_rows.shape[2]);
    WideStage& made = add(stage, shape_);
    std::vector<double> products(static_cast<std::size_t>(len * count));
    for (std::int64_t pair = 0; pair < shape_[0] * shape_[1]; ++pair) {
      const Matrix rows = matrix(content.values.data() + pair * len * features, len, features);
      const Matrix others = all.middleCols(pair % shape_[1] * features, features);
      store_product(rows, others.transpose(), {}, products.data());
      for (std::int64_t i = 0; i < len; ++i) {
        for (std::int64_t j = 0; j < len; ++j) {
          const std::int64_t from = (stage == StageId::c2p ? i : j) * count + positions.row_of(i, j);
          made.values[static_cast<std::size_t>((pair * len + i) * len + j)] =
              stored(static_cast<Real>(products[static_cast<std::size_t>(from)]) * static_cast<Real>(rule_.scale));
        }
      }
    }
  }
  void mask(WideStage& values, Real scale) {
    const Real fill = static_cast<Real>(static_cast<float>(rule_.mask_fill));
    const bool hiding = !rule_.mask_after_softmax;
    for_rows([&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t offset) {
      for (std::int64_t j = 0; j < shape_[3]; ++j) {
        double& value = values.values[static_cast<std::size_t>(offset + j)];
        const bool hidden = hiding && hides(b, h, i, j);
        if (hidden && std::isinf(fill)) {
          value = static_cast<double>(fill);
        } else {
          value = stored((hidden ? fill : static_cast<Real>(value) + added(b, h, i, j)) * scale);
        }
      }
    });
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
    const std::vector<double> sinks = stored(rule_.sinks);
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
  }

  void context() {
    const WideStage& weights = stages_[rule_.drops() ? StageId::dropped_weights : StageId::weights];
    const WideStage& value = stages_[StageId::value];
    const std::int64_t features = value.shape[3], keys = shape_[3], group = shape_[1] / value.shape[1];
    WideStage& context = add(StageId::context, {shape_[0], shape_[1], shape_[2], features});
    const std::vector<LayerHead> off = ablated_heads(trace_.request);
    Matrix v;
    for_rows([&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t offset) {
      const std::int64_t row = offset / keys;
      if (std::any_of(off.begin(), off.end(), [&](const LayerHead& place) { return place.head == h; })) return;
      const double* w = weights.values.data() + offset;
      if (row % shape_[2] == 0) {
        v = matrix(value.values.data() + (b * value.shape[1] + h / group) * value.shape[2] * features, value.shape[2],
                   features);
      }
      Row sum = Row::Zero(features);
      for (std::int64_t j = 0; j < keys; ++j) {
        if (w[j] == 0 && hides(b, h, i, j)) continue;  // a hidden value is not read
        sum += static_cast<Real>(w[j]) * v.row(j);
      }
      std::transform(sum.data(), sum.data() + features, context.values.data() + row * features,
                     [&](Real each) { return stored(each); });
    });
  }

  void merge() {
    make_by_formula(trace_, steps_, stages_);
    const WideStage& context = stages_.at(feeding_stages(trace_, StageId::concat).front());
    WideStage concat = trace_.request.merge == Merge::direct ? context : steps_.permuted(context, {0, 2, 1, 3});
    concat.shape = {shape_[0], shape_[2], shape_[1] * context.shape[3]};
    if (has(StageId::output)) stages_[StageId::output] = projected(concat, inputs_.weights.output);
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
  const RoundedSteps<Real> steps_;
  const CancelToken& cancel_;
  const ScoreRule rule_;
  Shape shape_;  // of the scores
  WideStages stages_;
};

}  // namespace

WideStages forward_in_double(const Trace& trace, const CancelToken& cancel) {
  return RoundedForward<double>(trace, std::nullopt, cancel).run();
}

WideStages forward_in_format(const Trace& trace, NumberType format, const CancelToken& cancel) {
  return RoundedForward<float>(trace, format, cancel).run();
}

}  // namespace headscope
