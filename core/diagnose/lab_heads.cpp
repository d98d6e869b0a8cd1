// This part of the lab goes from the input to query, key and value.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/attention/projection_steps.h"
#include "core/diagnose/layer_lab.h"
#include "core/model/head_rule.h"
#include "core/model/past.h"

namespace headscope {
namespace {

constexpr double kExtraEps = 1e-6;  // of the norm that a right layer does not have

// Divides by the root mean square of `count` heads' features, which lie `step` apart, or by the deviation of a
// LayerNorm; then multiplies by the weights.
void norm_row(double* row, std::int64_t features, const HeadRule& rule, const std::vector<double>& weight,
              std::int64_t head) {
  double mean = 0, squares = 0;
  for (std::int64_t d = 0; d < features && rule.norm_centred; ++d) mean += row[d] / static_cast<double>(features);
  for (std::int64_t d = 0; d < features; ++d) squares += (row[d] - mean) * (row[d] - mean);
  const double factor = 1 / std::sqrt(squares / static_cast<double>(features) + rule.norm_eps);
  const std::int64_t first = rule.norm_own ? head * features : 0;
  for (std::int64_t d = 0; d < features; ++d) {
    const double scale =
        weight.empty() ? 1 : weight[static_cast<std::size_t>(first + d)] + (rule.norm_plus_one ? 1 : 0);
    row[d] = (row[d] - mean) * factor * scale;
  }
}

// Normalises all heads of a position together, as one row.
void norm_whole_rows(WideStage& heads, const HeadRule& rule, const std::vector<double>& weight) {
  const std::int64_t count = heads.shape[1], len = heads.shape[2], features = heads.shape[3];
  std::vector<double> row(static_cast<std::size_t>(count * features));
  for (std::int64_t b = 0; b < heads.shape[0]; ++b) {
    for (std::int64_t i = 0; i < len; ++i) {
      const auto place = [&](std::int64_t h) { return heads.values.begin() + ((b * count + h) * len + i) * features; };
      for (std::int64_t h = 0; h < count; ++h) std::copy_n(place(h), features, row.begin() + h * features);
      norm_row(row.data(), count * features, rule, weight, 0);
      for (std::int64_t h = 0; h < count; ++h) std::copy_n(row.begin() + h * features, features, place(h));
    }
  }
}

void norm_heads(WideStage& heads, const HeadRule& rule, const std::vector<double>& weight) {
  if (rule.norm_whole) return norm_whole_rows(heads, rule, weight);
  const std::int64_t features = heads.shape[3], rows = static_cast<std::int64_t>(heads.values.size()) / features;
  for (std::int64_t row = 0; row < rows; ++row) {
    norm_row(heads.values.data() + row * features, features, rule, weight, row / heads.shape[2] % heads.shape[1]);
  }
}

// Positions of `second` behind those of `first`, both [batch, heads, len, features].
WideStage joined_positions(const WideStage& first, const WideStage& second) {
  WideStage result{{second.shape[0], second.shape[1], first.shape[2] + second.shape[2], second.shape[3]}, {}};
  const std::int64_t before = first.shape[2] * first.shape[3], after = second.shape[2] * second.shape[3];
  for (std::int64_t row = 0; row < second.shape[0] * second.shape[1]; ++row) {
    const auto from = first.values.begin() + row * before, then = second.values.begin() + row * after;
    result.values.insert(result.values.end(), from, from + before);
    result.values.insert(result.values.end(), then, then + after);
  }
  return result;
}

void roll(WideStage& heads, std::int64_t by) {
  if (by == 0 || heads.shape[2] == 0) return;
  const std::int64_t len = heads.shape[2], features = heads.shape[3], step = (by % len + len) % len;
  for (std::int64_t row = 0; row < heads.shape[0] * heads.shape[1]; ++row) {
    const auto first = heads.values.begin() + row * len * features;
    std::rotate(first, first + (len - step) * features, first + len * features);
  }
}

// The last place holds what stands before it, or 0.
void make_stale(WideStage& heads, LayerFaults::Last last) {
  const std::int64_t len = heads.shape[2], features = heads.shape[3];
  if (last == LayerFaults::Last::right || len < 2) return;
  for (std::int64_t row = 0; row < heads.shape[0] * heads.shape[1]; ++row) {
    const auto end = heads.values.begin() + (row + 1) * len * features;
    if (last == LayerFaults::Last::zero) {
      std::fill(end - features, end, 0.0);
    } else {
      std::copy_n(end - 2 * features, features, end - features);
    }
  }
}

}  // namespace

void LayerLab::make_stale_and_round(StageId id, WideStage& heads) const {
  const LayerFaults& faults = what_.faults;
  if (id != StageId::query) make_stale(heads, faults.last_key);
  if (id != StageId::query || !faults.query_grid) return;
  for (double& each : heads.values) each = rounded_to(*faults.query_grid, each);
}

WideStage LayerLab::split(const WideStage& projected, std::int64_t heads) const {
  const std::int64_t batch = projected.shape[0], len = projected.shape[1], features = projected.shape[2] / heads;
  WideStage result{{batch, heads, len, features}, projected.values};
  if (what_.faults.split == LayerFaults::Layout::viewed) return result;
  const bool features_first = what_.faults.split == LayerFaults::Layout::features_first;
  const std::int64_t head_step = features_first ? 1 : features, feature_step = features_first ? heads : 1;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t i = 0; i < len; ++i) {
        const double* from = projected.values.data() + (b * len + i) * heads * features + h * head_step;
        double* to = result.values.data() + ((b * heads + h) * len + i) * features;
        for (std::int64_t d = 0; d < features; ++d) to[d] = from[d * feature_step];
      }
    }
  }
  return result;
}

