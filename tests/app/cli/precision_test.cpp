// `precision`: what number formats of fewer bits cost, stage by stage.
#include <limits>
#include <string>
#include <vector>

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

TEST_F(Precision, FormatsAndPartsAreChosen) {
  const Result result =
      cli(request({"--stage", "output", "--formats", "f16,f8e4m3,f8e5m2,tf32,i8-token,i8-channel,f16", "--json"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json found = nlohmann::json::parse(result.out)["formats"];
  ASSERT_EQ(found.size(), 6U) << "each once";
  EXPECT_EQ(found[1]["format"], "float8 e4m3");
  EXPECT_EQ(found[1]["rounded"], (nlohmann::json{"inputs", "storage"}));
  EXPECT_EQ(found[3]["sums"], "float32");
  EXPECT_GT(found[2]["stages"][0]["max_error"].get<double>(), found[0]["stages"][0]["max_error"].get<double>());
  const Result alone = cli(request({"--formats", "bf16", "--round", "accumulation"}));
  ASSERT_EQ(alone.code, 0) << alone.err;
  EXPECT_NE(alone.out.find("bfloat16: Sums are rounded after every addition, in the order of the index"),
            std::string::npos);
}

TEST_F(Precision, HeadsAndRowsComeWorstFirst) {
  const Result json = cli(request({"--stage", "weights,output", "--by", "rows", "--json"}));
  ASSERT_EQ(json.code, 0) << json.err;
  const nlohmann::json stage = nlohmann::json::parse(json.out)["formats"][1]["stages"][0];
  ASSERT_EQ(stage["rows"].size(), 4U);
  EXPECT_EQ(stage["rows"][0]["max_error"], stage["max_error"]);
  EXPECT_EQ(stage["rows"][0]["row"], stage["index"][2]);
  const Result heads = cli(request({"--stage", "weights,output", "--formats", "f16", "--by", "heads"}));
  ASSERT_EQ(heads.code, 0) << heads.err;
  EXPECT_NE(heads.out.find("largest error"), std::string::npos);
  EXPECT_NE(heads.out.find("Not listed, because they have no heads: output."), std::string::npos);
}

TEST_F(Precision, WhatAFormatDoesNotRoundIsRefused) {
  expect_refused(cli(request({"--formats", "i8-token", "--round", "accumulation"})), 2,
                 {"--round", "i8-token", "sums"});
  expect_refused(cli(request({"--formats", "tf32", "--round", "storage"})), 2, {"--round", "TF32"});
  expect_refused(cli(request({"--formats", "f64"})), 2, {"--formats", "f64", "f8e4m3"});
  expect_refused(cli(request({"--by", "columns"})), 2, {"--by", "columns"});
}

TEST_F(Precision, WhatIsTooLargeIsRefused) {
  const std::vector<std::string> large = {"precision", "--model", "seeded", "--phrase", "uno dos tres cuatro",
                                          "--d-model", "4096",    "--mask", "causal",   "--input-dim",
                                          "4096",      "--batch", "12"};
  expect_refused(cli(large), 2, {"multiplications"});
  expect_refused(cli(request({"--stage", "capped_scores"})), 2, {"capped_scores"});
}

// Nothing is known of an error where no number is one.
TEST_F(Precision, OfAStageWithoutNumbersNoErrorIsSaid) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::string none = write_array("none", {1, 1, 2, 2}, {nan, nan, nan, nan});
  const std::string some = write_array("some", {1, 1, 2, 2}, {1, 2, 3, 4});
  const std::vector<std::string> words = {"precision", "--query", none,      "--key",        some,
                                          "--value",   some,      "--stage", "weights,value"};
  const Result text = cli(words);
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("weights  float32             nan         nan  none"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("value    float32        0.00e+00"), std::string::npos) << text.out;
  std::vector<std::string> as_json = words;
  as_json.insert(as_json.end(), {"--json", "--by", "rows"});
  const nlohmann::json stage = nlohmann::json::parse(cli(as_json).out)["formats"][1]["stages"][0];
  for (const char* name : {"max_error", "mean_error", "exact", "value"}) {
    EXPECT_EQ(stage[name], "nan") << name;
    EXPECT_EQ(stage["rows"][0][name], "nan") << name;
  }
}

}  // namespace
}  // namespace headscope
