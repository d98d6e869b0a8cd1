// The steps of norms and rotary positions of one cell.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/explain/explainer.h"
#include "core/model/head_rule.h"
#include "core/model/row_norm.h"

namespace headscope {

namespace {

// "min(max(7.5, -6), 6)"
std::string held_text(const HeadRule& rule, double value) {
  return fmt::format("min(max({}, {}), {})", operand_text(value), step_text(-rule.clip), step_text(rule.clip));
}

// The angle of a feature's pair at a position, and by what the two features are multiplied; the feature is turned.
ExplainTurn turn_of(const HeadRule& rule, std::int64_t feature, std::int64_t position) {
  const RotaryRule& turns = rule.rotary->rule();
  const FeatureTurn factors = feature_turn(rule, feature, position);
  const std::int64_t turned = feature - turns.begin;
  ExplainTurn turn;
  turn.own.factor = factors.cosine;
  turn.other.factor = factors.sine;
  turn.first = feature < factors.other;
  turn.position = position;
  turn.pair = turns.pairs == RotaryRule::Pairs::halves ? turned % (turns.features / 2) : turned / 2;
  turn.frequency = turns.inverse_frequencies[static_cast<std::size_t>(turn.pair)];
  // As RotaryTable takes it.
  turn.angle = static_cast<double>(static_cast<float>(position) * static_cast<float>(turn.frequency));
  turn.stretch = turns.factor;
  return turn;
}

}  // namespace

// The norm of add_turned: of the features `own` and `other` (-1: none) what it makes of them.
Explainer::Pair Explainer::add_head_norm(const HeadRule& rule, const std::vector<double>& x, std::int64_t own,
                                         std::int64_t other) {
  const CellSource& norm = origin_.sources[1];
  const auto count = static_cast<double>(x.size());
  double mean = 0, squares = 0;
  if (rule.norm_centred) {
    for (const double each : x) mean += each / count;
    step("mean", fmt::format("over {} features", x.size()), mean);
  }
  for (const double each : x) squares += (each - mean) * (each - mean) / count;
  const double factor = 1 / std::sqrt(squares + rule.norm_eps);
  const std::int64_t first = norm.region[0].begin;
  const auto weight_at = [&](std::int64_t d) {
    const double stored = static_cast<double>(norm.tensor.at({first + d}));
    add_operand(norm, {first + d}, stored);
    return rule.norm_plus_one ? 1 + stored : stored;
  };
  const double weight = weight_at(own), other_weight = other < 0 ? 1 : weight_at(other);
  const double centred = x[static_cast<std::size_t>(own)] - mean;
  step(rule.norm_centred ? "variance" : "mean of squares", fmt::format("over {} features", x.size()), squares);
  const std::string value = operand_text(x[static_cast<std::size_t>(own)]);
  const std::string from =
      rule.norm_centred ? fmt::format("({} - {})", value, in_brackets(mean, step_text(mean))) : value;
  step("÷ root × weight",
       fmt::format("{} / √({} + {}) · {}", from, step_text(squares), step_text(rule.norm_eps), step_text(weight)),
       centred * factor * weight);
  const double of_other = other < 0 ? 0 : (x[static_cast<std::size_t>(other)] - mean) * factor * other_weight;
  return {centred * factor * weight, of_other};
}

void Explainer::add_turned() {
  const HeadRule& whole = *trace_.inputs->head_rule;
  const HeadRule rule = to_.stage == StageId::value ? whole.of_values() : whole;
  const std::vector<Index> cells = cells_of(origin_.sources[0].region);
  const std::vector<double> given = values_of(origin_.sources[0]);
  std::vector<double> x;
  for (const double each : given) x.push_back(rule.held(each));
  const std::int64_t own = origin_.at, feature = to_.index[3];
  const std::int64_t pair_feature = rule.rotary == nullptr ? -1 : partner(rule.rotary->rule(), feature);
  const std::int64_t other = pair_feature < 0 ? -1 : own - feature + pair_feature;
  const bool norm = origin_.sources.size() > 1;
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(x.size()); ++d) {
    const auto at = static_cast<std::size_t>(d);
    if (norm) add_operand(origin_.sources[0], cells[at], given[at]);
  }
  for (const std::int64_t d : {own, other}) {
    const auto at = static_cast<std::size_t>(d);
    if (!norm && d >= 0) add_operand(origin_.sources[0], cells[at], given[at]);
  }
  if (rule.clip > 0) {
    step("within bounds", held_text(rule, given[static_cast<std::size_t>(own)]), x[static_cast<std::size_t>(own)]);
  }
  Pair pair{x[static_cast<std::size_t>(own)], other < 0 ? 0 : x[static_cast<std::size_t>(other)]};
  if (norm) pair = add_head_norm(rule, x, own, other);
  if (other < 0) {
    if (to_.steps.empty()) step("copy", "no rotary feature", pair.own);
    return;
  }
  ExplainTurn turn = turn_of(rule, feature, to_.index[2]);
  const auto of = [&](std::int64_t d, double value, double factor) {
    const auto at = static_cast<std::size_t>(d);
    const CellSource& source = origin_.sources[0];
    return ExplainTurn::Feature{{source.name, cells[at], given[at], source.role}, value, factor};
  };
  turn.own = of(own, pair.own, turn.own.factor);
  turn.other = of(other, pair.other, turn.other.factor);
  turn.normed = norm;
  step("RoPE",
       fmt::format("{} · {} + {} · {}, cos θ and {}, position {}, pair {}, θ = {:.6g} rad",
                   in_brackets(pair.own, step_text(pair.own)),
                   in_brackets(turn.own.factor, operand_text(turn.own.factor)),
                   in_brackets(pair.other, step_text(pair.other)),
                   in_brackets(turn.other.factor, operand_text(turn.other.factor)), sine_words(turn), turn.position,
                   turn.pair, turn.angle),
       turn.own.product() + turn.other.product());
  to_.magnitude = std::abs(turn.own.product()) + std::abs(turn.other.product());
  to_.turn = std::move(turn);
}

