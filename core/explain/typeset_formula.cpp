#include "core/explain/typeset_formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/minus_sign.h"
#include "core/explain/typeset_parts.h"
#include "core/request/intervention_kinds.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

// ---- a maker for each step
void add_given(const TypesetCell& cell, Formula& formula) {
  formula.right.push_back(of_term("given", number_node(cell.why.steps.front().value)));
  formula.letters.push_back({"", "given: " + cell.trace.find(cell.why.stage)->operation});
}

void add_copied(const TypesetCell& cell, Formula& formula) {
  formula.right.push_back(of_term("copy", one_source(cell)));
}

void add_products(const TypesetCell& cell, Formula& formula) {
  const std::vector<CellSource>& sources = cell.origin.sources;
  const bool keys = cell.why.stage == StageId::context;
  const std::string along = keys ? "j" : "d";
  const std::int64_t count = element_count(sources[0].region);
  // Tensors of a file have names that are too long for a formula.
  const bool position = cell.why.stage == StageId::c2p || cell.why.stage == StageId::p2c;
  const std::string weight = sources[1].stage ? "" : position ? "r" : "W";
  FormulaNode sum =
      row_node({sum_node(text_node(along + "=0", FormulaType::script),
                         text_node(std::to_string(count - 1), FormulaType::script)),
                source_node(cell, sources[0], along), word_node(" · "), source_node(cell, sources[1], along, weight)});
  sum = of_term("sum", std::move(sum));
  const bool scales = cell.origin.scale != 1.0;
  if (scales) {
    sum =
        of_term("× scale",
                row_node({std::move(sum), word_node(" · "),
                          text_node(with_minus_signs(fmt::format("{:.6g}", cell.origin.scale)), FormulaType::number)}));
  }
  if (sources.size() > 2) {
    formula.right.push_back(
        row_node({std::move(sum), word_node(" + "), of_term("+ bias", source_node(cell, sources[2], along, "b"))}));
  } else {
    formula.right.push_back(std::move(sum));
  }
  if (const auto result = step_value(cell, sources.size() > 2 ? "+ bias" : scales ? "× scale" : "sum")) {
    formula.right.push_back(number_node(*result));
  }
  if (!weight.empty()) formula.letters.push_back({weight, sources[1].name});
  if (sources.size() > 2) formula.letters.push_back({"b", sources[2].name});
  const auto hidden = std::count_if(cell.origin.not_read.begin(), cell.origin.not_read.end(),
                                    [](std::uint8_t each) { return each != 0; });
  std::string all = fmt::format("all {} {}", count, keys ? "keys" : "features");
  if (hidden > 0) all += fmt::format(", {} hidden and not read", hidden);
  formula.letters.push_back({along, std::move(all)});
}

// In symbols with the sign that the sine has here, then in numbers; the letters name both features and the angle.
void add_turn(const TypesetCell& cell, Formula& formula, const char* squares) {
  const ExplainTurn& turn = *cell.why.turn;
  const bool norm = turn.normed;
  FormulaNode own = word_node("a");
  if (norm) own = of_term("÷ root × weight", of_term(squares, std::move(own)));
  FormulaNode sine = word_node(sine_words(turn));
  if (turn.first) sine = brackets_node(std::move(sine));
  formula.right.push_back(of_term("RoPE", row_node({std::move(own), word_node(" · cos θ + b · "), std::move(sine)})));
  const auto factor = [](double value) {
    FormulaNode number = number_node(value);
    return value < 0 ? brackets_node(std::move(number)) : number;
  };
  formula.right.push_back(of_term(
      "RoPE", row_node({number_node(turn.own.value), word_node(" · "), factor(turn.own.factor), word_node(" + "),
                        factor(turn.other.value), word_node(" · "), factor(turn.other.factor)})));
  const char* after = norm ? ", after the norm" : "";
  formula.letters.push_back({"a", cell_name(turn.own.cell.stage, turn.own.cell.index) + after});
  formula.letters.push_back({"b", cell_name(turn.other.cell.stage, turn.other.cell.index) + after});
  formula.letters.push_back({"θ", angle_words(turn)});
}

