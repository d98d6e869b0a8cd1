// `precision`: what number formats of fewer bits cost, stage by stage.
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class Precision : public CommandTest {
 protected:
  std::vector<std::string> request(std::vector<std::string> more) const {
    std::vector<std::string> words = {"precision", "--model", "seeded",    "--phrase", "uno dos tres cuatro",
                                      "--heads",   "2",       "--d-model", "12",       "--mask",
                                      "causal"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(Precision, EveryFormatNamesItsWorstCell) {
  const Result result = cli(request({"--stage", "weights,output", "--json"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json found = nlohmann::json::parse(result.out)["formats"];
  ASSERT_EQ(found.size(), 3U);
  double before = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    ASSERT_EQ(found[k]["stages"].size(), 2U);
    const nlohmann::json& output = found[k]["stages"][1];
    EXPECT_EQ(output["stage"], "output");
    EXPECT_EQ(output["index"].size(), 3U);
    EXPECT_EQ(output["lost"], 0);
    const double error = output["max_error"].get<double>();
    EXPECT_TRUE(std::abs(std::abs(output["value"].get<double>() - output["exact"].get<double>()) - error) <= 1e-15);
    EXPECT_GT(error, before);
    before = error;
  }
  EXPECT_EQ(found[2]["format"], "bfloat16");
  EXPECT_LT(before, 0.05);
}

TEST_F(Precision, TheTableHasEveryStage) {
  const Result result = cli(request({}));
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* word : {"input", "raw_scores", "concat", "output[0, ", "bfloat16", "largest error"}) {
    EXPECT_NE(result.out.find(word), std::string::npos) << word;
  }
}

TEST_F(Precision, WhatIsTooLargeIsRefused) {
  const std::vector<std::string> large = {"precision", "--model", "seeded", "--phrase", "uno dos tres cuatro",
                                          "--d-model", "4096",    "--mask", "causal",   "--input-dim",
                                          "4096",      "--batch", "12"};
  expect_refused(cli(large), 2, {"multiplications"});
  expect_refused(cli(request({"--stage", "capped_scores"})), 2, {"capped_scores"});
}

}  // namespace
}  // namespace headscope
