// Formulas as text and number, what limits a layer, and what is said of it.
#include "core/cost/cost_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/cost/cost_formula.h"
#include "core/cost/cost_json.h"
#include "core/cost/cost_size.h"
#include "core/cost/machine_peaks.h"
#include "tests/core/cost/plain_cost.h"

namespace headscope {
namespace {

using Z = CostSize;

Request small() {
  Request request;
  request.phrase = "a b c";
  request.d_model = 8;
  request.heads = 2;
  return request;
}

TEST(CostFormula, IsWrittenAsItIsCounted) {
  CostSizes sizes{};
  sizes[static_cast<std::size_t>(Z::batch)] = 2;
  sizes[static_cast<std::size_t>(Z::queries)] = 3;
  sizes[static_cast<std::size_t>(Z::heads)] = 5;
  const CostFormula sum = {{4, {Z::batch, Z::queries}}, {1, {Z::heads}}, {4, {Z::heads}}, {2, {}}};
  EXPECT_EQ(text_of(sum), "4·(B·Q + H) + H + 2·1");
  EXPECT_EQ(value_of(sum, sizes), 4 * 6 + 5 + 4 * 5 + 2);
  EXPECT_EQ(text_of({}), "0");
  EXPECT_EQ(value_of({}, sizes), 0);
}

TEST(CostFormula, GathersProductsOfTheSameSizes) {
  const CostFormula sum =
      gathered({{4, {Z::batch, Z::queries}}, {4, {Z::queries, Z::batch}}, {0, {Z::heads}}, {1, {Z::heads}}});
  EXPECT_EQ(text_of(sum), "8·B·Q + H");
}

TEST(CostFormula, KnowsASymbolForEverySize) {
  ASSERT_EQ(cost_size_infos().size(), kCostSizes);
  for (std::size_t k = 0; k < kCostSizes; ++k) {
    EXPECT_EQ(cost_size_infos()[k].size, static_cast<CostSize>(k));
    for (std::size_t other = 0; other < k; ++other) {
      EXPECT_NE(cost_size_infos()[k].symbol, cost_size_infos()[other].symbol);
    }
  }
}

TEST(CostLimit, IsMemoryBelowTheRidgeAndArithmeticFromIt) {
  const MachinePeaks peaks{2, 100e9, 10e9};
  EXPECT_EQ(peaks.ridge(), 10);
  CostAmounts amounts;
  EXPECT_EQ(limit_of(amounts, peaks), CostLimit::none);
  EXPECT_EQ(limit_text(amounts, peaks), "-");
  amounts.multiply_adds = 499;
  amounts.read = 60;
  amounts.written = 40;
  EXPECT_EQ(limit_text(amounts, peaks), "memory");
  EXPECT_DOUBLE_EQ(seconds_at_peak(amounts, peaks), 100 / 10e9);
  amounts.multiply_adds = 500;
  EXPECT_EQ(limit_text(amounts, peaks), "arithmetic");
  amounts.multiply_adds = 5000;
  EXPECT_DOUBLE_EQ(seconds_at_peak(amounts, peaks), 10000 / 100e9);
}

TEST(CostLimit, IsMeasuredOnThisMachine) {
  const MachinePeaks peaks = measured_machine_peaks(1);
  EXPECT_EQ(peaks.threads, 1);
  EXPECT_GT(peaks.operations, 1e7);
  EXPECT_GT(peaks.bytes, 1e7);
}

TEST(CostWords, KeepAllDigitsWhereTheyFit) {
  EXPECT_EQ(cost_count_text(0), "0");
  EXPECT_EQ(cost_count_text(9'999'999'999'999.0), "9,999,999,999,999");
  EXPECT_EQ(cost_count_text(1.23456789e19), "1.2346e+19");
  EXPECT_EQ(cost_bytes_text(312), "312 bytes");
  EXPECT_EQ(cost_bytes_text(4096), "4.1 KB");
  EXPECT_EQ(cost_bytes_text(999'960), "1.0 MB");
  EXPECT_EQ(cost_seconds_text(0), "-");
  EXPECT_EQ(cost_seconds_text(3.1e-7), "310 ns");
  EXPECT_EQ(cost_seconds_text(0.0125), "12.5 ms");
}

TEST(CostWords, SayEveryCountWithItsFormulaAndOfTwiceAsLong) {
  const LayerCost cost = layer_cost(*computed(small()));
  const StageCost* scores = cost.find(StageId::raw_scores);
  ASSERT_NE(scores, nullptr);
  const std::vector<CostLine> lines = cost_lines(scores->formulas, scores->now, scores->twice);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].name, "multiply-adds");
  EXPECT_EQ(lines[0].formula, "B·H·Q·K·D");
  EXPECT_EQ(lines[0].here, "72");
  EXPECT_EQ(lines[0].twice, "288");
  EXPECT_EQ(lines[0].factor, "×4");
  EXPECT_EQ(lines[1].name, "bytes read");
  EXPECT_EQ(lines[1].formula, "4·(B·H·Q·D + B·G·K·D)");
  EXPECT_EQ(lines[1].here, "192");
  EXPECT_EQ(lines[1].factor, "×2");
  EXPECT_EQ(lines[2].name, "bytes written");
  EXPECT_EQ(lines[3].name, "operations per byte");
  EXPECT_EQ(lines[3].here, "0.545") << "144 / (192 + 72)";
}

TEST(CostWords, TableHasAStageALineThenTheLayer) {
  const LayerCost cost = layer_cost(*computed(small()));
  const MachinePeaks peaks{2, 100e9, 10e9};
  const CostTable plain = cost_table(cost, nullptr), measured = cost_table(cost, &peaks);
  ASSERT_EQ(plain.size(), measured.size());
  for (std::size_t row = 0; row < plain.size(); ++row) {
    ASSERT_EQ(plain[row].size(), 6u);
    ASSERT_EQ(measured[row].size(), 8u);
    EXPECT_TRUE(std::equal(plain[row].begin(), plain[row].end(), measured[row].begin()));
  }
  EXPECT_EQ(plain[plain.size() - 2].front(), "layer");
  EXPECT_EQ(plain.back().front(), "in one pass");
}

TEST(CostWords, JsonHoldsTheSameNumbers) {
  const LayerCost cost = layer_cost(*computed(small()));
  const nlohmann::ordered_json json = cost_json({cost, {2, 100e9, 10e9}});
  for (const StageCost& stage : cost.stages) {
    const auto& of = json.at("stages").at(std::string(stage_name(stage.stage)));
    EXPECT_EQ(of.at("multiply_adds"), stage.now.multiply_adds);
    EXPECT_EQ(of.at("bytes_read"), stage.now.read);
    EXPECT_EQ(of.at("bytes_written"), stage.now.written);
    EXPECT_EQ(of.at("cache_bytes"), stage.now.cached);
    EXPECT_EQ(of.at("twice_as_long").at("multiply_adds"), stage.twice.multiply_adds);
    EXPECT_EQ(of.at("formulas").at("multiply_adds"), text_of(stage.formulas.multiply_adds));
    EXPECT_EQ(of.at("limited_by").is_null(), !stage.now.any() || stage.now.bytes() == 0);
  }
  EXPECT_EQ(json.at("total").at("bytes"), cost.now.bytes());
  EXPECT_EQ(json.at("one_pass").at("bytes"), in_one_pass(cost.now).bytes());
  EXPECT_EQ(json.at("machine").at("ridge"), 10);
  EXPECT_TRUE(json.at("layer").is_null()) << "no model";
  EXPECT_EQ(json.at("sizes").at("H").at("here"), 2);
}

}  // namespace
}  // namespace headscope
