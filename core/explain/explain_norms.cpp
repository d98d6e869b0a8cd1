// The steps of norms and rotary positions of one cell.
#include <fmt/format.h>

#include <cmath>

#include "core/explain/explainer.h"
#include "core/model/row_norm.h"

namespace headscope {

void Explainer::add_turned() {
  const HeadRule& rule = *trace_.inputs->head_rule;
  const std::vector<Index> cells = cells_of(origin_.sources[0].region);
  const std::vector<double> x = values_of(origin_.sources[0]);
  const std::int64_t own = origin_.at, feature = to_.index[3];
  const std::int64_t pair_feature = rule.rotary == nullptr ? -1 : partner(rule.rotary->rule(), feature);
  const std::int64_t other = pair_feature < 0 ? -1 : own - feature + pair_feature;
  const auto value = [&](std::int64_t d) { return x[static_cast<std::size_t>(d)]; };
  double factor = 1, own_weight = 1, other_weight = 1;
  if (origin_.sources.size() > 1) {
    const CellSource& norm = origin_.sources[1];
    double squares = 0;
    for (std::size_t d = 0; d < x.size(); ++d) {
      add_operand(origin_.sources[0], cells[d], x[d]);
      squares += x[d] * x[d];
    }
    const double mean = squares / static_cast<double>(x.size());
    factor = 1 / std::sqrt(mean + rule.norm_eps);
    const auto weight_at = [&](std::int64_t d) {
      const double stored = static_cast<double>(norm.tensor.at({d}));
      add_operand(norm, {d}, stored);
      return rule.norm_plus_one ? 1 + stored : stored;
    };
    own_weight = weight_at(own);
    if (other >= 0) other_weight = weight_at(other);
    step("mean of squares", fmt::format("over {} features", x.size()), mean);
    step("÷ root × weight",
         fmt::format("{} / √({} + {}) · {}", operand_text(value(own)), step_text(mean), step_text(rule.norm_eps),
                     step_text(own_weight)),
         value(own) * factor * own_weight);
  } else {
    add_operand(origin_.sources[0], cells[static_cast<std::size_t>(own)], value(own));
    if (other >= 0) add_operand(origin_.sources[0], cells[static_cast<std::size_t>(other)], value(other));
  }
  const double a = value(own) * factor * own_weight;
  if (other < 0) {
    if (to_.steps.empty()) step("copy", "no rotary feature", a);
    return;
  }
  const double b = value(other) * factor * other_weight;
  const RotaryRule& turns = rule.rotary->rule();
  const std::int64_t pairs = turns.features / 2;
  const std::int64_t turned = feature - turns.begin;
  const std::int64_t pair = turns.pairs == RotaryRule::Pairs::halves ? turned % pairs : turned / 2;
  const std::int64_t position = to_.index[2];
  const auto rows = rule.rotary->rows(position + 1);
  const auto at = static_cast<std::size_t>(position * pairs + pair);
  const double cosine = static_cast<double>(rows->cosine[at]);
  const double sine = static_cast<double>(rows->sine[at]) * (own < other ? -1.0 : 1.0);
  step("RoPE",
       fmt::format("{} · {} + {} · {}, position {}, pair {}", in_brackets(a, step_text(a)), operand_text(cosine),
                   in_brackets(b, step_text(b)), in_brackets(sine, operand_text(sine)), position, pair),
       a * cosine + b * sine);
  to_.magnitude = std::abs(a * cosine) + std::abs(b * sine);
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
