// Single cells with all that feeds them, by PyTorch (make_explain_golden.py): in process and through headscope-cli.
#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/engine.h"
#include "core/explain/explain.h"
#include "core/request/request_text.h"
#include "tests/golden/golden_run.h"

namespace headscope {
namespace {

// One operand or value as both sides give it.
struct Said {
  std::string stage;
  std::vector<std::int64_t> index;
  double value = 0;
};

double number_of(const nlohmann::json& json) {
  return flat_numbers(json).front();
}

void compare(const nlohmann::json& golden, double value, const std::vector<Said>& operands, double last_step,
             double tolerance) {
  EXPECT_TRUE(near(value, number_of(golden.at("value")), {tolerance, true}));
  EXPECT_TRUE(near(last_step, number_of(golden.at("value")), {1e-5, true})) << "the last step";
  const nlohmann::json& wanted = golden.at("operands");
  ASSERT_EQ(operands.size(), wanted.size());
  for (std::size_t at = 0; at < operands.size(); ++at) {
    EXPECT_EQ(operands[at].stage, wanted[at][0].get<std::string>()) << "operand " << at;
    EXPECT_EQ(operands[at].index, wanted[at][1].get<std::vector<std::int64_t>>()) << "operand " << at;
    EXPECT_TRUE(near(operands[at].value, number_of(wanted[at][2]), {tolerance, true})) << "operand " << at;
  }
}

class ExplainGolden : public GoldenTest {
 protected:
  const nlohmann::json golden_ = read_json(std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/explain.json");
  const double tolerance_ = golden_.at("tolerance");
};

TEST_F(ExplainGolden, EveryCellHasTheOperandsThatTorchHas) {
  Engine engine;
  std::size_t cells = 0, operands = 0;
  for (const nlohmann::json& cell : golden_.at("cells")) {
    SCOPED_TRACE(cell.at("options").dump() + " " + cell.at("stage").get<std::string>() + cell.at("at").dump());
    Request request;
    for (const auto& [option, value] : cell.at("options").items()) {
      find_request_option(option)->set(request, value.get<std::string>());
    }
    const auto trace = engine.run(request, {});
    Index at;
    for (const nlohmann::json& each : cell.at("at")) at.push_back(each.get<std::int64_t>());
    const Explanation why = explain(*trace, *stage_named(cell.at("stage").get<std::string>()), at);
    std::vector<Said> said;
    for (const Operand& operand : why.operands) {
      said.push_back({operand.stage, {operand.index.begin(), operand.index.end()}, operand.value});
    }
    compare(cell, why.value, said, why.steps.back().value, tolerance_);
    ++cells;
    operands += said.size();
  }
  EXPECT_GE(cells, 100U);
  EXPECT_GE(operands, 400U);
}

// Some of each stage: a run of the program for each.
TEST_F(ExplainGolden, TheCommandLineSaysTheSame) {
  std::size_t next = 0;
  for (const nlohmann::json& cell : golden_.at("cells")) {
    if (next++ % 3 != 0) continue;
    std::vector<std::string> arguments = {"explain"};
    for (const auto& [option, value] : cell.at("options").items()) {
      arguments.push_back("--" + option);
      arguments.push_back(value.get<std::string>());
    }
    std::string at;
    for (const nlohmann::json& each : cell.at("at")) at += (at.empty() ? "" : ",") + each.dump();
    for (const std::string& word : {std::string("--stage"), cell.at("stage").get<std::string>(), std::string("--at"),
                                    at, std::string("--json")}) {
      arguments.push_back(word);
    }
    SCOPED_TRACE(cell.dump().substr(0, 300));
    const CommandResult result = run_cli(arguments, folder());
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const nlohmann::json why = nlohmann::json::parse(result.out);
    std::vector<Said> said;
    for (const nlohmann::json& operand : why.at("operands")) {
      said.push_back({operand.at("stage").get<std::string>(), operand.at("index").get<std::vector<std::int64_t>>(),
                      number_of(operand.at("value"))});
    }
    compare(cell, number_of(why.at("value")), said, number_of(why.at("steps").back().at("value")), tolerance_);
  }
}

}  // namespace
}  // namespace headscope
