// This table lists mistakes in rotary positions and in norms of heads.
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "core/diagnose/mistake_rows.h"
#include "core/model/head_rule.h"
#include "core/model/past.h"

namespace headscope {
namespace {

using S = StageId;

// Changes a copy of the rule of heads; false where the layer has none.
template <typename Change>
bool change_rule(Altered& what, Change&& change) {
  if (what.inputs.head_rule == nullptr) return false;
  auto rule = std::make_shared<HeadRule>(*what.inputs.head_rule);
  if (!change(*rule)) return false;
  what.inputs.head_rule = std::move(rule);
  return true;
}

template <typename Change>
bool change_rotary(Altered& what, Change&& change) {
  return change_rule(what, [&](HeadRule& rule) {
    if (rule.rotary == nullptr) return false;
    RotaryRule rotary = rule.rotary->rule();
    if (!change(rotary)) return false;
    rule.rotary = std::make_shared<const RotaryTable>(std::move(rotary));
    return true;
  });
}

bool has_rotary(const Altered& what) {
  return what.inputs.head_rule != nullptr && what.inputs.head_rule->rotary != nullptr;
}

bool leave_rotary_out(Altered& what, int) {
  return change_rule(what, [](HeadRule& rule) { return std::exchange(rule.rotary, nullptr) != nullptr; });
}

bool turn_queries_only(Altered& what, int) {
  what.faults.turns_keys = false;
  return has_rotary(what);
}
bool turn_keys_only(Altered& what, int) {
  what.faults.turns_queries = false;
  return has_rotary(what);
}
bool turn_values_too(Altered& what, int) {
  what.faults.turns_values = true;
  return has_rotary(what) && what.inputs.value_head_dim == what.inputs.head_dim;
}

// Rows in the other order that are turned in the other order are no mistake.
template <RotaryRule::Pairs pairs>
bool pair_as(Altered& what, int) {
  what.faults.pairs_exchanged = true;
  return !what.faults.rows_permuted &&
         change_rotary(what, [](RotaryRule& rule) { return std::exchange(rule.pairs, pairs) != pairs; });
}

bool turn_other_way(Altered& what, int) {
  return change_rotary(what, [](RotaryRule& rule) {
    for (double& frequency : rule.inverse_frequencies) frequency = -frequency;
    return true;
  });
}

bool turn_further(Altered& what, int variation) {  // by one place, or by as many as stand before or beside the query
  what.faults.query_shift =
      std::vector<std::int64_t>{1, -1, what.inputs.query_len, what.request.past}[static_cast<std::size_t>(variation)];
  return has_rotary(what) && what.faults.query_shift != 0;
}

std::vector<double> frequencies(double theta, std::int64_t features) {
  std::vector<double> result;
  for (std::int64_t p = 0; p < features / 2; ++p) {
    const double power = static_cast<double>(2 * p) / static_cast<double>(features);
    result.push_back(static_cast<double>(static_cast<float>(std::pow(theta, -power))));
  }
  return result;
}

// Turns the places [first, ...) of given heads [batch, heads, len, features] back by `by` positions.
Tensor turned_back(const Tensor& heads, std::int64_t first, std::int64_t by, double theta, bool halves) {
  const std::int64_t features = heads.dim(3), pairs = features / 2, len = heads.dim(2);
  std::vector<float> values = heads.values();
  const std::vector<double> speeds = frequencies(theta, features);
  for (std::int64_t p = 0; p < pairs; ++p) {
    const double angle = -static_cast<double>(by) * speeds[static_cast<std::size_t>(p)];
    const double cosine = std::cos(angle), sine = std::sin(angle);
    const std::int64_t one = halves ? p : 2 * p, other = halves ? p + pairs : 2 * p + 1;
    for (std::int64_t row = 0; row < heads.size() / features; ++row) {
      if (row % len < first) continue;
      float* x = values.data() + row * features;
      const auto a = static_cast<double>(x[one]), b = static_cast<double>(x[other]);
      x[one] = static_cast<float>(a * cosine - b * sine);
      x[other] = static_cast<float>(b * cosine + a * sine);
    }
  }
  return Tensor::of(heads.shape(), heads.axes(), std::move(values));
}

// Positions of the new tokens count from 0. Given heads are turned already: by which angles, variations try. Where
// the layer turns them itself, nobody says where the text went on, and variations try that.
constexpr double kPastThetas[] = {1e4, 5e5, 1e6};
constexpr int kPastVariations = 12;
bool forget_past(Altered& what, int variation) {
  Inputs& inputs = what.inputs;
  if (!inputs.query.empty()) {
    const std::int64_t past = what.request.past != 0 ? what.request.past : past_len(inputs);
    if (past <= 0 || inputs.head_dim % 2 != 0 || inputs.key.dim(2) <= past) return false;
    const bool halves = variation % 2 == 0, keys_too = variation / 2 % 2 == 0;
    const double theta = kPastThetas[variation / 4];
    inputs.query = turned_back(inputs.query, 0, past, theta, halves);
    if (keys_too) inputs.key = turned_back(inputs.key, past, past, theta, halves);
    return true;
  }
  if (!has_rotary(what) || inputs.query_len != inputs.key_len) return false;
  const std::int64_t len = inputs.query_len;
  if (what.request.past > 0) {
    what.faults.restart = what.request.past;
    return variation == 0 && what.faults.restart < len;
  }
  constexpr std::int64_t kLast = 8;  // that many places from the end, then parts of the whole
  what.faults.restart = variation < kLast ? len - 1 - variation : len * (variation - kLast + 1) / 4;
  if (variation == kPastVariations - 1) {
    what.faults.restart = 1;
    while (what.faults.restart * 2 < len) what.faults.restart *= 2;
  }
  return what.faults.restart > 0 && what.faults.restart < len;
}

bool equal_frequencies(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t p = 0; p < a.size(); ++p) {
    if (!(std::abs(a[p] - b[p]) <= 1e-5 * std::abs(a[p]))) return false;
  }
  return true;
}

constexpr double kThetas[] = {1e4, 5e5, 1e6, 1e5, 1e7, 1e3, 5e6, 100};
bool other_theta(Altered& what, int variation) {
  return change_rotary(what, [=](RotaryRule& rule) {
    std::vector<double> other = frequencies(kThetas[variation], rule.features);
    if (equal_frequencies(rule.inverse_frequencies, other)) return false;
    rule.inverse_frequencies = std::move(other);
    return true;
  });
}

// The base whose powers the frequencies are before contexts are stretched: the fastest two keep their ratio in linear,
// Llama 3 and YaRN scaling alike.
double base_of(const RotaryRule& rule) {
  if (rule.inverse_frequencies.size() < 2) return 1e4;
  const double ratio = rule.inverse_frequencies[1] / rule.inverse_frequencies[0];
  return std::pow(ratio, -static_cast<double>(rule.features) / 2);
}

bool leave_scaling_out(Altered& what, int) {
  return change_rotary(what, [](RotaryRule& rule) {
    std::vector<double> plain = frequencies(base_of(rule), rule.features);
    const bool same = equal_frequencies(rule.inverse_frequencies, plain) && std::abs(rule.factor - 1) < 1e-6;
    rule.inverse_frequencies = std::move(plain);
    rule.factor = 1;
    return !same;
  });
}

// The whole head, or half of it where the whole is right; or the right part with the angles of the whole head.
bool other_width(Altered& what, int variation) {
  const std::int64_t head_dim = what.inputs.head_dim;
  return change_rotary(what, [=](RotaryRule& rule) {
    const double base = base_of(rule);
    const bool is_whole = rule.features == head_dim;
    if (variation == 1) {
      if (is_whole) return false;
      std::vector<double> slower = frequencies(base, head_dim);
      slower.resize(static_cast<std::size_t>(rule.features / 2));
      rule.inverse_frequencies = std::move(slower);
      return true;
    }
    rule.features = is_whole ? head_dim / 2 / 2 * 2 : head_dim;
    rule.begin = 0;
    if (rule.features < 2 || rule.features % 2 != 0) return false;
    rule.inverse_frequencies = frequencies(base, rule.features);
    return true;
  });
}

bool has_norm(const HeadRule& rule) {
  return !rule.query_norm.empty() || !rule.key_norm.empty();
}

bool leave_norm_out(Altered& what, int) {
  return change_rule(what, [](HeadRule& rule) {
    const bool had = has_norm(rule);
    rule.query_norm = rule.key_norm = Tensor();
    return had;
  });
}

// All heads of a position as one row in place of each by itself, or the other way round.
bool other_norm_width(Altered& what, int) {
  const auto repeated = [](const Tensor& weight, std::int64_t heads) {
    if (weight.empty()) return weight;
    const std::vector<float> once = weight.values();
    std::vector<float> values;
    for (std::int64_t h = 0; h < heads; ++h) values.insert(values.end(), once.begin(), once.end());
    const auto count = static_cast<std::int64_t>(values.size());
    return Tensor::of({count}, {Axis::feature}, std::move(values));
  };
  return change_rule(what, [&](HeadRule& rule) {
    if (!rule.norm_whole && !rule.norm_own) {
      rule.query_norm = repeated(rule.query_norm, what.inputs.num_heads);
      rule.key_norm = repeated(rule.key_norm, what.inputs.num_kv_heads);
    }
    rule.norm_own = rule.norm_whole;
    rule.norm_whole = !rule.norm_whole;
    return has_norm(rule) && what.inputs.num_heads > 1;
  });
}

bool add_norm(Altered& what, int) {
  what.faults.extra_norm = true;
  return what.inputs.head_rule == nullptr || !has_norm(*what.inputs.head_rule);
}

bool norm_after_rotary(Altered& what, int) {
  what.faults.norm_after_turn = true;
  return has_rotary(what) && has_norm(*what.inputs.head_rule);
}

constexpr double kEps[] = {1e-5, 1e-6, 1e-12, 1e-3, 1e-8};
bool other_eps(Altered& what, int variation) {
  return change_rule(what, [=](HeadRule& rule) {
    const double eps = kEps[variation];
    return has_norm(rule) && std::abs(std::exchange(rule.norm_eps, eps) - eps) > 1e-3 * eps;
  });
}

bool toggle_plus_one(Altered& what, int) {
  return change_rule(what, [](HeadRule& rule) {
    rule.norm_plus_one = !rule.norm_plus_one;
    return has_norm(rule);
  });
}

constexpr MistakeRow kRows[] = {
    {"rotary-missing", S::query, "queries and keys are not turned by their positions", "scores = q @ k.T",
     "scores = rope(q) @ rope(k).T", leave_rotary_out},
    {"rotary-query-only", S::key, "queries alone are turned by their positions", "rope(q) @ k.T", "rope(q) @ rope(k).T",
     turn_queries_only},
    {"rotary-key-only", S::query, "keys alone are turned by their positions", "q @ rope(k).T", "rope(q) @ rope(k).T",
     turn_keys_only},
    {"rotary-on-value", S::value, "values are turned by their positions, too", "v = rope(v)", "v", turn_values_too},
    {"rotary-interleaved", S::query, "neighbours are turned together and not features of the two halves",
     "x[..., 0::2], x[..., 1::2]", "x[..., :D // 2], x[..., D // 2:]", pair_as<RotaryRule::Pairs::neighbours>},
    {"rotary-halves", S::query, "features of the two halves are turned together and not neighbours",
     "x[..., :D // 2], x[..., D // 2:]", "x[..., 0::2], x[..., 1::2]", pair_as<RotaryRule::Pairs::halves>},
    {"rotary-sign", S::query, "positions turn the other way", "a * cos + b * sin", "a * cos - b * sin", turn_other_way},
    {"rotary-offset", S::query, "queries are turned one place further than keys, or more", "rope(q, position + n)",
     "rope(q, position)", turn_further, 4},
    {"rotary-past-ignored", S::query, "positions of new tokens count from 0, as if nothing stood before them",
     "rope(q, torch.arange(q.shape[-2]))", "rope(q, torch.arange(past, past + q.shape[-2]))", forget_past,
     kPastVariations},
    {"rotary-theta", S::query, "the angles have another base", "theta = 10000.0", "theta = config.rope_theta",
     other_theta, static_cast<int>(std::size(kThetas))},
    {"rotary-scaling-missing", S::query, "the angles are not scaled for long contexts", "inv_freq",
     "rope_scaling(inv_freq)", leave_scaling_out},
    {"rotary-width", S::query, "another part of each head is turned", "rotary_dim = head_dim",
     "rotary_dim = int(head_dim * partial_rotary_factor)", other_width, 2},
    {"head-norm-missing", S::query, "queries and keys are not normalised", "q, k", "q_norm(q), k_norm(k)",
     leave_norm_out},
    {"head-norm-added", S::query, "queries and keys are divided by their root mean square",
     "F.rms_norm(q), F.rms_norm(k)", "q, k", add_norm},
    {"head-norm-width", S::query,
     "queries and keys are normalised over another width: all heads together, or each alone",
     "norm(x.view(B, S, H * D))", "norm(x.view(B, S, H, D))", other_norm_width},
    {"head-norm-after-rotary", S::query, "queries and keys are normalised after they are turned", "q_norm(rope(q))",
     "rope(q_norm(q))", norm_after_rotary},
    {"head-norm-eps", S::query, "the norm of heads has another eps", "eps=1e-5", "eps=config.rms_norm_eps", other_eps,
     static_cast<int>(std::size(kEps))},
    {"norm-plus-one", S::query, "the weights of the norm are taken with 1 added, or without", "x * weight",
     "x * (1 + weight)", toggle_plus_one},
};

}  // namespace

std::span<const MistakeRow> rotary_mistakes() {
  return kRows;
}

}  // namespace headscope
