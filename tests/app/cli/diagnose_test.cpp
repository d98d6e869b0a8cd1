// `diagnose`: what turns our numbers into somebody else's.
#include <bit>
#include <cstdint>
#include <set>

#include "core/io/npy.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class Diagnose : public CommandTest {
 protected:
  // Exports `stage` of the small request with `more`, and returns its path.
  std::string theirs(const std::string& stage, std::vector<std::string> more) {
    std::vector<std::string> words = request_with(std::move(more));
    words.insert(words.begin(), "run");
    words.insert(words.end(), {"--export", stage, "--format", "npy", "--out", "theirs"});
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return "theirs/" + stage + ".npy";
  }
  std::vector<std::string> request_with(std::vector<std::string> more) const {
    const std::vector<std::string> small = {
        "--model", "seeded", "--phrase", "uno dos tres cuatro", "--heads", "2", "--d-model", "12", "--mask", "causal"};
    more.insert(more.begin(), small.begin(), small.end());
    return more;
  }
  nlohmann::json json_of(const std::string& stage, const std::string& path) {
    std::vector<std::string> words = request_with({"--stage", stage, "--theirs", path, "--json"});
    words.insert(words.begin(), "diagnose");
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
};

TEST_F(Diagnose, OurOwnNumbersAreEqual) {
  const nlohmann::json found = json_of("output", theirs("output", {}));
  EXPECT_EQ(found["equal"], true);
  EXPECT_EQ(found["max_difference"], 0.0);
  EXPECT_TRUE(found["explanations"].empty());
}

TEST_F(Diagnose, AMistakeIsNamed) {
  const nlohmann::json found = json_of("output", theirs("output", {"--merge", "direct"}));
  EXPECT_EQ(found["equal"], false);
  EXPECT_GT(found["max_difference"].get<double>(), 1e-3);
  ASSERT_FALSE(found["explanations"].empty());
  EXPECT_EQ(found["explanations"][0]["variants"], (std::vector<std::string>{"merge-direct"}));
  EXPECT_LT(found["explanations"][0]["residual"].get<double>(), 2e-5);
}

TEST_F(Diagnose, TwoMistakesAreNamedTogether) {
  const nlohmann::json both = json_of("output", theirs("output", {"--variant", "no-scale,merge-direct"}));
  ASSERT_FALSE(both["explanations"].empty());
  const auto names = both["explanations"][0]["variants"].get<std::set<std::string>>();
  EXPECT_EQ(names, (std::set<std::string>{"merge-direct", "no-scale"}));
}

TEST_F(Diagnose, NoiseIsNotExplained) {
  std::vector<float> noise(48);
  for (std::size_t k = 0; k < noise.size(); ++k) noise[k] = static_cast<float>((k * 7919) % 101) / 101.0F;
  const std::string path = write_array("noise", {4, 12}, noise);
  const nlohmann::json found = json_of("output", path);
  EXPECT_EQ(found["equal"], false);
  EXPECT_TRUE(found["explanations"].empty());
  std::vector<std::string> words = request_with({"--stage", "output", "--theirs", path});
  words.insert(words.begin(), "diagnose");
  EXPECT_NE(cli(words).out.find("no known mistake"), std::string::npos);
}

TEST_F(Diagnose, OtherShapesAndMissingFilesAreRefused) {
  const std::string path = write_array("small", {1, 2, 3}, {1, 2, 3, 4, 5, 6});
  std::vector<std::string> words = request_with({"--stage", "output", "--theirs", path});
  words.insert(words.begin(), "diagnose");
  expect_refused(cli(words), 2, {"--theirs", "[1, 2, 3]", "[1, 4, 12]"});
  words.back() = "nowhere.npy";
  expect_refused(cli(words), 3, {"nowhere.npy"});
  words.resize(words.size() - 2);
  expect_refused(cli(words), 2, {"--theirs", "missing"});
}

TEST_F(Diagnose, OfSeveralStagesTheFirstThatDiffersIsSaid) {
  const std::string scores = theirs("scores", {"--softcap", "3"});
  std::filesystem::rename(folder_ / scores, folder_ / "scores.npy");
  const std::string weights = theirs("weights", {"--scale", "0.3"});
  std::filesystem::rename(folder_ / weights, folder_ / "weights.npy");
  std::vector<std::string> words = request_with({"--stage", "weights,scores", "--theirs", "weights.npy,scores.npy"});
  words.insert(words.begin(), "diagnose");
  const Result text = cli(words);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("the first stage that differs is weights"), std::string::npos) << text.out;
  words.push_back("--json");
  const nlohmann::json found = nlohmann::json::parse(cli(words).out);
  EXPECT_EQ(found["first_different"], "weights");
  ASSERT_EQ(found["stages"].size(), 2U);
  EXPECT_EQ(found["stages"][0]["stage"], "scores");
  EXPECT_EQ(found["stages"][0]["equal"], true);
  EXPECT_EQ(found["stages"][1]["equal"], false);
  EXPECT_TRUE(found["explanations"].empty());
}

