// Typeset formulas: one for every stage, with terms that its steps light.
#include "core/explain/typeset_formula.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/explain/cell_report.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> formula_traced(std::initializer_list<std::pair<const char*, const char*>> options) {
  Request request;
  request.phrase = "the animal did cross";
  request.d_model = 16;
  request.heads = 4;
  request.input_dim = 8;
  for (const auto& [name, value] : options) find_request_option(name)->set(request, value);
  Engine engine;
  return engine.run(request, {});
}

Formula formula_at(const Trace& trace, StageId stage, const Index& index) {
  return typeset_formula(trace, explain(trace, stage, index), sources_of(trace, stage, index));
}

std::string words_at(const Trace& trace, StageId stage, const Index& index) {
  const Formula formula = formula_at(trace, stage, index);
  std::string words = formula_words(formula.left);
  for (const FormulaNode& right : formula.right) words += " = " + formula_words(right);
  return words;
}

void collect_terms(const FormulaNode& node, std::vector<std::string>& terms) {
  if (!node.term.empty()) terms.push_back(node.term);
  for (const FormulaNode& part : node.parts) collect_terms(part, terms);
}

std::vector<std::string> terms_of(const Formula& formula) {
  std::vector<std::string> terms;
  for (const FormulaNode& right : formula.right) collect_terms(right, terms);
  return terms;
}

// Every stage of the trace: a formula, and a term for each step of its explanation.
void expect_every_stage(const Trace& trace) {
  for (const Stage& stage : trace.stages) {
    Index last;
    for (int axis = 0; axis < stage.tensor.rank(); ++axis) last.push_back(stage.tensor.dim(axis) - 1);
    const Explanation why = explain(trace, stage.id, last);
    const Formula formula = formula_at(trace, stage.id, last);
    ASSERT_FALSE(formula.right.empty()) << stage_name(stage.id);
    EXPECT_TRUE(formula_words(formula.left).starts_with(stage_name(stage.id)));
    for (const FormulaNode& right : formula.right) EXPECT_FALSE(formula_words(right).empty()) << stage_name(stage.id);
    const std::vector<std::string> terms = terms_of(formula);
    for (const ExplainStep& step : why.steps) {
      EXPECT_NE(std::find(terms.begin(), terms.end(), step.name), terms.end())
          << stage_name(stage.id) << ": nothing to light for the step " << step.name;
    }
  }
}

TEST(TypesetFormula, EveryStageHasOneWithATermForEachStep) {
  expect_every_stage(*formula_traced({}));
  expect_every_stage(*formula_traced({{"mask", "causal"}, {"softcap", "3"}, {"dropout", "0.4"}}));
  expect_every_stage(*formula_traced({{"mask", "causal"}, {"mask-order", "before-scale"}}));
  expect_every_stage(*formula_traced({{"key-phrase", "a b c"}, {"ablate", "0.3"}}));
  expect_every_stage(*formula_traced({{"variant", "softmax-over-queries"}, {"kv-heads", "2"}}));
  expect_every_stage(*formula_traced({{"merge", "direct"}, {"scale-query", "0.1=2"}}));
}

TEST(TypesetFormula, ASoftmaxIsAFractionOfExponentials) {
  const auto trace = formula_traced({});
  const std::string words = words_at(*trace, StageId::weights, {0, 2, 3, 1});
  EXPECT_TRUE(words.starts_with("weights_2,3,1 = (exp(s_1 − m)) / (Σ_j=0^3 exp(s_j − m)) = ")) << words;
  const Formula formula = formula_at(*trace, StageId::weights, {0, 2, 3, 1});
  ASSERT_EQ(formula.letters.size(), 3U);
  EXPECT_EQ(formula.letters[0].meaning, "masked_scores[0, 2, 3, :]");
  EXPECT_EQ(formula.letters[2].meaning, "all 4 keys");
}

TEST(TypesetFormula, SumsHaveTheirBounds) {
  const auto trace = formula_traced({});
  EXPECT_TRUE(words_at(*trace, StageId::raw_scores, {0, 2, 3, 1})
                  .starts_with("raw_scores_2,3,1 = Σ_d=0^3 query_2,3,d · key_2,1,d = "));
  EXPECT_TRUE(words_at(*trace, StageId::context, {0, 1, 3, 0})
                  .starts_with("context_1,3,0 = Σ_j=0^3 weights_1,3,j · value_1,j,0 = "));
  const std::string output = words_at(*trace, StageId::output, {0, 3, 5});
  EXPECT_TRUE(output.starts_with("output_3,5 = Σ_d=0^15 concat_3,d · W_5,d + b_5 = ")) << output;
  EXPECT_TRUE(
      words_at(*trace, StageId::scores, {0, 2, 3, 1}).starts_with("scores_2,3,1 = (raw_scores_2,3,1) / (√(4)) = "));
}

TEST(TypesetFormula, AMaskHasItsTwoCases) {
  const auto trace = formula_traced({{"mask", "causal"}});
  const std::string hidden = words_at(*trace, StageId::masked_scores, {0, 0, 1, 3});
  EXPECT_NE(hidden.find("{its score where the key is visible; "), std::string::npos) << hidden;
  EXPECT_EQ(formula_at(*trace, StageId::masked_scores, {0, 0, 1, 3}).letters.back().meaning, "hidden here");
  EXPECT_EQ(formula_at(*trace, StageId::masked_scores, {0, 0, 3, 1}).letters.back().meaning, "visible here");
}

TEST(TypesetFormula, AReportHasThoseOfItsCopiesAndOfTheFirstOther) {
  const auto trace = formula_traced({});
  const CellReport report = report_of(*trace, StageId::concat, {0, 3, 5});
  ASSERT_EQ(report.formulas.size(), 2U);
  EXPECT_TRUE(formula_words(report.formulas[0].left).starts_with("concat_"));
  EXPECT_TRUE(formula_words(report.formulas[1].left).starts_with("context_"));
  EXPECT_EQ(report_of(*trace, StageId::weights, {0, 0, 1, 1}).formulas.size(), 1U);
}

}  // namespace
}  // namespace headscope
