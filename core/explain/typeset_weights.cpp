// Typeset formulas from a masked score to a weight: mask, softmax, dropout, heads that are off or held.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/score_rule_of.h"
#include "core/base/minus_sign.h"
#include "core/explain/typeset_parts.h"

namespace headscope {

void typeset_mask(const TypesetCell& cell, Formula& formula) {
  const bool hidden = cell.origin.sources.empty();
  FormulaNode visible = hidden ? word_node("its score") : one_source(cell);
  const bool capped_last = caps_added(cell.trace.as_computed(), *cell.trace.mask);
  for (const StageId stage : {StageId::c2p, StageId::p2c}) {
    if (cell.trace.find(stage) == nullptr) continue;
    visible = row_node({std::move(visible), word_node(fmt::format(" + {}", stage_name(stage)))});
  }
  if (!cell.trace.terms().added.empty() && !capped_last)
    visible = row_node({std::move(visible), word_node(" + added")});
  const double fill = cell.trace.request.mask_fill;
  const FormulaNode filled = std::isinf(fill)
                                 ? word_node(with_minus_signs("-∞"))
                                 : text_node(with_minus_signs(fmt::format("{:.6g}", fill)), FormulaType::number);
  const auto dim = [](const char* words) { return text_node(words, FormulaType::words, FormulaRole::dim); };
  FormulaNode cases = cases_node({{of_term("+ mask", std::move(visible)), dim("where the key is visible")},
                                  {of_term("hidden", filled), dim("where it is hidden")}});
  const bool before_scale = cell.trace.request.mask_order == MaskOrder::before_scale && cell.trace.scale != 1.0;
  if (before_scale) {
    cases = of_term("× scale", row_node({std::move(cases), word_node(" · "), number_node(cell.trace.scale)}));
  }
  formula.right.push_back(std::move(cases));
  formula.right.push_back(number_node(cell.why.steps.back().value));
  formula.letters.push_back({"", hidden ? "hidden here" : "visible here"});
}

namespace {

// What a sink adds to the sum: " + exp(σ − m)".
void add_sink_power(const TypesetCell& cell, FormulaNode& below, Formula& formula) {
  if (cell.origin.sources.size() < 2) return;
  below = row_node({std::move(below), word_node(" + exp"),
                    brackets_node(row_node({word_node("σ − "), of_term("row maximum", word_node("m"))}))});
  formula.letters.push_back({"σ", fmt::format("{}[{}], the head's sink", cell.origin.sources[1].name,
                                              cell.origin.sources[1].region[0].begin)});
}

}  // namespace

void typeset_sink_share(const TypesetCell& cell, Formula& formula) {
  const auto power = [](FormulaNode score) {
    return row_node({word_node("exp"), brackets_node(row_node({std::move(score), word_node(" − "),
                                                               of_term("row maximum", word_node("m"))}))});
  };
  const std::int64_t count = element_count(cell.origin.sources[0].region);
  FormulaNode below = row_node(
      {sum_node(text_node("j=0", FormulaType::script), text_node(std::to_string(count - 1), FormulaType::script)),
       power(indexed_letter("s", "j"))});
  add_sink_power(cell, below, formula);
  formula.right.push_back(
      of_term("÷ row sum", fraction_node(of_term("exp", power(word_node("σ"))), of_term("row sum", std::move(below)))));
  formula.right.push_back(number_node(cell.why.steps.back().value));
  formula.letters.push_back({"s", "the row of " + cell.origin.sources[0].name});
  formula.letters.push_back({"m", "the largest of the row and the sink"});
}

void typeset_softmax(const TypesetCell& cell, Formula& formula) {
  const bool down = has_variant(cell.trace.request, Variant::softmax_over_queries);
  const std::string along = down ? "i" : "j";
  const std::string here = std::to_string(cell.origin.at);
  const auto power = [](FormulaNode score) { return row_node({word_node("exp"), brackets_node(std::move(score))}); };
  const auto less = [&](FormulaNode score) {
    return row_node(
        {std::move(score), word_node(" − "), of_term(down ? "column maximum" : "row maximum", word_node("m"))});
  };
  const std::int64_t count = element_count(cell.origin.sources[0].region);
  FormulaNode above = of_term(
      "exp",
      power(of_term("− maximum",
                    less(of_term(kSourceTerm, scripts_node(word_node("s"), text_node(here, FormulaType::script,
                                                                                     down ? FormulaRole::query
                                                                                          : FormulaRole::key)))))));
  FormulaNode below = row_node({sum_node(text_node(along + "=0", FormulaType::script),
                                         text_node(std::to_string(count - 1), FormulaType::script)),
                                power(less(indexed_letter("s", along)))});
  add_sink_power(cell, below, formula);
  below = of_term(down ? "column sum" : "row sum", std::move(below));
  const std::string divided = down ? "÷ column sum" : "÷ row sum";
  formula.right.push_back(of_term(divided, fraction_node(std::move(above), std::move(below))));
  const auto exp = step_value(cell, "exp"), sum = step_value(cell, down ? "column sum" : "row sum");
  if (exp && sum) {
    formula.right.push_back(of_term(
        divided,
        fraction_node(of_term("exp", number_node(*exp)), of_term(down ? "column sum" : "row sum", number_node(*sum)))));
  }
  std::vector<std::string> row;
  for (const Range& range : cell.origin.sources[0].region) {
    row.push_back(range.size() > 1 ? ":" : std::to_string(range.begin));
  }
  formula.letters.push_back({"s", fmt::format("{}[{}]", cell.origin.sources[0].name, fmt::join(row, ", "))});
  const bool sink = cell.origin.sources.size() > 1;
  formula.letters.push_back({"m", down   ? "the largest of the column"
                                  : sink ? "the largest of the row and the sink"
                                         : "the largest of the row"});
  const HiddenCells& hidden = cell.trace.mask->hidden;
  std::string all = fmt::format("all {} {}", count, down ? "queries" : "keys");
  if (!down && hidden.any()) {
    const std::int64_t visible = hidden.visible_count(cell.why.index[0], cell.why.index[1], cell.why.index[2]);
    all += visible == count ? ", nothing hidden" : fmt::format(", {} hidden", count - visible);
  }
  formula.letters.push_back({along, std::move(all)});
}

void typeset_dropout(const TypesetCell& cell, Formula& formula) {
  const bool kept = cell.why.steps.front().expression.starts_with("kept");
  const auto fraction = [&](FormulaNode weight) {
    return of_term(
        "dropout",
        fraction_node(row_node({std::move(weight), word_node(kept ? " · 1" : " · 0")}),
                      row_node({word_node("1 − "),
                                text_node(fmt::format("{:.6g}", cell.trace.request.dropout), FormulaType::number)})));
  };
  formula.right.push_back(fraction(one_source(cell)));
  formula.right.push_back(fraction(of_term(kSourceTerm, number_node(cell.why.operands[0].value))));
  formula.letters.push_back({kept ? "1" : "0", kept ? "the weight is kept" : "the weight is dropped"});
}

void typeset_ablated(const TypesetCell&, Formula& formula) {
  formula.right.push_back(of_term("head off", text_node("0", FormulaType::number)));
  formula.letters.push_back({"", "the head is switched off"});
}

void typeset_frozen(const TypesetCell& cell, Formula& formula) {
  formula.right.push_back(of_term("head held", number_node(cell.why.steps.front().value)));
  formula.letters.push_back({"", "held: " + cell.why.steps.front().expression});
}

}  // namespace headscope
