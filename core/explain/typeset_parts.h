// The parts that typeset formulas share, and the makers of those from a masked score to a weight. Internal to
// core/explain.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/attention/trace.h"
#include "core/explain/cell_origin.h"
#include "core/explain/explain.h"
#include "core/explain/formula_tree.h"

namespace headscope {

// What the makers of formulas are given.
struct TypesetCell {
  const Trace& trace;
  const Explanation& why;
  const CellOrigin& origin;
};

FormulaNode word_node(std::string text);
// A letter with an index: "s" and "j".
FormulaNode indexed_letter(std::string letter, std::string index);
// Four decimals, small numbers in powers of ten: as the window writes them.
FormulaNode number_node(double value);
// The value of a step of the explanation; nullopt: it has none of this name.
std::optional<double> step_value(const TypesetCell& cell, std::string_view name);
// The cell with its indices: "weights_2,7,1". A batch of one has none.
FormulaNode cell_node(const TypesetCell& cell);
// The cells of a source under its name, or under a letter for it; `along` stands for the axis of a sum.
FormulaNode source_node(const TypesetCell& cell, const CellSource& source, const std::string& along,
                        std::string letter = "");
FormulaNode one_source(const TypesetCell& cell);

// Each adds to `formula` what the cell equals, and what the letters stand for.
void typeset_mask(const TypesetCell& cell, Formula& formula);
void typeset_softmax(const TypesetCell& cell, Formula& formula);
void typeset_sink_share(const TypesetCell& cell, Formula& formula);
void typeset_dropout(const TypesetCell& cell, Formula& formula);
void typeset_ablated(const TypesetCell& cell, Formula& formula);
void typeset_frozen(const TypesetCell& cell, Formula& formula);

}  // namespace headscope