// With a norm: x, or what is left of it without its mean, is divided by the root of the mean of its squares.
void add_rotated(const TypesetCell& cell, Formula& formula) {
  const bool norm = cell.origin.sources.size() > 1, turned = step_value(cell, "RoPE").has_value();
  const bool held = step_value(cell, "within bounds").has_value(), centred = step_value(cell, "mean").has_value();
  const char* squares = centred ? "variance" : "mean of squares";
  if (turned) {
    add_turn(cell, formula, squares);
  } else if (norm) {
    FormulaNode own = indexed_letter("x", "d");
    if (centred) own = row_node({std::move(own), word_node(" − "), of_term("mean", word_node("μ"))});
    FormulaNode root =
        root_node(row_node({of_term(squares, word_node(centred ? "σ²" : "mean x²")), word_node(" + ε")}));
    formula.right.push_back(
        of_term("÷ root × weight", row_node({fraction_node(std::move(own), std::move(root)), word_node(" · g")})));
  } else if (held) {
    FormulaNode own = source_node(cell, cell.origin.sources[0], "d");
    formula.right.push_back(
        of_term("within bounds", row_node({word_node("min(max("), std::move(own), word_node(", −C), C)")})));
  } else {
    formula.right.push_back(of_term("copy", source_node(cell, cell.origin.sources[0], "d")));
  }
  if (norm || turned || held) formula.right.push_back(number_node(cell.why.steps.back().value));
  if (held && (norm || turned)) formula.letters.push_back({"x", "held within the model's bounds"});
  if (held && !norm && !turned) formula.letters.push_back({"C", "the model's bound of what is projected"});
  if (norm && turned) {
    formula.letters.push_back({"norm", centred ? "(x − μ) / √(σ² + ε) · g" : "x / √(mean x² + ε) · g"});
  }
  if (norm) formula.letters.push_back({"g", cell.origin.sources[1].name});
}

void add_normed(const TypesetCell& cell, Formula& formula) {
  const bool centred = step_value(cell, "mean").has_value();
  const char* squares = centred ? "variance" : "mean of squares";
  FormulaNode own = centred ? row_node({indexed_letter("x", "d"), word_node(" − "), of_term("mean", word_node("μ"))})
                            : indexed_letter("x", "d");
  FormulaNode root = root_node(row_node({of_term(squares, word_node(centred ? "σ²" : "mean x²")), word_node(" + ε")}));
  FormulaNode scaled =
      of_term("÷ root × weight", row_node({fraction_node(std::move(own), std::move(root)), word_node(" · g")}));
  if (step_value(cell, "+ bias")) {
    scaled = row_node({std::move(scaled), word_node(" + "), of_term("+ bias", word_node("b"))});
  }
  formula.right.push_back(std::move(scaled));
  formula.right.push_back(number_node(cell.why.steps.back().value));
  formula.letters.push_back({"x", "the row of output"});
  formula.letters.push_back({"g", cell.origin.sources[1].name});
}

// raw · scale; the usual scale is one over a root.
FormulaNode scaled(const TypesetCell& cell, FormulaNode what) {
  const double scale = cell.trace.scale, root = 1 / (scale * scale);
  if (scale > 0 && scale != 1 && std::fabs(root - std::round(root)) < 1e-6 * root) {
    return fraction_node(std::move(what), root_node(text_node(fmt::format("{:.0f}", root), FormulaType::number)));
  }
  return row_node({std::move(what), word_node(" · "),
                   text_node(with_minus_signs(fmt::format("{:.6g}", scale)), FormulaType::number)});
}

void add_scaled(const TypesetCell& cell, Formula& formula) {
  formula.right.push_back(of_term("× scale", scaled(cell, one_source(cell))));
  formula.right.push_back(
      of_term("× scale", scaled(cell, of_term(kSourceTerm, number_node(cell.why.operands[0].value)))));
}

