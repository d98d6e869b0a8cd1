// What the window says of one number: the chain of cells, the sum at its root, its largest weight.
#include "core/explain/cell_report.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

Request with(Request request, const char* option, const char* value) {
  find_request_option(option)->set(request, value);
  return request;
}

TEST(CellReport, FollowsAMovedCellToTheSumBehindIt) {
  const auto trace = traced(alone_request(), alone_inputs({1, 4, 9, 2, 2, 5, 3}));
  const CellReport report = report_of(*trace, StageId::concat, {0, 2, 4});
  ASSERT_EQ(report.chain.size(), 2U);
  EXPECT_EQ(report.root().stage, StageId::context);
  EXPECT_EQ(report.root().index, (Index{0, 1, 2, 1}));
  EXPECT_TRUE(report.over_keys);
  EXPECT_EQ(report.left_row, "weights[0, 1, 2, j]");
  EXPECT_EQ(report.right_row, "value[0, 1, j, 1]");
  ASSERT_EQ(report.terms.size(), 9U);
  for (std::size_t at = 1; at < report.terms.size(); ++at) {
    EXPECT_GE(std::abs(report.terms[at - 1].product), std::abs(report.terms[at].product));
  }
  EXPECT_EQ(std::abs(report.terms[0].share), 1.0F);
  double rest = 0;
  for (std::size_t at = kShownTerms; at < report.terms.size(); ++at) rest += report.terms[at].product;
  EXPECT_EQ(report.rest, rest);
  EXPECT_TRUE(std::abs(report.sum - report.cell().value) <= 1e-5);
  ASSERT_NE(report.weight, nullptr);
  EXPECT_EQ(report.weight->cell().stage, StageId::weights);
  EXPECT_EQ(report.weight->cell().index, (Index{0, 1, 2, report.terms[0].k}));
  EXPECT_EQ(report.weight->root().stage, StageId::raw_scores);
  EXPECT_EQ(report.weight->terms.size(), 5U);
}

TEST(CellReport, TermsKeepTheirOperands) {
  const auto trace = traced(alone_request(), alone_inputs({1, 4, 9, 2, 2, 5, 3}));
  const CellReport report = report_of(*trace, StageId::context, {0, 1, 2, 1});
  for (const ReportTerm& term : report.terms) {
    const Operand& left = report.root().operands[term.left_operand];
    const Operand& right = report.root().operands[term.left_operand + 1];
    EXPECT_EQ(left.index, (Index{0, 1, 2, term.k}));
    EXPECT_EQ(right.index, (Index{0, 1, term.k, 1}));
    EXPECT_EQ(term.left, left.value);
    EXPECT_EQ(term.right, right.value);
  }
}

TEST(CellReport, AWeightsStepsAreThoseOfAllStagesBeforeIt) {
  const auto trace = traced(with(alone_request(), "mask", "causal"), alone_inputs({1, 4, 4, 2, 2, 5, 3}));
  const CellReport report = report_of(*trace, StageId::weights, {0, 1, 3, 2});
  std::vector<std::string> names;
  for (const ReportStep& each : report.steps) names.push_back(each.step.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"× scale", "+ mask", "row maximum", "− maximum", "exp", "row sum", "÷ row sum"}));
  EXPECT_EQ(report.steps[0].of, (CellPlace{StageId::scores, {0, 1, 3, 2}}));
  EXPECT_TRUE(std::abs(report.steps.back().step.value - report.cell().value) <= 1e-5);
  EXPECT_EQ(report.terms.size(), 5U);
  EXPECT_EQ(report.weight, nullptr);
}

TEST(CellReport, AHiddenCellEndsAtTheMask) {
  const auto trace = traced(with(alone_request(), "mask", "causal"), alone_inputs({1, 4, 4, 2, 2, 5, 3}));
  const CellReport hidden = report_of(*trace, StageId::weights, {0, 1, 1, 3});
  EXPECT_EQ(hidden.root().stage, StageId::masked_scores);
  EXPECT_TRUE(hidden.terms.empty());
  const CellReport context = report_of(*trace, StageId::context, {0, 1, 1, 0});
  EXPECT_EQ(context.not_read, 2);
  EXPECT_EQ(context.terms.size(), 2U);
}

TEST(CellReport, ABiasIsNoTerm) {
  const auto trace = traced(phrase_request(), fused_inputs(QkvLayout::per_head));
  const CellReport report = report_of(*trace, StageId::output, {0, 1, 2});
  ASSERT_NE(report.bias(), nullptr);
  EXPECT_EQ(report.bias()->role, SourceRole::bias);
  EXPECT_TRUE(std::abs(report.sum + report.bias()->value - report.cell().value) <= 1e-5);
  EXPECT_EQ(report.weight, nullptr);
}

TEST(CellReport, NaNsComeFirstAndHaveNoShare) {
  Inputs inputs = alone_inputs({1, 3, 4, 1, 1, 2, 2});
  std::vector<float> value = inputs.value.values();
  value[4] = std::nanf("");
  inputs.value = tensor_of({1, 1, 4, 2}, value);
  const CellReport report = report_of(*traced(alone_request(), inputs), StageId::context, {0, 0, 0, 0});
  EXPECT_EQ(report.terms[0].k, 2);
  EXPECT_TRUE(std::isnan(report.terms[0].product));
  for (const ReportTerm& term : report.terms) EXPECT_EQ(term.share, 0.0F);
}

// Worked out by hand with the printed digits, a product agrees with the printed one to its last digit or one off.
TEST(CellReport, FactorsHaveTheDigitsThatTheirProductNeeds) {
  for (const double size : {0.3, 4.0, 60.0, 900.0}) {
    for (std::uint32_t seed = 1; seed < 50; ++seed) {
      const std::vector<float> drawn = random_values(2, seed);
      CellReport report;
      ReportTerm term;
      term.left = static_cast<double>(drawn[0]) * size;
      term.right = static_cast<double>(drawn[1]) * size;
      report.terms.push_back(term);
      const double unit = std::pow(10.0, factor_decimals(report, 4));
      const double by_hand = std::round(term.left * unit) / unit * (std::round(term.right * unit) / unit);
      EXPECT_TRUE(std::abs(by_hand - term.left * term.right) <= 1.01e-4) << term.left << " and " << term.right;
    }
  }
}

TEST(CellReport, IsQuickWhereNoRowHasToBeComputed) {
  EXPECT_TRUE(report_is_quick(*traced(alone_request(), alone_inputs({1, 3, 4, 2, 2, 5, 3}))));
  Trace preview = *traced(alone_request(), alone_inputs({1, 3, 4, 2, 2, 5, 3}));
  preview.preview = true;
  EXPECT_FALSE(report_is_quick(preview));
}

}  // namespace
}  // namespace headscope