TEST_F(Diagnose, AMistakeMustExplainAllStages) {
  std::vector<std::string> words = request_with({"--merge", "direct"});
  words.insert(words.begin(), "run");
  words.insert(words.end(), {"--export", "weights,concat,output", "--format", "safetensors", "--out", "all"});
  ASSERT_EQ(cli(words).code, 0);
  words = request_with({"--theirs", "all/all.safetensors", "--json"});
  words.insert(words.begin(), "diagnose");
  const Result result = cli(words);
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json found = nlohmann::json::parse(result.out);
  EXPECT_EQ(found["first_different"], "concat");
  EXPECT_EQ(found["stages"].size(), 3U);
  ASSERT_FALSE(found["explanations"].empty());
  EXPECT_EQ(found["explanations"][0]["variants"], (std::vector<std::string>{"merge-direct"}));
}

TEST_F(Diagnose, FilesAndStagesMustMatch) {
  const std::string path = theirs("output", {});
  const auto refused = [&](std::vector<std::string> more, const char* word) {
    std::vector<std::string> words = request_with(std::move(more));
    words.insert(words.begin(), "diagnose");
    expect_refused(cli(words), 2, {word});
  };
  refused({"--stage", "concat,output", "--theirs", path}, "--theirs");
  refused({"--stage", "all", "--theirs", path}, "--stage");
  refused({"--theirs", path}, "--stage");
  refused({"--stage", "capped_scores", "--theirs", path}, "capped_scores");
}

