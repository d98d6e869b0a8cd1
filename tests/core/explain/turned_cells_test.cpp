// A query or key that rotary positions turn leads on to both features of its pair, and through them to W and the input:
// every such cell of every model with rotary positions that the golden tests have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/explain/cell_report.h"
#include "core/explain/typeset_formula.h"
#include "core/model/head_rule.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

const std::string kModels = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";

std::shared_ptr<const Trace> cells_trace_of(const std::string& name, const std::string& layer) {
  Request request;
  find_request_option("model")->set(request, kModels + name);
  find_request_option("layer")->set(request, layer);
  find_request_option("token-ids")->set(request, "1,3,2,5");
  return Engine().run(request, {});
}

bool is_rotary(const Trace& trace) {
  return trace.inputs->head_rule != nullptr && trace.inputs->head_rule->rotary != nullptr;
}

bool near(double found, double wanted, double magnitude) {
  return std::abs(found - wanted) <= 1e-5 * std::max(magnitude, std::abs(wanted));
}

// What all models together had.
struct Seen {
  int models = 0, halves = 0, neighbours = 0;
  std::int64_t turned = 0, kept = 0, normed = 0, first = 0, second = 0;
};

// A number that was projected leads to its sum: over the input and the weights, whose terms and bias give it.
void expect_a_sum(const CellReport& report, const std::string& what) {
  ASSERT_FALSE(report.terms.empty()) << what;
  ASSERT_FALSE(report.left_row.empty()) << what;
  const Explanation& root = report.root();
  const double bias = report.bias() == nullptr ? 0 : report.bias()->value;
  EXPECT_TRUE(near(report.sum + bias, report.cell().value, root.magnitude)) << what;
  EXPECT_FALSE(stage_named(root.operands[1].stage)) << what << " ends at " << root.operands[1].stage;
}

void check_turned(const Trace& trace, const CellReport& report, const std::string& what, Seen& seen) {
  const Explanation& cell = report.root();
  const ExplainTurn& turn = *cell.turn;
  ASSERT_EQ(report.turned.size(), 2U) << what;
  EXPECT_TRUE(near(turn.own.product() + turn.other.product(), cell.value, cell.magnitude)) << what;
  EXPECT_EQ(turn.position, cell.index[2]) << what;
  EXPECT_NEAR(turn.own.factor, turn.stretch * std::cos(turn.angle), 1e-6) << what;
  EXPECT_NEAR(turn.other.factor, turn.stretch * std::sin(turn.angle) * (turn.first ? -1 : 1), 1e-6) << what;
  EXPECT_EQ(sine_words(turn), turn.first ? "\u2212sin θ" : "sin θ");
  for (const ExplainTurn::Feature* each : {&turn.own, &turn.other}) {
    const ReportFeature& from = report.turned[each == &turn.own ? 0 : 1];
    EXPECT_EQ(cell_name(stage_name(from.place.stage), from.place.index), cell_name(each->cell.stage, each->cell.index));
    EXPECT_EQ(each->cell.value, static_cast<double>(trace.tensor(from.place.stage).at(from.place.index))) << what;
    EXPECT_TRUE(turn.normed || trace.inputs->head_rule->clip > 0 || each->value == each->cell.value) << what;
    expect_a_sum(from.report, what);
  }
  ++seen.turned;
  ++(turn.first ? seen.first : seen.second);
  if (turn.normed) ++seen.normed;
}

void check_stage(const Trace& trace, StageId stage, const std::string& name, Seen& seen) {
  const Shape& shape = trace.tensor(stage).shape();
  for (std::int64_t h = 0; h < shape[1]; ++h) {
    for (std::int64_t i = 0; i < shape[2]; ++i) {
      for (std::int64_t d = 0; d < shape[3]; ++d) {
        const std::string what = name + " " + cell_name(stage_name(stage), {0, h, i, d});
        const CellReport report = report_of(trace, stage, {0, h, i, d});
        if (report.root().turn) {
          check_turned(trace, report, what, seen);
          continue;
        }
        EXPECT_NE(report.root().stage, stage) << what << " leads nowhere";
        expect_a_sum(report, what);
        ++seen.kept;
      }
    }
  }
}

TEST(TurnedCells, LeadToBothFeaturesOfTheirPairAndToTheInputInEveryModel) {
  Seen seen;
  for (const auto& entry : std::filesystem::directory_iterator(kModels)) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename().string();
    for (const char* layer : {"0", "1"}) {
      const auto trace = cells_trace_of(name, layer);
      if (!is_rotary(*trace)) continue;
      ++seen.models;
      const bool halves = trace->inputs->head_rule->rotary->rule().pairs == RotaryRule::Pairs::halves;
      ++(halves ? seen.halves : seen.neighbours);
      check_stage(*trace, StageId::query, name + " " + layer, seen);
      check_stage(*trace, StageId::key, name + " " + layer, seen);
    }
  }
  EXPECT_GT(seen.models, 50);
  EXPECT_GT(seen.halves, 40);
  EXPECT_GT(seen.neighbours, 6);
  EXPECT_GT(seen.turned, 5000);
  EXPECT_GT(seen.kept, 100) << "features that no position turns";
  EXPECT_GT(seen.normed, 500);
  EXPECT_GT(seen.first, 2000);
  EXPECT_GT(seen.second, 2000);
}

TEST(TurnedCells, AFormulaSaysTheSignTheAngleAndBothCells) {
  const auto trace = cells_trace_of("llama", "0");
  const std::int64_t features = trace->inputs->head_dim;
  for (const std::int64_t d : {std::int64_t{0}, features / 2}) {
    const CellReport report = report_of(*trace, StageId::query, {0, 1, 3, d});
    ASSERT_EQ(report.formulas.size(), 1U);
    const std::string words = formula_words(report.formulas[0].right[0]);
    EXPECT_NE(words.find(d == 0 ? "a · cos θ + b · (\u2212sin θ)" : "a · cos θ + b · sin θ"), std::string::npos)
        << words;
    const std::vector<FormulaLetter>& letters = report.formulas[0].letters;
    ASSERT_EQ(letters.size(), 3U);
    const std::int64_t other = d == 0 ? features / 2 : 0;
    EXPECT_EQ(letters[0].meaning, cell_name("query_proj", {0, 3, features + d}));
    EXPECT_EQ(letters[1].meaning, cell_name("query_proj", {0, 3, features + other}));
    EXPECT_EQ(letters[2].meaning, "3 rad, position 3 · frequency 1");
  }
}

}  // namespace
}  // namespace headscope
