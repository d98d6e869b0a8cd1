#include "core/explain/explainer.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/base/assert.h"
#include "core/explain/explain_formula.h"
#include "core/request/intervention_kinds.h"

namespace headscope {

std::string step_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.9g}", value) : operand_text(value);
}

std::string in_brackets(double value, const std::string& text) {
  return value < 0 ? "(" + text + ")" : text;
}

std::vector<Index> cells_of(const Region& region) {
  std::vector<Index> cells;
  Index at;
  for (const Range& range : region) at.push_back(range.begin);
  const std::int64_t count = element_count(region);
  cells.reserve(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k) {
    cells.push_back(at);
    for (int axis = at.count - 1; axis >= 0; --axis) {
      if (++at[axis] < region[axis].end) break;
      at[axis] = region[axis].begin;
    }
  }
  return cells;
}

std::vector<double> values_of(const CellSource& source) {
  std::vector<float> values(static_cast<std::size_t>(element_count(source.region)));
  source.tensor.read(source.region, values);
  return {values.begin(), values.end()};
}

void Explainer::add_steps() {
  add_own_steps();
  if (origin_.factor != 1.0) {
    const double before = last();
    step(fmt::format("× {}", factor_kind(to_.stage)->option.name),
         step_text(before) + " · " + in_brackets(origin_.factor, step_text(origin_.factor)), before * origin_.factor);
    to_.magnitude *= std::abs(origin_.factor);
  }
  if (!origin_.edited) return;
  const auto value = static_cast<double>(*origin_.edited);
  step("edited", fmt::format("was {}, is {} by --edit", operand_text(last()), operand_text(value)), value);
}

void Explainer::add_own_steps() {
  switch (origin_.step) {
    case CellStep::given:
      return step("given", trace_.find(to_.stage)->operation, given_value());
    case CellStep::copied: {
      const Operand& from = add_operand(origin_.sources[0]);
      return step("copy", cell_name(from.stage, from.index), from.value);
    }
    case CellStep::products:
      return add_products();
    case CellStep::scaled: {
      const double score = add_operand(origin_.sources[0]).value;
      return step("× scale", operand_text(score) + " · " + step_text(trace_.scale), score * trace_.scale);
    }
    case CellStep::capped: {
      const double score = add_operand(origin_.sources[0]).value;
      const double cap = trace_.request.softcap.value_or(1.0);
      return step("softcap", fmt::format("{0} · tanh({1} / {0})", step_text(cap), operand_text(score)),
                  cap * std::tanh(score / cap));
    }
    case CellStep::masked:
      return add_mask();
    case CellStep::softmax:
      return add_softmax();
    case CellStep::dropped:
      return add_dropout();
    case CellStep::ablated:
      return step("head off", fmt::format("head {} of layer {} is switched off", to_.index[1], trace_.inputs->layer),
                  0.0);
    case CellStep::frozen:
      return add_frozen();
    case CellStep::rotated:
      return add_turned();
  }
  HEADSCOPE_ASSERT(false, std::string(stage_name(to_.stage)));
}

void Explainer::step(std::string name, std::string expression, double value) {
  to_.steps.push_back({std::move(name), std::move(expression), value});
}

double Explainer::given_value() const {
  const Inputs& inputs = *trace_.inputs;
  const auto from = [this](const Tensor& tensor) {
    return static_cast<double>(tensor.empty() ? trace_.tensor(to_.stage).at(to_.index) : tensor.at(to_.index));
  };
  switch (to_.stage) {
    case StageId::input:
      return from(inputs.x);
    case StageId::key_input:
      return from(inputs.key_x);
    case StageId::value_input:
      return from(inputs.value_x.empty() ? inputs.key_x : inputs.value_x);
    case StageId::query:
      return from(inputs.query);
    case StageId::key:
      return from(inputs.key);
    case StageId::value:
      return from(inputs.value);
    default:
      return from({});
  }
}

void Explainer::add_operand(const CellSource& source, const Index& index, double value) {
  to_.operands.push_back({source.name, index, value, source.role});
}

const Operand& Explainer::add_operand(const CellSource& source) {
  add_operand(source, cells_of(source.region).front(), values_of(source).front());
  return to_.operands.back();
}

void Explainer::add_products() {
  const CellSource& left = origin_.sources[0];
  const CellSource& right = origin_.sources[1];
  const std::vector<Index> left_cells = cells_of(left.region), right_cells = cells_of(right.region);
  const std::vector<double> left_values = values_of(left), right_values = values_of(right);
  HEADSCOPE_ASSERT(left_cells.size() == right_cells.size(), left.name + " and " + right.name);
  double sum = 0;
  to_.magnitude = 0;
  for (std::size_t k = 0; k < left_values.size(); ++k) {
    if (!origin_.not_read.empty() && origin_.not_read[k] != 0) continue;
    add_operand(left, left_cells[k], left_values[k]);
    add_operand(right, right_cells[k], right_values[k]);
    to_.terms.push_back({static_cast<std::int64_t>(k), left_values[k], right_values[k]});
    sum += to_.terms.back().product();
    to_.magnitude += std::abs(to_.terms.back().product());
  }
  step("sum", sum_text(left_values.size()), sum);
  if (origin_.sources.size() < 3) return;
  const double bias = add_operand(origin_.sources[2]).value;
  to_.magnitude += std::abs(bias);
  step("+ bias", step_text(sum) + " + " + in_brackets(bias, operand_text(bias)), sum + bias);
}

std::string Explainer::sum_text(std::size_t all) const {
  constexpr std::size_t kShown = 3;
  const LargestTerms largest = largest_terms(to_, kShown);
  std::string text;
  for (const ExplainTerm& term : largest.terms) {
    text += (text.empty() ? "" : " + ") + in_brackets(term.left, operand_text(term.left)) + " · " +
            in_brackets(term.right, operand_text(term.right));
  }
  if (largest.others > 0) text += fmt::format(" + {} more", largest.others);
  if (text.empty()) text = "nothing";
  if (all > to_.terms.size()) text += fmt::format("; {} hidden, not read", all - to_.terms.size());
  return text;
}

void Explainer::add_turned() {
  const HeadRule& rule = *trace_.inputs->head_rule;
  const std::vector<Index> cells = cells_of(origin_.sources[0].region);
  const std::vector<double> x = values_of(origin_.sources[0]);
  const std::int64_t own = origin_.at;
  const std::int64_t other = rule.rotary == nullptr ? -1 : partner(rule.rotary->rule(), own);
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
  const std::int64_t pair = turns.pairs == RotaryRule::Pairs::halves ? own % pairs : own / 2;
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
  if (d >= turns.features) return -1;
  if (turns.pairs == RotaryRule::Pairs::neighbours) return d ^ 1;
  const std::int64_t pairs = turns.features / 2;
  return d < pairs ? d + pairs : d - pairs;
}

Explanation explain(const Trace& trace, StageId stage, const Index& index) {
  const CellOrigin origin = origin_of(trace, stage, index);
  Explanation result;
  result.stage = stage;
  result.index = index;
  result.value = static_cast<double>(trace.tensor(stage).at(index));
  result.magnitude = std::abs(result.value);
  result.formula = formula_text(trace, stage, origin);
  Explainer(trace, origin, result).add_steps();
  return result;
}

}  // namespace headscope