// Numbers of 8 significant bits are bfloat16, and that they differ by its rounding is no difference.
TEST_F(Diagnose, RoundedNumbersAreEqualWithinTheirFormat) {
  const std::string path = theirs("output", {});
  Tensor numbers = read_npy(folder_ / path).tensor;
  std::vector<float> rounded = numbers.values();
  for (float& each : rounded) {
    std::uint32_t bits = std::bit_cast<std::uint32_t>(each);
    bits = (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000;
    each = std::bit_cast<float>(bits);
  }
  const std::string half = write_array("half", {1, 4, 12}, rounded);
  const nlohmann::json found = json_of("output", half);
  EXPECT_EQ(found["verdict"], "equal within bfloat16");
  EXPECT_EQ(found["equal"], true);
  EXPECT_EQ(found["format"], "bf16");
  EXPECT_GT(found["max_difference"].get<double>(), 0);
  EXPECT_GE(found["allowed"].get<double>(), found["max_difference"].get<double>());
  std::vector<std::string> words = request_with({"--stage", "output", "--theirs", half, "--theirs-format", "f32"});
  words.insert(words.begin(), "diagnose");
  EXPECT_NE(cli(words).out.find("output differs"), std::string::npos);
  words.insert(words.end(), {"--tolerance", "0.1"});
  EXPECT_NE(cli(words).out.find("output is equal"), std::string::npos);
}

// Of 96 numbers: fewer than 64 say nothing of a factor.
TEST_F(Diagnose, AFactorOfAllRoundedNumbersIsSaid) {
  const std::vector<std::string> request = {
      "--model", "seeded", "--phrase", "uno dos tres cuatro cinco seis siete ocho", "--d-model", "12", "--heads",
      "2",       "--mask", "causal"};
  std::vector<std::string> run = {"run", "--export", "output", "--format", "npy", "--out", "theirs"};
  run.insert(run.end(), request.begin(), request.end());
  ASSERT_EQ(cli(run).code, 0);
  const std::vector<float> ours = read_npy(folder_ / "theirs/output.npy").tensor.values();
  const auto with_factor = [&](float factor) {
    std::vector<float> values = ours;
    for (float& each : values) {
      const auto bits = std::bit_cast<std::uint32_t>(each * factor);
      each = std::bit_cast<float>((bits + 0x7FFFU + ((bits >> 16) & 1U)) & 0xFFFF0000U);
    }
    std::vector<std::string> words = {"diagnose", "--stage", "output", "--json", "--theirs"};
    words.push_back(write_array("half", {1, 8, 12}, values));
    words.insert(words.end(), request.begin(), request.end());
    return nlohmann::json::parse(cli(words).out);
  };
  const nlohmann::json right = with_factor(1), larger = with_factor(1.02F);
  EXPECT_EQ(right["verdict"], "equal within bfloat16");
  EXPECT_FALSE(right["stages"][0].contains("common_factor"));
  EXPECT_EQ(larger["verdict"], "differs");
  ASSERT_TRUE(larger["stages"][0].contains("common_factor"));
  EXPECT_NEAR(larger["stages"][0]["common_factor"]["factor"].get<double>(), 1.02, 2e-3);
  EXPECT_EQ(larger["stages"][0]["common_factor"]["of"], "output");
}

TEST_F(Diagnose, CheckEndsWithFourWhereTheyDiffer) {
  const auto checked = [&](const std::string& path) {
    std::vector<std::string> words = request_with({"--stage", "output", "--theirs", path, "--check"});
    words.insert(words.begin(), "diagnose");
    return cli(words);
  };
  const std::string own = theirs("output", {});
  std::filesystem::rename(folder_ / own, folder_ / "own.npy");
  EXPECT_EQ(checked("own.npy").code, 0);
  const Result differs = checked(theirs("output", {"--merge", "direct"}));
  EXPECT_EQ(differs.code, 4);
  EXPECT_NE(differs.out.find("merge-direct"), std::string::npos) << "the answer is there all the same";
  EXPECT_EQ(differs.err, "");
}

TEST_F(Diagnose, SaysWhereTheyDiffer) {
  const std::string path = theirs("weights", {});
  Tensor numbers = read_npy(folder_ / path).tensor;
  std::vector<float> values = numbers.values();
  values[1 * 16 + 2 * 4 + 1] += 0.25F;  // head 1, query 2, key 1
  const nlohmann::json found = json_of("weights", write_array("one", {1, 2, 4, 4}, values));
  EXPECT_EQ(found["verdict"], "differs");
  EXPECT_EQ(found["where"]["cells"], 1);
  EXPECT_EQ(found["where"]["heads"], nlohmann::json({1}));
  EXPECT_EQ(found["where"]["rows"], nlohmann::json({2}));
  EXPECT_EQ(found["where"]["columns"], nlohmann::json({1}));
  EXPECT_EQ(found["where"]["first"]["index"], nlohmann::json({0, 1, 2, 1}));
  EXPECT_NE(found["where"]["sentence"].get<std::string>().find("1 of 32 cells differ"), std::string::npos);
}

TEST_F(Diagnose, OtherLayoutsAreReadAndSaid) {
  const std::string path = theirs("context", {});
  const Tensor own = read_npy(folder_ / path).tensor;
  const std::string turned = write_array("turned", {1, 4, 2, 6}, own.permuted({0, 2, 1, 3}).dense_copy().values());
  std::vector<std::string> words = request_with({"--stage", "context", "--theirs", turned});
  words.insert(words.begin(), "diagnose");
  const Result result = cli(words);
  EXPECT_NE(result.out.find("context is equal"), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("is read as [batch, len, heads, features]"), std::string::npos) << result.err;
  words.insert(words.end(), {"--layout", "bhsd"});
  expect_refused(cli(words), 2, {"--theirs", "[1, 4, 2, 6]", "--layout bhsd"});
  const std::string weights = theirs("weights", {});
  const Tensor all = read_npy(folder_ / weights).tensor;
  std::vector<float> mean(16);
  for (std::size_t k = 0; k < 32; ++k) mean[k % 16] += all.values()[k] / 2;
  const nlohmann::json found = json_of("weights", write_array("mean", {1, 4, 4}, mean));
  EXPECT_EQ(found["equal"], true);
  EXPECT_EQ(found["stages"][0]["read_as"], "the mean over heads, [batch, queries, keys]");
}

// A folder as other programs write it, under their own names.
TEST_F(Diagnose, AFolderNamesItsStagesAsProgramsDo) {
  std::filesystem::create_directory(folder_ / "dump");
  const auto put = [&](const char* stage, const char* name) {
    std::filesystem::rename(folder_ / theirs(stage, {"--variant", "no-scale"}),
                            folder_ / (std::string("dump/") + name));
  };
  put("query", "q.npy");
  put("key", "k.npy");
  put("weights", "attn_weights.npy");
  write_array("dump/losses", {3}, {1, 2, 3});
  std::vector<std::string> words = request_with({"--theirs", "dump", "--json"});
  words.insert(words.begin(), "diagnose");
  const Result result = cli(words);
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json found = nlohmann::json::parse(result.out);
  ASSERT_EQ(found["stages"].size(), 3u);
  EXPECT_EQ(found["stages"][2]["stage"], "weights");
  EXPECT_EQ(found["stages"][2]["given"], nlohmann::json({"query", "key"}));
  EXPECT_EQ(found["stages"][2]["mistakes"], nlohmann::json({"no-scale"}));
  std::filesystem::copy(folder_ / "dump/q.npy", folder_ / "dump/query.npy");
  expect_refused(cli(words), 3, {"dump", "query twice"});
}

}  // namespace
}  // namespace headscope
