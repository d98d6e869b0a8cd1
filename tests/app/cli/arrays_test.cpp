// --set, --add and --project-out from the command line: runs, sessions, explanations, generation, and what is refused.
#include <cmath>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class Arrays : public CommandTest {
 protected:
  void SetUp() override {
    steer_ = write_array("steer", {64}, ramp(64, 0.125F));
    small_ = write_array("small", {4}, {1, -2, 3, 0.5F});
  }
  static std::vector<float> ramp(int count, float step) {
    std::vector<float> values;
    for (int k = 0; k < count; ++k) values.push_back(static_cast<float>(k % 7 - 3) * step);
    return values;
  }
  // Two heads of four features on three words.
  static std::vector<std::string> seeded(std::vector<std::string> more) {
    more.insert(more.begin(), {"--model", "seeded", "--phrase", "a b c", "--heads", "2", "--d-model", "8"});
    return more;
  }
  Result run_model(const std::string& command, std::vector<std::string> more) {
    more.insert(more.begin(), {command, "--model", "demo:induction", "--phrase", "cat box ink fox jam cat"});
    return cli(more);
  }

  std::string steer_, small_;
};

TEST_F(Arrays, AStageHoldsThemAndAllFollows) {
  run_to("plain", seeded({}));
  run_to("added", seeded({"--add", "context:1,1..2=" + small_ + "*2"}));
  const Tensor before = stage("plain", "context"), after = stage("added", "context");
  const float vector[] = {1, -2, 3, 0.5F};
  for (std::int64_t h = 0; h < 2; ++h) {
    for (std::int64_t i = 0; i < 3; ++i) {
      for (std::int64_t d = 0; d < 4; ++d) {
        const float more = h == 1 && i > 0 ? 2 * vector[d] : 0;
        EXPECT_EQ(after.at({0, h, i, d}), before.at({0, h, i, d}) + more);
      }
    }
  }
  EXPECT_GT(largest_difference(stage("plain", "output"), stage("added", "output")), 0.0);
  run_to("set", seeded({"--set", "context=added/context.npy;weights:0,2=0.25"}));
  EXPECT_EQ(largest_difference(stage("set", "output"), stage("added", "output")), 0.0);
  EXPECT_EQ(stage("set", "weights").at({0, 0, 2, 1}), 0.25F);
  run_to("off", seeded({"--add", "off:context=nothing.npy", "--project-out", "off:query:0=" + small_}));
  EXPECT_EQ(largest_difference(stage("plain", "output"), stage("off", "output")), 0.0);
}

// A manifest, and a picture, hold small arrays themselves, and the hash of all.
TEST_F(Arrays, ASessionKeepsSmallArraysAndNoticesOtherNumbers) {
  const std::vector<std::string> array = {"--add", "1/stream=" + steer_ + "*3"};
  std::vector<std::string> words = array;
  words.insert(words.end(), {"--export", "output", "--format", "npy", "--out", "first"});
  ASSERT_EQ(run_model("run", words).code, 0);
  words = array;
  words.insert(words.end(), {"--view", "heads", "--out", "first.png"});
  ASSERT_EQ(run_model("render", words).code, 0);
  const auto request = manifest("first")["request"];
  EXPECT_EQ(request["add"], "1/stream=" + steer_ + "*3");
  ASSERT_EQ(request["arrays"].size(), 1u);
  EXPECT_EQ(request["arrays"][0]["shape"], nlohmann::json({64}));
  EXPECT_EQ(request["arrays"][0]["values"][1], -0.25);
  // The file may go.
  std::filesystem::remove(folder_ / steer_);
  for (const char* session : {"first/manifest.json", "first.png"}) {
    const Result again = cli({"run", "--session", session, "--export", "output", "--format", "npy", "--out", "again"});
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(largest_difference(stage("first", "output"), stage("again", "output")), 0.0) << session;
  }
  EXPECT_EQ(manifest("again")["request"], request);
  expect_refused(run_model("run", array), 3, {steer_});
  // A large one is noticed by its hash.
  const std::string large = write_array("large", {1, 6, 64}, ramp(6 * 64, 0.5F));
  const std::string hash = request["arrays"][0]["sha256"];
  folder_.write("s.json", R"({"model": "demo:induction", "phrase": "cat box ink fox jam cat", "set": "1/stream=)" +
                              large + R"(", "arrays": [{"file": ")" + large + R"(", "sha256": ")" + hash + R"("}]})");
  expect_refused(cli({"run", "--session", "s.json"}), 3, {large, "sha256", hash.substr(0, 12)});
  EXPECT_EQ(cli({"run", "--session", "s.json", "--set", "1/stream=" + large}).code, 0);
}