std::int64_t Explainer::partner(const RotaryRule& turns, std::int64_t d) {
  const std::int64_t turned = d - turns.begin;
  if (turned < 0 || turned >= turns.features) return -1;
  if (turns.pairs == RotaryRule::Pairs::neighbours) return turns.begin + (turned ^ 1);
  const std::int64_t pairs = turns.features / 2;
  return turned < pairs ? d + pairs : d - pairs;
}

void Explainer::add_normed() {
  const RowNorm& norm = *trace_.inputs->output_norm;
  const std::vector<Index> cells = cells_of(origin_.sources[0].region);
  const std::vector<double> x = values_of(origin_.sources[0]);
  const auto count = static_cast<double>(x.size());
  if (norm.scales) {
    const auto at = static_cast<std::size_t>(origin_.at);
    const double scale = static_cast<double>(norm.weights.weight.at({origin_.at}));
    add_operand(origin_.sources[0], cells[at], x[at]);
    add_operand(origin_.sources[1], {origin_.at}, scale);
    to_.magnitude = std::abs(x[at] * scale);
    return step("× scale", operand_text(x[at]) + " · " + in_brackets(scale, operand_text(scale)), x[at] * scale);
  }
  double mean = 0, squares = 0;
  for (std::size_t d = 0; d < x.size(); ++d) {
    add_operand(origin_.sources[0], cells[d], x[d]);
    mean += x[d] / count;
  }
  const double own = x[static_cast<std::size_t>(origin_.at)];
  const bool centred = norm.kind == Architecture::Norm::layer;
  if (centred) {
    step("mean", fmt::format("over {} features", x.size()), mean);
  } else {
    mean = 0;
  }
  for (const double each : x) squares += (each - mean) * (each - mean) / count;
  step(centred ? "variance" : "mean of squares", fmt::format("over {} features", x.size()), squares);
  const double stored = static_cast<double>(norm.weights.weight.at({origin_.at}));
  add_operand(origin_.sources[1], {origin_.at}, stored);
  const double weight = norm.plus_one ? 1 + stored : stored;
  const std::string from =
      centred ? fmt::format("({} - {})", operand_text(own), in_brackets(mean, step_text(mean))) : operand_text(own);
  const double scaled = (own - mean) / std::sqrt(squares + norm.eps) * weight;
  step("÷ root × weight",
       fmt::format("{} / √({} + {}) · {}", from, step_text(squares), step_text(norm.eps),
                   in_brackets(weight, step_text(weight))),
       scaled);
  to_.magnitude = (std::abs(own) + std::abs(mean)) / std::sqrt(squares + norm.eps) * std::abs(weight);
  if (norm.weights.bias.empty()) return;
  const auto bias = static_cast<double>(norm.weights.bias.at({origin_.at}));
  add_operand(origin_.sources[2], {origin_.at}, bias);
  to_.magnitude += std::abs(bias);
  step("+ bias", step_text(scaled) + " + " + in_brackets(bias, operand_text(bias)), scaled + bias);
}

}  // namespace headscope