void LayerLab::turn_rows(WideStage& heads, const RotaryRule& rule, std::int64_t shift) const {
  const std::int64_t features = heads.shape[3], len = heads.shape[2], pairs = rule.features / 2;
  const bool halves = rule.pairs == RotaryRule::Pairs::halves;
  const std::int64_t restart = what_.faults.restart;
  for (std::int64_t i = 0; i < len; ++i) {
    const std::int64_t place = restart > 0 && i >= restart ? i - restart : i;
    for (std::int64_t p = 0; p < pairs; ++p) {
      // The angle is a float32 by definition.
      const auto position = static_cast<float>(place + shift);
      const double angle = position * static_cast<float>(rule.inverse_frequencies[static_cast<std::size_t>(p)]);
      const double cosine = rule.factor * std::cos(angle), sine = rule.factor * std::sin(angle);
      const std::int64_t first = rule.begin + (halves ? p : 2 * p);
      const std::int64_t second = rule.begin + (halves ? p + pairs : 2 * p + 1);
      for (std::int64_t row = 0; row < heads.shape[0] * heads.shape[1]; ++row) {
        double* x = heads.values.data() + (row * len + i) * features;
        const double a = x[first], b = x[second];
        x[first] = a * cosine - b * sine;
        x[second] = b * cosine + a * sine;
      }
    }
  }
}

void LayerLab::turn(WideStage& heads, const HeadRule& rule, const Tensor& norm, bool turns, std::int64_t shift) const {
  if (rule.clip > 0) {
    for (double& each : heads.values) each = stored(rule.held(each));
  }
  const auto normed = [&] {
    if (!norm.empty()) norm_heads(heads, rule, stored(norm).values);
    if (!what_.faults.extra_norm) return;
    HeadRule extra;
    extra.norm_eps = kExtraEps;
    norm_heads(heads, extra, {});
  };
  if (!what_.faults.norm_after_turn) normed();
  if (turns && rule.rotary != nullptr) turn_rows(heads, rule.rotary->rule(), shift);
  if (what_.faults.norm_after_turn) normed();
  for (double& each : heads.values) each = stored(each);
}

void LayerLab::add_past_and_bias(WideStages& stages) const {
  const Inputs& inputs = what_.inputs;
  if (const Past* past = past_of(inputs)) {
    for (const auto& [id, tensor] : {std::pair{StageId::key, past->key}, {StageId::value, past->value}}) {
      const WideStage first = stored(tensor);
      WideStage& own = stages[id];
      own = what_.faults.past_last ? joined_positions(own, first) : joined_positions(first, own);
    }
  }
  const LayerWeights& weights = inputs.weights;
  if (!weights.bias_k.empty()) {
    for (const auto& [id, bias] : {std::pair{StageId::key, weights.bias_k}, {StageId::value, weights.bias_v}}) {
      WideStage& own = stages[id];
      WideStage one{{own.shape[0], own.shape[1], 1, own.shape[3]}, {}};
      const std::vector<double> values = stored(bias).values;
      for (std::int64_t b = 0; b < own.shape[0]; ++b) {
        one.values.insert(one.values.end(), values.begin(), values.end());
      }
      own = joined_positions(own, one);
    }
  }
  roll(stages[StageId::key], what_.faults.roll_keys);
  roll(stages[StageId::value], what_.faults.roll_values);
}

