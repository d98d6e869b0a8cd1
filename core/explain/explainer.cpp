#include "core/explain/explainer.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/base/assert.h"
#include "core/explain/explain_formula.h"
#include "core/request/intervention_kinds.h"
#include "core/request/stage_info.h"

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
  if (!origin_.put) return;
  const auto value = static_cast<double>(origin_.put->value);
  step(origin_.put->step,
       fmt::format("was {}, is {} by {}", operand_text(last()), operand_text(value), origin_.put->by), value);
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
    case CellStep::formula:
      return add_formula();
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
    case CellStep::sink_share:
      return add_sink_share();
    case CellStep::normed:
      return add_normed();
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
  if (origin_.scale != 1.0) {
    to_.magnitude *= std::abs(origin_.scale);
    step("× scale", step_text(sum) + " · " + step_text(origin_.scale), sum * origin_.scale);
  }
  if (origin_.sources.size() < 3) return;
  const double bias = add_operand(origin_.sources[2]).value;
  to_.magnitude += std::abs(bias);
  step("+ bias", step_text(sum) + " + " + in_brackets(bias, operand_text(bias)), sum + bias);
}

void Explainer::add_formula() {
  const StageFormula& formula = *stage_info(to_.stage).formula;
  std::vector<double> cells;
  for (const CellSource& source : origin_.sources) cells.push_back(add_operand(source).value);
  if (origin_.added) {
    add_added(cells[0], *origin_.added);
    cells[0] = last();
  }
  const FormulaSpelling numbers{
      .cell = [&](std::size_t k) { return origin_.added && k == 0 ? step_text(cells[k]) : operand_text(cells[k]); },
      .parameter = [&](const FormulaParameter& parameter) { return step_text(parameter.of(trace_.as_computed())); }};
  step(std::string(formula.step), spelled_formula(formula.value, numbers),
       formula_value(formula.value, cells, trace_.as_computed()));
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
