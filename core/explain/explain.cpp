#include "core/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/interventions.h"
#include "core/backend/score_steps.h"
#include "core/base/assert.h"
#include "core/explain/explain_formula.h"
#include "core/model/head_rule.h"
#include "core/request/intervention_kinds.h"

namespace headscope {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Steps print more digits than a float32 has, so that the next step can be checked by hand.
std::string step_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.9g}", value) : operand_text(value);
}

// "a − (b)" reads better than "a − −b".
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

class Explainer {
 public:
  Explainer(const Trace& trace, const CellOrigin& origin, Explanation& to) : trace_(trace), origin_(origin), to_(to) {}

  void add_steps() {
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

 private:
  void add_own_steps() {
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

  void step(std::string name, std::string expression, double value) {
    to_.steps.push_back({std::move(name), std::move(expression), value});
  }
  double last() const { return to_.steps.back().value; }

  // What came in, before anything was done to it.
  double given_value() const {
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

  void add_operand(const CellSource& source, const Index& index, double value) {
    to_.operands.push_back({source.name, index, value, source.role});
  }
  const Operand& add_operand(const CellSource& source) {
    add_operand(source, cells_of(source.region).front(), values_of(source).front());
    return to_.operands.back();
  }

  void add_products() {
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

  // "0.5 · 1.2 + 0.1 · (-0.3) + 62 more": the largest products first.
  std::string sum_text(std::size_t all) const {
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

  // See turn_heads: an RMS norm over the head, then the pair of this feature turned by the position's angle.
  void add_turned() {
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

  // The other feature of a rotary pair; -1: this feature is not turned.
  static std::int64_t partner(const RotaryRule& turns, std::int64_t d) {
    if (d >= turns.features) return -1;
    if (turns.pairs == RotaryRule::Pairs::neighbours) return d ^ 1;
    const std::int64_t pairs = turns.features / 2;
    return d < pairs ? d + pairs : d - pairs;
  }

  double added() const {
    const Tensor& values = trace_.mask->added;
    if (values.empty()) return 0;
    return static_cast<double>(values.at(
        {values.dim(0) == 1 ? 0 : to_.index[0], values.dim(1) == 1 ? 0 : to_.index[1], to_.index[2], to_.index[3]}));
  }

  void add_mask() {
    const bool before_scale = trace_.request.mask_order == MaskOrder::before_scale;
    if (origin_.sources.empty()) {
      const double fill = trace_.request.mask_fill;
      const bool infinite = fill < -static_cast<double>(std::numeric_limits<float>::max());
      step("hidden", "the mask hides this key from this query", infinite ? -kInfinity : fill);
    } else {
      const double score = add_operand(origin_.sources[0]).value;
      step("+ mask", operand_text(score) + " + " + in_brackets(added(), operand_text(added())), score + added());
    }
    if (!before_scale || trace_.scale == 1.0) return;
    const double masked = last();
    // -inf stays what it is, whatever the scale.
    step("× scale", step_text(masked) + " · " + step_text(trace_.scale),
         origin_.sources.empty() && masked == -kInfinity ? masked : masked * trace_.scale);
  }

  void add_softmax() {
    const CellSource& row = origin_.sources[0];
    const std::vector<Index> cells = cells_of(row.region);
    const std::vector<double> scores = values_of(row);
    double maximum = -kInfinity;
    for (std::size_t j = 0; j < scores.size(); ++j) {
      add_operand(row, cells[j], scores[j]);
      maximum = std::isnan(scores[j]) || std::isnan(maximum) ? std::nan("") : std::max(maximum, scores[j]);
    }
    double sum = 0;
    for (const double score : scores) sum += std::exp(score - maximum);
    const double score = scores[static_cast<std::size_t>(origin_.at)];
    const bool down = has_variant(trace_.request, Variant::softmax_over_queries);
    step(down ? "column maximum" : "row maximum",
         fmt::format("the largest of {} {}", scores.size(), down ? "queries" : "keys"), maximum);
    step("− maximum", operand_text(score) + " − " + in_brackets(maximum, operand_text(maximum)), score - maximum);
    step("exp", "exp(" + step_text(last()) + ")", std::exp(score - maximum));
    const double power = last();
    step(down ? "column sum" : "row sum", fmt::format("Σ exp(score − maximum) over {}", scores.size()), sum);
    step(down ? "÷ column sum" : "÷ row sum", step_text(power) + " / " + step_text(sum), power / sum);
    to_.magnitude = std::abs(last());
    add_weight_rules(scores.size());
  }

  // What becomes of hidden cells and rows after the softmax; see finish_weights.
  void add_weight_rules(std::size_t keys) {
    const HiddenCells& hidden = trace_.mask->hidden;
    if (!hidden.any()) return;
    const std::int64_t b = to_.index[0], h = to_.index[1], i = to_.index[2], j = to_.index[3];
    const FullyMasked policy = trace_.request.fully_masked;
    if (policy != FullyMasked::as_computed && hidden.all_hidden(b, h, i)) {
      const bool zero = policy == FullyMasked::zero;
      const auto count = static_cast<double>(hidden.key_len());
      step("fully masked", zero ? "every key is hidden: 0" : fmt::format("every key is hidden: 1 / {}", keys),
           zero ? 0.0 : 1.0 / count);
    } else if (has_variant(trace_.request, Variant::mask_after_softmax) && hidden.hidden(b, h, i, j)) {
      step("mask", "hidden after the softmax: 0", 0.0);
    }
  }

  // See read_frozen_row.
  void add_frozen() {
    const std::int64_t b = to_.index[0], h = to_.index[1], i = to_.index[2], j = to_.index[3];
    const HiddenCells& hidden = trace_.mask->hidden;
    const FrozenHead* head = frozen_head(trace_.request, trace_.inputs->layer, h);
    if (hidden.hidden(b, h, i, j)) return step("head held", "hidden: 0", 0.0);
    if (head->as == FrozenHead::As::uniform) {
      const std::int64_t visible = hidden.visible_count(b, h, i);
      return step("head held", fmt::format("uniform: 1 / {} visible keys", visible),
                  1.0 / static_cast<double>(visible));
    }
    const bool own = j == i + own_diagonal(trace_.request, *trace_.inputs);
    step("head held", own ? "identity: 1 at the query's own place" : "identity: 0 but at the query's own place",
         own ? 1.0 : 0.0);
  }

  void add_dropout() {
    const double weight = add_operand(origin_.sources[0]).value;
    const double p = trace_.request.dropout;
    const Tensor& mask = trace_.inputs->dropout_mask;
    const std::int64_t j = to_.index[3];
    bool kept = DropoutDraw(trace_.request.dropout_seed, to_.index[0], to_.index[1], to_.index[2]).at(j) >= p;
    if (!mask.empty()) {
      Index at;
      const int skipped = 4 - mask.rank();
      for (int axis = 0; axis < mask.rank(); ++axis) at.push_back(mask.dim(axis) == 1 ? 0 : to_.index[skipped + axis]);
      kept = mask.at(at) != 0.0F;
    }
    if (kept && p < 1.0) {
      step("dropout", fmt::format("kept: {} / (1 − {})", operand_text(weight), step_text(p)), weight / (1.0 - p));
    } else {
      step("dropout", "dropped: " + operand_text(weight) + " · 0", weight * 0.0);
    }
  }

  const Trace& trace_;
  const CellOrigin& origin_;
  Explanation& to_;
};

}  // namespace

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