void LayerLab::project(WideStages& stages) const {
  const Inputs& inputs = what_.inputs;
  const LayerFaults& faults = what_.faults;
  const auto keep = [&](StageId id, WideStage made) { stages[id] = kept(id, std::move(made), {}); };
  keep(StageId::input, stored(inputs.x));
  const WideStage& x = stages[StageId::input];
  const bool cross = !inputs.key_x.empty();
  const WideStage key_x = cross ? stored(inputs.key_x) : WideStage();
  const WideStage value_x = cross && !inputs.value_x.empty() ? stored(inputs.value_x) : key_x;
  const QkvLayout layout = read_layout_of(what_.request, inputs.weights);
  keep(StageId::query_proj, projected(x, part_of(inputs, layout, Part::query)));
  keep(StageId::key_proj, projected(cross ? key_x : x, part_of(inputs, layout, Part::key)));
  keep(StageId::value_proj, projected(cross ? value_x : x, part_of(inputs, layout, Part::value)));
  stages[StageId::query] = split(stages[StageId::query_proj], inputs.num_heads);
  stages[StageId::key] = split(stages[StageId::key_proj], inputs.num_kv_heads);
  stages[StageId::value] = split(stages[StageId::value_proj], inputs.num_kv_heads);
  if (const HeadRule* rule = inputs.head_rule.get()) {
    turn(stages[StageId::query], *rule, rule->query_norm, faults.turns_queries, faults.query_shift);
    turn(stages[StageId::key], *rule, rule->key_norm, faults.turns_keys, 0);
    if (rule->changes_values() || faults.turns_values) {
      HeadRule values = rule->of_values();
      values.rotary = rule->rotary;
      WideStage& made = stages[StageId::value];
      if (rule->clip > 0) {
        for (double& each : made.values) each = rule->held(each);
      }
      if (faults.turns_values && rule->rotary != nullptr) turn_rows(made, rule->rotary->rule(), 0);
      for (double& each : made.values) each = stored(each);
    }
  } else if (faults.extra_norm) {
    turn(stages[StageId::query], HeadRule(), Tensor(), false, 0);
    turn(stages[StageId::key], HeadRule(), Tensor(), false, 0);
  }
  add_past_and_bias(stages);
  for (const StageId id : {StageId::query, StageId::key, StageId::value}) {
    make_stale_and_round(id, stages[id]);
    keep(id, std::move(stages[id]));
  }
}

// The wide array of the right layer that was made of this tensor, where nothing given takes its place.
std::shared_ptr<const WideStage> LayerLab::right_array(StageId id, const Tensor& tensor) const {
  if (right_ == nullptr || scattered_ != 0 || given_.contains(id)) return nullptr;
  const Inputs& inputs = *right_inputs_;
  for (const auto& [source, own] :
       {std::pair{StageId::query, &inputs.query}, {StageId::key, &inputs.key}, {StageId::value, &inputs.value}}) {
    if (same_storage(tensor, *own) && !given_.contains(source)) return right_->at(source);
  }
  return nullptr;
}

void LayerLab::take_arrays(LabHeads& heads) const {
  const Inputs& inputs = what_.inputs;
  const LayerFaults& faults = what_.faults;
  const auto take = [&](StageId id, const Tensor& tensor) {
    const bool is_query = id == StageId::query, is_value = id == StageId::value;
    const bool norm = faults.extra_norm && !is_value;
    // Keys and values were joined with those of the past when they were read.
    const std::int64_t back = faults.past_last && !is_query ? past_len(inputs) : 0;
    const std::int64_t rolled = is_query ? 0 : is_value ? faults.roll_values : faults.roll_keys;
    const bool stale = !is_query && faults.last_key != LayerFaults::Last::right;
    const bool changes = norm || back != 0 || rolled != 0 || stale || (is_query && faults.query_grid);
    if (auto shared = changes ? nullptr : right_array(id, tensor)) {
      heads[id] = std::move(shared);
      return;
    }
    WideStage made = stored(tensor);
    if (norm) turn(made, HeadRule(), Tensor(), false, 0);
    roll(made, rolled);
    roll(made, -back);
    made = kept(id, std::move(made), {});
    make_stale_and_round(id, made);
    heads[id] = std::make_shared<const WideStage>(std::move(made));
  };
  take(StageId::query, inputs.query);
  take(StageId::key, inputs.key);
  take(StageId::value, inputs.value);
}

}  // namespace headscope
