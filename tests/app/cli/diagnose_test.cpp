// `diagnose`: what turns our numbers into somebody else's.
#include <set>

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

}  // namespace
}  // namespace headscope