// The formula of a stage's row, where source k is cells[k].
void append_formula(const TypesetCell& cell, const CellFormula& formula, const std::vector<FormulaNode>& cells,
                    std::vector<FormulaNode>& row) {
  // Words that follow each other are one text.
  const auto add_words = [&](const std::string& words) {
    const bool joins = !row.empty() && row.back().kind == FormulaNode::Kind::text &&
                       row.back().type == FormulaType::words && row.back().term.empty();
    joins ? void(row.back().text += words) : row.push_back(word_node(words));
  };
  const auto part = [&](std::size_t k) {
    std::vector<FormulaNode> own;
    append_formula(cell, formula.parts[k], cells, own);
    return own.size() == 1 ? std::move(own.front()) : row_node(std::move(own));
  };
  const auto append_part = [&](std::size_t k) {
    const bool sum = formula.parts[k].kind == CellFormula::Kind::sum && formula.kind == CellFormula::Kind::product;
    sum ? row.push_back(brackets_node(part(k))) : append_formula(cell, formula.parts[k], cells, row);
  };
  switch (formula.kind) {
    case CellFormula::Kind::cell:
      return row.push_back(cells[formula.source]);
    case CellFormula::Kind::parameter:
      return row.push_back(
          text_node(fmt::format("{:.6g}", formula.parameter.of(cell.trace.as_computed())), FormulaType::number));
    case CellFormula::Kind::product:
    case CellFormula::Kind::sum:
      append_part(0);
      add_words(formula.kind == CellFormula::Kind::sum ? " + " : " · ");
      return append_part(1);
    case CellFormula::Kind::quotient:
      return row.push_back(fraction_node(part(0), part(1)));
    case CellFormula::Kind::function:
      add_words(std::string(formula.function->name));
      return row.push_back(brackets_node(part(0)));
  }
}

// In symbols, then in numbers.
void add_by_formula(const TypesetCell& cell, Formula& formula) {
  const StageFormula& own = *stage_info(cell.why.stage).formula;
  std::vector<FormulaNode> symbols, numbers;
  for (std::size_t k = 0; k < cell.origin.sources.size(); ++k) {
    symbols.push_back(source_node(cell, cell.origin.sources[k], "j"));
    numbers.push_back(of_term(kSourceTerm, number_node(cell.why.operands[k].value)));
  }
  if (cell.origin.added) {
    symbols[0] = row_node({std::move(symbols[0]), word_node(" + added")});
    numbers[0] =
        of_term("+ mask", row_node({std::move(numbers[0]), word_node(" + "), number_node(*cell.origin.added)}));
  }
  for (const std::vector<FormulaNode>& cells : {symbols, numbers}) {
    std::vector<FormulaNode> row;
    append_formula(cell, own.value, cells, row);
    formula.right.push_back(of_term(std::string(own.step), row_node(std::move(row))));
  }
}

// One row a step, in the order of the enumerators.
struct StepFormula {
  CellStep step;
  void (*add)(const TypesetCell& cell, Formula& formula);
};
constexpr StepFormula kSteps[] = {
    {CellStep::given, add_given},         {CellStep::copied, add_copied},
    {CellStep::products, add_products},   {CellStep::rotated, add_rotated},
    {CellStep::scaled, add_scaled},       {CellStep::formula, add_by_formula},
    {CellStep::masked, typeset_mask},     {CellStep::softmax, typeset_softmax},
    {CellStep::dropped, typeset_dropout}, {CellStep::ablated, typeset_ablated},
    {CellStep::frozen, typeset_frozen},   {CellStep::sink_share, typeset_sink_share},
    {CellStep::normed, add_normed},
};
static_assert(
    [] {
      for (std::size_t k = 0; k < std::size(kSteps); ++k) {
        if (kSteps[k].step != static_cast<CellStep>(k)) return false;
      }
      return std::size(kSteps) == static_cast<std::size_t>(CellStep::normed) + 1;
    }(),
    "a step is found by its place");

// What interventions do to the number afterwards, and rules for hidden rows.
void add_afterwards(const TypesetCell& cell, Formula& formula) {
  if (cell.origin.factor != 1.0) {
    const std::string name = fmt::format("× {}", factor_kind(cell.why.stage)->option.name);
    formula.right.front() =
        row_node({std::move(formula.right.front()), word_node(" · "), of_term(name, number_node(cell.origin.factor))});
    formula.letters.push_back({"", fmt::format("times {}", factor_kind(cell.why.stage)->option.name)});
  }
  for (const char* rule : {"fully masked", "mask", "edited", "patched", "set", "added", "projected out"}) {
    if (const auto value = step_value(cell, rule)) {
      formula.letters.push_back({"", fmt::format("then {}: {:.6g}", rule, *value)});
    }
  }
}

}  // namespace

Formula typeset_formula(const Trace& trace, const Explanation& why, const CellOrigin& origin) {
  const TypesetCell cell{trace, why, origin};
  Formula formula;
  formula.left = cell_node(cell);
  kSteps[static_cast<std::size_t>(origin.step)].add(cell, formula);
  add_afterwards(cell, formula);
  return formula;
}

}  // namespace headscope
