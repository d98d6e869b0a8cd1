// Formulas of stages: their numbers, their derivatives against slopes, and how they are spelled.
#include "core/request/cell_formula.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/request/stage_info.h"

namespace headscope {
namespace {

CellFormula half() {
  return parameter_of({"half", [](const Request&) { return 0.5; }});
}
CellFormula below_zero() {
  return parameter_of({"shift", [](const Request&) { return -2.0; }});
}

// a tanh(b) + (a + shift) / (b · half)
CellFormula mixed() {
  return sum_of(product_of(cell_of(0), function_of(tanh_function(), cell_of(1))),
                quotient_of(sum_of(cell_of(0), below_zero()), product_of(cell_of(1), half())));
}

std::string words_of(const CellFormula& formula) {
  return spelled_formula(formula,
                         {.cell = [](std::size_t k) { return std::string(1, static_cast<char>('a' + k)); },
                          .parameter = [](const FormulaParameter& parameter) { return std::string(parameter.name); }});
}

TEST(CellFormula, IsComputedInOrderInBothPrecisions) {
  const std::vector<double> wide = {0.3, -1.7};
  const std::vector<float> single = {0.3F, -1.7F};
  EXPECT_EQ(formula_value(mixed(), wide, {}), 0.3 * std::tanh(-1.7) + (0.3 + -2.0) / (-1.7 * 0.5));
  EXPECT_EQ(formula_value(mixed(), single, {}), 0.3F * std::tanh(-1.7F) + (0.3F + -2.0F) / (-1.7F * 0.5F));
}

TEST(CellFormula, SlopesAreThoseOfItsValues) {
  const std::vector<double> at = {0.3, -1.7};
  for (std::size_t k = 0; k < at.size(); ++k) {
    constexpr double kStep = 1e-5;
    std::vector<double> up = at, down = at;
    up[k] += kStep;
    down[k] -= kStep;
    const double slope = (formula_value(mixed(), up, {}) - formula_value(mixed(), down, {})) / (2 * kStep);
    EXPECT_TRUE(std::abs(formula_slope(mixed(), at, {}, k) - slope) <= 1e-8) << k;
  }
}

TEST(CellFormula, APartWithoutTheCellAddsNothing) {
  const std::vector<double> at = {std::numeric_limits<double>::infinity(), 2.0};
  EXPECT_EQ(formula_slope(product_of(cell_of(0), half()), at, {}, 0), 0.5);
  EXPECT_EQ(formula_slope(sum_of(product_of(cell_of(0), half()), cell_of(1)), at, {}, 1), 1.0);
}

TEST(CellFormula, BracketsStandWhereTheOrderWantsThem) {
  EXPECT_EQ(words_of(mixed()), "a · tanh(b) + (a + shift) / (b · half)");
  EXPECT_EQ(words_of(quotient_of(quotient_of(cell_of(0), half()), cell_of(1))), "a / half / b");
  EXPECT_EQ(words_of(product_of(cell_of(0), sum_of(cell_of(1), half()))), "a · (b + half)");
  const FormulaSpelling numbers{.cell = [](std::size_t k) { return std::string(k == 0 ? "-1" : "-2"); },
                                .parameter = [](const FormulaParameter&) { return std::string("3"); }};
  EXPECT_EQ(spelled_formula(sum_of(cell_of(0), cell_of(1)), numbers), "-1 + (-2)");
  EXPECT_EQ(spelled_formula(function_of(tanh_function(), cell_of(1)), numbers), "tanh(-2)");
}

TEST(CellFormula, TheSoftcapIsTheOneOfTheContract) {
  Request request;
  request.softcap = 1.5;
  const CellFormula& softcap = stage_info(StageId::capped_scores).formula->value;
  const std::vector<double> score = {4.0};
  EXPECT_EQ(formula_value(softcap, score, request), 1.5 * std::tanh(4.0 / 1.5));
  EXPECT_EQ(words_of(softcap), "softcap · tanh(a / softcap)");
}

}  // namespace
}  // namespace headscope