TEST_F(Arrays, AListOfArraysThatIsNoneIsRefused) {
  for (const auto& [list, part] : std::vector<std::pair<std::string, std::string>>{
           {"3", "a number"},
           {R"([3])", "a number"},
           {R"([{"file": "small.npy"}])", "sha256"},
           {R"([{"file": "small.npy", "sha256": "12"}])", "64 hexadecimal digits"},
           {R"([{"file": "other.npy", "sha256": ")" + std::string(64, 'a') + R"("}])", "other.npy"},
           {R"([{"file": "small.npy", "sha256": ")" + std::string(64, 'a') + R"(", "shape": [4], "values": [1]}])",
            "as many as their shape has"},
           {R"([{"file": "small.npy", "sha256": ")" + std::string(64, 'a') + R"(", "shape": [1], "values": ["x"]}])",
            "a list of numbers"}}) {
    folder_.write("s.json",
                  R"({"model": "seeded", "phrase": "a b", "add": "context=small.npy", "arrays": )" + list + "}");
    expect_refused(cli({"run", "--session", "s.json"}), 3, {"s.json", "arrays", part});
  }
}

TEST_F(Arrays, AnExplanationSaysWhatWasThereAndWhoChangedIt) {
  std::vector<std::string> words = seeded({"--stage", "context", "--at", "0,1,2,0", "--json", "--set", "context:0=7",
                                           "--add", "context:1=" + small_ + "*2"});
  words.insert(words.begin(), "explain");
  const Result found = cli(words);
  ASSERT_EQ(found.code, 0) << found.err;
  const auto json = nlohmann::json::parse(found.out);
  const auto last = json["steps"].back();
  EXPECT_EQ(last["name"], "added");
  const double was = json["steps"][json["steps"].size() - 2]["value"];
  EXPECT_TRUE(std::abs(json["value"].get<double>() - (was + 2)) <= 1e-6);
  EXPECT_NE(last["expression"].get<std::string>().find("by --add, small.npy*2"), std::string::npos) << last;
  const Result model =
      run_model("explain", {"--stage", "stream", "--at", "1,0,2,3", "--project-out", "1/stream=" + steer_});
  ASSERT_EQ(model.code, 0) << model.err;
  EXPECT_NE(model.out.find("by --project-out, steer.npy"), std::string::npos) << model.out;
}

TEST_F(Arrays, GenerationHasThemAtEveryStepWhereThePlacesAre) {
  const auto generate = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--tokens", "3", "--json"});
    const Result result = run_model("generate", more);
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out.empty() ? "{}" : result.out);
  };
  // A place that comes with the text: the first step is as without it, run refuses it.
  const auto plain = generate({}), later = generate({"--add", "1/stream:6=" + steer_ + "*40"});
  EXPECT_EQ(plain["ids"][0], later["ids"][0]);
  expect_refused(run_model("run", {"--add", "1/stream:6=" + steer_}), 2, {"--add", "no position 6", "0 to 5"});
  // Every step, at the last place, which moves; and a whole array on the places of the prompt.
  generate({"--add", "1/stream:-1=" + steer_ + "*40"});
  const std::string whole = write_array("whole", {6, 64}, ramp(6 * 64, 0.5F));
  generate({"--add", "1/stream=" + whole});
  const std::string key_rows = write_array("keys", {6}, {0, 0, 0, 0, 0, 1});
  const Result grows = run_model("generate", {"--set", "1/weights:0,-1=" + key_rows, "--tokens", "2"});
  expect_refused(grows, 2, {"--set", "does not grow"});
}

TEST_F(Arrays, WhatCannotHaveThemSaysSo) {
  expect_refused(run_model("run", {"--set", "1/stream=" + small_}), 2, {"--set", "[4]", "[64]"});
  expect_refused(run_model("run", {"--set", "9/stream=0"}), 2, {"--set", "no layer 9"});
  expect_refused(run_model("gradients", {"--add", "1/stream=" + steer_, "--metric", "logit:box"}), 2,
                 {"interventions"});
  expect_refused(run_model("sweep", {"--add", "1/stream=" + steer_, "--ablation", "zero", "--patch", "paths", "--from",
                                     "0:1", "--metric", "logit:box"}),
                 2, {"--add", "path"});
  expect_refused(run_model("run", {"--add", "1/stream=" + steer_, "--add", "1/stream=" + steer_}), 2, {"--add"});
}

TEST_F(Arrays, SweepsAndLogitsTakenApartHaveThem) {
  const std::vector<std::string> array = {"--add", "1/stream=" + steer_ + "*2"};
  std::vector<std::string> words = array;
  words.insert(words.end(), {"--at", "5", "--token", "box", "--json"});
  const Result apart = run_model("attribute", words);
  ASSERT_EQ(apart.code, 0) << apart.err;
  const auto json = nlohmann::json::parse(apart.out);
  EXPECT_TRUE(std::abs(json["sum"].get<double>() - json["total"].get<double>()) <= 1e-4) << apart.out;
  EXPECT_NE(apart.out.find("\"array\""), std::string::npos);
  words = array;
  words.insert(words.end(), {"--ablation", "zero", "--patch", "heads", "--metric", "logit:box", "--json"});
  EXPECT_EQ(run_model("sweep", words).code, 0);
}

}  // namespace
}  // namespace headscope
