#include "core/request/cell_formula.h"

#include <cmath>
#include <string>
#include <utility>

#include "core/base/assert.h"

namespace headscope {
namespace {

using Kind = CellFormula::Kind;

float function_value(const FormulaFunction& function, float x) {
  return function.in_float(x);
}
double function_value(const FormulaFunction& function, double x) {
  return function.in_double(x);
}

template <typename Real>
Real value_in(const CellFormula& formula, std::span<const Real> cells, const Request& request) {
  const auto part = [&](std::size_t k) { return value_in<Real>(formula.parts[k], cells, request); };
  switch (formula.kind) {
    case Kind::cell:
      return cells[formula.source];
    case Kind::parameter:
      return static_cast<Real>(formula.parameter.of(request));
    case Kind::product:
      return part(0) * part(1);
    case Kind::quotient:
      return part(0) / part(1);
    case Kind::sum:
      return part(0) + part(1);
    case Kind::function:
      return function_value(*formula.function, part(0));
  }
  HEADSCOPE_ASSERT(false, std::to_string(static_cast<int>(formula.kind)));
  return 0;
}

// A value and its derivative by one cell.
struct Dual {
  double value, slope;
};

Dual dual_of(const CellFormula& formula, std::span<const double> cells, const Request& request, std::size_t source) {
  const auto part = [&](std::size_t k) { return dual_of(formula.parts[k], cells, request, source); };
  switch (formula.kind) {
    case Kind::cell:
      return {cells[formula.source], formula.source == source ? 1.0 : 0.0};
    case Kind::parameter:
      return {formula.parameter.of(request), 0};
    case Kind::product: {
      const Dual a = part(0), b = part(1);
      // Nothing times infinity is nothing here: this part does not depend on the cell.
      return {a.value * b.value, (a.slope == 0 ? 0 : a.slope * b.value) + (b.slope == 0 ? 0 : a.value * b.slope)};
    }
    case Kind::quotient: {
      const Dual a = part(0), b = part(1);
      return {a.value / b.value, (a.slope - a.value / b.value * b.slope) / b.value};
    }
    case Kind::sum: {
      const Dual a = part(0), b = part(1);
      return {a.value + b.value, a.slope + b.slope};
    }
    case Kind::function: {
      const Dual x = part(0);
      const double value = formula.function->in_double(x.value);
      return {value, formula.function->slope(value) * x.slope};
    }
  }
  HEADSCOPE_ASSERT(false, std::to_string(static_cast<int>(formula.kind)));
  return {};
}

// How tightly the parts of a kind hang together.
int rank_of(Kind kind) {
  return kind == Kind::sum ? 0 : kind == Kind::product || kind == Kind::quotient ? 1 : 2;
}

// The part at `k`, in brackets where it would be read otherwise.
std::string part_words(const CellFormula& formula, std::size_t k, const FormulaSpelling& spelling) {
  const CellFormula& part = formula.parts[k];
  std::string words = spelled_formula(part, spelling);
  const int own = rank_of(formula.kind), inner = rank_of(part.kind);
  const bool loose = inner < own || (inner == own && formula.kind == Kind::quotient && k == 1);
  const bool below_zero = k == 1 && words.starts_with('-');
  return loose || below_zero ? "(" + words + ")" : words;
}

CellFormula of_two(Kind kind, CellFormula left, CellFormula right) {
  CellFormula formula{kind};
  formula.parts.push_back(std::move(left));
  formula.parts.push_back(std::move(right));
  return formula;
}

}  // namespace

const FormulaFunction& tanh_function() {
  static const FormulaFunction function{
      .name = "tanh",
      .torch = "torch.tanh",
      .numpy = "np.tanh",
      .latex = "\\tanh",
      .in_float = [](float x) { return static_cast<float>(std::tanh(static_cast<double>(x))); },
      .in_double = [](double x) { return std::tanh(x); },
      .slope = [](double value) { return 1 - value * value; }};
  return function;
}

CellFormula cell_of(std::size_t source) {
  CellFormula formula{Kind::cell};
  formula.source = source;
  return formula;
}

CellFormula parameter_of(FormulaParameter parameter) {
  CellFormula formula{Kind::parameter};
  formula.parameter = parameter;
  return formula;
}

CellFormula product_of(CellFormula left, CellFormula right) {
  return of_two(Kind::product, std::move(left), std::move(right));
}

CellFormula quotient_of(CellFormula above, CellFormula below) {
  return of_two(Kind::quotient, std::move(above), std::move(below));
}

CellFormula sum_of(CellFormula left, CellFormula right) {
  return of_two(Kind::sum, std::move(left), std::move(right));
}

CellFormula function_of(const FormulaFunction& function, CellFormula argument) {
  CellFormula formula{Kind::function};
  formula.function = &function;
  formula.parts.push_back(std::move(argument));
  return formula;
}

float formula_value(const CellFormula& formula, std::span<const float> cells, const Request& request) {
  return value_in<float>(formula, cells, request);
}

double formula_value(const CellFormula& formula, std::span<const double> cells, const Request& request) {
  return value_in<double>(formula, cells, request);
}

double formula_slope(const CellFormula& formula, std::span<const double> cells, const Request& request,
                     std::size_t source) {
  return dual_of(formula, cells, request, source).slope;
}

std::string spelled_formula(const CellFormula& formula, const FormulaSpelling& spelling) {
  switch (formula.kind) {
    case Kind::cell:
      return spelling.cell(formula.source);
    case Kind::parameter:
      return spelling.parameter(formula.parameter);
    case Kind::product:
      return part_words(formula, 0, spelling) + std::string(spelling.times) + part_words(formula, 1, spelling);
    case Kind::quotient:
      return part_words(formula, 0, spelling) + " / " + part_words(formula, 1, spelling);
    case Kind::sum:
      return part_words(formula, 0, spelling) + " + " + part_words(formula, 1, spelling);
    case Kind::function: {
      const FormulaFunction& function = *formula.function;
      const std::string open = spelling.open ? spelling.open(function) : std::string(function.name) + "(";
      return open + spelled_formula(formula.parts[0], spelling) + std::string(spelling.close);
    }
  }
  HEADSCOPE_ASSERT(false, std::to_string(static_cast<int>(formula.kind)));
  return {};
}

}  // namespace headscope
