// Formats of fewer bits against PyTorch's own roundings, and its forward against the engine on all kinds of layers.
#include "core/compare/precision.h"
#include "core/attention/input_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/compare/rounded_forward.h"
#include "core/compare/variant_run.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

nlohmann::json golden() {
  std::ifstream file(std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/precision.json");
  return nlohmann::json::parse(file);
}

Request precision_masked(const char* mask) {
  Request request = phrase_request();
  find_request_option("mask")->set(request, mask);
  return request;
}

TEST(Precision, NumbersAreRoundedAsTorchRoundsThem) {
  const nlohmann::json table = golden()["rounding"];
  ASSERT_GT(table["float32"].size(), 15U);
  for (const char* option : {"f16", "bf16"}) {
    const PrecisionFormat& format = *find_precision_format(option);
    for (std::size_t k = 0; k < table["float32"].size(); ++k) {
      const double value = std::stod(table["float32"][k].get<std::string>());
      const double expected = std::stod(table[std::string(format.name)][k].get<std::string>());
      EXPECT_EQ(rounded_to(format, value), expected) << format.name << " of " << value;
    }
  }
  EXPECT_TRUE(std::isnan(rounded_to(*find_precision_format("f16"), NAN)));
  EXPECT_EQ(rounded_to(*find_precision_format("bf16"), -INFINITY), -INFINITY);
}

TEST(Precision, StagesAreThoseOfTorch) {
  const auto trace = traced(precision_masked("causal"), fused_inputs(QkvLayout::per_head, {.batch = 1}));
  const nlohmann::json layers = golden()["layers"];
  const auto check = [&](const char* kind, const WideStages& made, double unit) {
    std::size_t compared = 0, equal = 0;
    for (const auto& [name, values] : layers[kind].items()) {
      const WideStage& stage = made.at(*stage_named(name));
      ASSERT_EQ(stage.values.size(), values.size()) << name;
      for (std::size_t k = 0; k < values.size(); ++k) {
        const double expected = values[k].get<double>();
        // Sums in another order may fall to the other side of a tie, and the next stages inherit it.
        EXPECT_TRUE(std::abs(stage.values[k] - expected) <= 4 * unit * std::max(1.0, std::abs(expected)))
            << kind << " " << name << " " << k << " " << stage.values[k] << " " << expected;
        ++compared;
        equal += stage.values[k] == expected ? 1 : 0;
      }
    }
    EXPECT_GT(compared, 300U);
    EXPECT_GE(equal * 100, unit > 1e-6 ? compared * 97 : 0) << kind;
  };
  check("double", forward_in_double(*trace, {}), 1e-14);
  check("float16", forward_rounded(*trace, rounding_of(*find_precision_format("f16"), Rounded::usual), {}),
        std::ldexp(1.0, -11));
  check("bfloat16", forward_rounded(*trace, rounding_of(*find_precision_format("bf16"), Rounded::usual), {}),
        std::ldexp(1.0, -8));
}

struct Case {
  std::string name;
  Request request;
  Inputs inputs;
};

std::vector<Case> all_kinds() {
  std::vector<Case> cases;
  const Inputs per_head =
                   fused_inputs(QkvLayout::per_head, {.batch = 2, .len = 5, .input_dim = 7, .heads = 2, .head_dim = 5}),
               blocked = fused_inputs(QkvLayout::blocked);
  for (const std::string_view name : variant_names()) {
    for (const Inputs& inputs : {per_head, blocked}) {
      const Request request = with_variants(precision_masked("causal"), {std::string(name)});
      if (!find_problem(request, inputs)) cases.push_back({std::string(name), request, inputs});
    }
  }
  cases.push_back({"grouped", alone_request(), alone_inputs({2, 4, 6, 4, 2, 3, 5})});
  Request request = precision_masked("window:1");
  request.softcap = 2;
  request.dropout = 0.4;
  request.ablate = {{0, 1}};
  cases.push_back({"softcap, dropout, head off", request, per_head});
  request = precision_masked("padding:5");
  request.fully_masked = FullyMasked::uniform;
  cases.push_back({"fully masked", request, per_head});
  request = precision_masked("causal");
  request.mask_order = MaskOrder::before_scale;
  request.mask_fill = -1e20;
  cases.push_back({"before scale", request, blocked});
  Inputs extra = blocked;
  extra.weights.bias_k = random_tensor({6}, 7);
  extra.weights.bias_v = random_tensor({6}, 8);
  cases.push_back({"bias_k", precision_masked("causal"), extra});
  return cases;
}

TEST(Precision, EveryStageOfEveryKindIsTheEnginesWithinFloat32) {
  for (const Case& each : all_kinds()) {
    const auto trace = traced(each.request, each.inputs);
    ASSERT_EQ(precision_refusal(*trace, usual_roundings()), "") << each.name;
    const PrecisionReport report = precision_report(trace, usual_roundings(), {});
    ASSERT_EQ(report.formats.size(), 3U);
    ASSERT_EQ(report.formats[0].stages.size(), trace->stages.size());
    for (const StageError& error : report.formats[0].stages) {
      EXPECT_TRUE(error.max_error <= 2e-5) << each.name << " " << stage_name(error.stage) << " " << error.max_error;
      EXPECT_EQ(error.lost, 0) << each.name << " " << stage_name(error.stage);
      EXPECT_TRUE(error.mean_error <= error.max_error);
    }
    // Fewer bits, larger errors: of what is computed, not of the weights of a row that sees one key.
    for (const StageId stage : {StageId::raw_scores, StageId::concat}) {
      const double half = report.formats[1].find(stage)->max_error, brain = report.formats[2].find(stage)->max_error;
      EXPECT_LT(report.formats[0].find(stage)->max_error, half) << each.name;
      EXPECT_LT(half, brain) << each.name;
      EXPECT_LT(brain, 0.3) << each.name;
    }
  }
}

TEST(Precision, TheWorstCellIsNamed) {
  const auto trace = traced(precision_masked("causal"), fused_inputs(QkvLayout::per_head, {.batch = 1}));
  const PrecisionReport report = precision_report(trace, usual_roundings(), {});
  const FormatRun& run = report.formats[2];
  const StageError& error = *run.find(StageId::output);
  ASSERT_EQ(error.cell.count, 3);
  EXPECT_TRUE(std::abs(std::abs(error.value - error.exact) - error.max_error) <= 0);
  EXPECT_EQ(run.error->tensor(StageId::output).at(error.cell), static_cast<float>(error.max_error));
  for (const float cell : run.error->tensor(StageId::output).values())
    EXPECT_LE(cell, static_cast<float>(error.max_error));
}

TEST(Precision, WhatFloat16CannotHoldIsCountedAsLost) {
  Inputs inputs = alone_inputs({});
  std::vector<float> query = inputs.query.values();
  query[0] = 80000;
  inputs.query = Tensor::of(inputs.query.shape(), inputs.query.axes(), query);
  const PrecisionReport report = precision_report(traced(alone_request(), inputs), usual_roundings(), {});
  EXPECT_EQ(report.formats[1].find(StageId::query)->lost, 1);
  EXPECT_GT(report.formats[1].find(StageId::raw_scores)->lost, 0);
  EXPECT_EQ(report.formats[2].find(StageId::query)->lost, 0) << "bfloat16 has the range of float32";
}

TEST(Precision, WhatIsTooLargeOrChangedByHandIsRefused) {
  Request request = phrase_request();
  request.edits = {{"scores", {0, 0, 0, 0}, 1.0F, std::nullopt, true}};
  auto edited = std::make_shared<Trace>(*traced(phrase_request(), fused_inputs(QkvLayout::per_head)));
  edited->request = request;
  EXPECT_NE(precision_refusal(*edited, usual_roundings()), "");
  edited->request.edits.front().on = false;
  EXPECT_EQ(precision_refusal(*edited, usual_roundings()), "");
  const auto large = traced(alone_request(), alone_inputs({1, 2100, 2100, 1, 1, 2, 2}));
  EXPECT_NE(precision_refusal(*large, usual_roundings()).find("numbers a stage"), std::string::npos);
}

}  // namespace
}  // namespace headscope
