// An expression that makes a number of a stage from the numbers at the same place of other stages. It stands once, in
// the stage's row (stage_info.h); explanations, derivatives, the run in other precisions and the scripts read it there.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/request/request.h"

namespace headscope {

// A number of the request that an expression uses.
struct FormulaParameter {
  std::string_view name;           // as formulas say it: "softcap"
  double (*of)(const Request&){};  // asked only where the request has the stage
};

// A function of one number.
struct FormulaFunction {
  std::string_view name;   // "tanh"
  std::string_view torch;  // "torch.tanh"
  std::string_view numpy;  // "np.tanh"
  std::string_view latex;  // "\tanh"
  float (*in_float)(float x){};
  double (*in_double)(double x){};
  double (*slope)(double value){};  // the derivative at x, from the function's value there
};

// tanh(x); its slope is 1 - tanh(x)^2.
const FormulaFunction& tanh_function();

struct CellFormula {
  enum class Kind {
    cell,       // the number at the same place of source `source`
    parameter,  // of the request
    product,    // parts[0] * parts[1]
    quotient,   // parts[0] / parts[1]
    sum,        // parts[0] + parts[1]
    function,   // of parts[0]
  };
  Kind kind{};
  std::size_t source = 0;                // place in StageMaking::from
  FormulaParameter parameter = {};       // of Kind::parameter
  const FormulaFunction* function = {};  // of Kind::function
  std::vector<CellFormula> parts = {};
};

// ---- makers, one a kind
CellFormula cell_of(std::size_t source);
CellFormula parameter_of(FormulaParameter parameter);
CellFormula product_of(CellFormula left, CellFormula right);
CellFormula quotient_of(CellFormula above, CellFormula below);
CellFormula sum_of(CellFormula left, CellFormula right);
CellFormula function_of(const FormulaFunction& function, CellFormula argument);

// Its value where source k holds cells[k], step by step in float or in double.
float formula_value(const CellFormula& formula, std::span<const float> cells, const Request& request);
double formula_value(const CellFormula& formula, std::span<const double> cells, const Request& request);

// d value / d cells[source].
double formula_slope(const CellFormula& formula, std::span<const double> cells, const Request& request,
                     std::size_t source);

// How an expression is written in one language.
struct FormulaSpelling {
  std::string_view times = " · ";
  std::function<std::string(std::size_t source)> cell;
  std::function<std::string(const FormulaParameter&)> parameter;
  // "tanh(" and ")"; the argument is written between them.
  std::function<std::string(const FormulaFunction&)> open = {};
  std::string_view close = ")";
};

// "softcap · tanh(scores[b,h,i,j] / softcap)": round brackets only where the order of operations wants them, and around
// a number below zero that follows an operator.
std::string spelled_formula(const CellFormula& formula, const FormulaSpelling& spelling);

}  // namespace headscope
