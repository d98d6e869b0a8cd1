// --edit, --freeze, --scale-query, --scale-key, --paint and --ablate from the command line, in sessions and in a model.
#include <cmath>
#include <tuple>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class InterventionOptions : public CommandTest {
 protected:
  void small_to(const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"--model", "seeded", "--phrase", "a b c", "--heads", "2", "--d-model", "8"};
    words.insert(words.end(), more.begin(), more.end());
    run_to(name, words);
  }
  // A phrase in the shipped demo (two layers of eight heads of eight features), all stages of `layer` to the folder
  // NAME.
  void model_to(const std::string& name, const std::string& layer, std::vector<std::string> words) {
    words.insert(words.begin(), {"run", "--model", "demo:pronouns", "--phrase", "the animal was tired", "--layer",
                                 layer, "--export", "all", "--format", "npy", "--out", name});
    const Result result = cli(words);
    ASSERT_EQ(result.code, 0) << result.err;
  }
};

TEST_F(InterventionOptions, AnEditIsInItsStageAndInAllThatFollows) {
  small_to("plain", {});
  small_to("edited", {"--edit", "scores:0,1,2,1=0.5"});
  EXPECT_EQ(stage("edited", "scores").at({0, 1, 2, 1}), 0.5F);
  EXPECT_EQ(largest_difference(stage("plain", "raw_scores"), stage("edited", "raw_scores")), 0.0);
  for (const char* name : {"scores", "weights", "context", "concat", "output"}) {
    EXPECT_GT(largest_difference(stage("plain", name), stage("edited", name)), 0.0) << name;
  }
  EXPECT_EQ(manifest("edited")["request"]["edit"], "scores:0,1,2,1=0.5");
}

TEST_F(InterventionOptions, WhatIsSwitchedOffIsKeptAndChangesNothing) {
  small_to("plain", {});
  small_to("off", {"--edit", "off:scores:0,1,2,1=0.5;off:nothing:7=1", "--freeze", "off:0.1=uniform", "--scale-query",
                   "off:3", "--scale-key", "off:0.0=2", "--paint", "off:hide@:,0", "--ablate", "off:0.1"});
  EXPECT_EQ(largest_difference(stage("plain", "output"), stage("off", "output")), 0.0);
  const auto request = manifest("off")["request"];
  EXPECT_EQ(request["edit"], "off:scores:0,1,2,1=0.5;off:nothing:7=1");
  EXPECT_EQ(request["paint"], "off:hide@:,0:1");
  EXPECT_EQ(request["ablate"], "off:0.1");
}

TEST_F(InterventionOptions, ASessionHoldsThemInItsOwnSpellings) {
  folder_.write("s.json", R"({"phrase": "a b c", "heads": 2, "d_model": 8, "model": "seeded",
      "edit": ["scores:0,0,2,1=0.5", "off:query:0,0,1,1=3"], "freeze": ["0.1=identity"], "scale_query": 2,
      "scale_key": ["0.0=0.5", 3], "paint": ["hide@:,1", "show@2,1"], "ablate": ["off:0.0"]})");
  ASSERT_EQ(cli({"run", "--session", "s.json", "--export", "all", "--format", "npy", "--out", "from_file"}).code, 0);
  ASSERT_EQ(cli({"run",
                 "--phrase",
                 "a b c",
                 "--heads",
                 "2",
                 "--d-model",
                 "8",
                 "--model",
                 "seeded",
                 "--edit",
                 "scores:0,0,2,1=0.5;off:query:0,0,1,1=3",
                 "--freeze",
                 "0.1=identity",
                 "--scale-query",
                 "2",
                 "--scale-key",
                 "0.0=0.5,3",
                 "--paint",
                 "hide@:,1;show@2,1",
                 "--ablate",
                 "off:0.0",
                 "--export",
                 "all",
                 "--format",
                 "npy",
                 "--out",
                 "typed"})
                .code,
            0);
  EXPECT_EQ(manifest("from_file")["request"], manifest("typed")["request"]);
  EXPECT_EQ(largest_difference(stage("from_file", "output"), stage("typed", "output")), 0.0);
  const Result again = cli({"run", "--session", "from_file/manifest.json", "--json"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(nlohmann::json::parse(again.out)["request"], manifest("typed")["request"]);
}

TEST_F(InterventionOptions, AHeadWhoseContextIsEditedToZeroIsOneThatIsSwitchedOff) {
  std::string zeros;
  for (int i = 0; i < 4; ++i) {
    for (int d = 0; d < 8; ++d) {
      zeros += (zeros.empty() ? "" : ";") + ("0/context:0,3," + std::to_string(i) + "," + std::to_string(d) + "=0");
    }
  }
  model_to("ablated", "1", {"--ablate", "0.3"});
  model_to("edited", "1", {"--edit", zeros});
  model_to("plain", "1", {});
  EXPECT_EQ(largest_difference(stage("ablated", "output"), stage("edited", "output")), 0.0);
  EXPECT_GT(largest_difference(stage("plain", "output"), stage("edited", "output")), 0.0);
}

TEST_F(InterventionOptions, AnEditWithoutALayerIsOfTheOneThatIsShown) {
  for (const char* layer : {"0", "1"}) {
    const std::string named = std::string("named") + layer, shown = std::string("shown") + layer;
    model_to(named, layer, {"--edit", std::string(layer) + "/weights:0,2,3,1=0.75"});
    model_to(shown, layer, {"--edit", "weights:0,2,3,1=0.75"});
    EXPECT_EQ(stage(shown, "weights").at({0, 2, 3, 1}), 0.75F);
    EXPECT_EQ(largest_difference(stage(named, "output"), stage(shown, "output")), 0.0);
  }
  model_to("below", "1", {"--edit", "0/layers.0.qkv.weight:0,0=5", "--freeze", "0.2=uniform"});
  model_to("plain", "1", {});
  EXPECT_GT(largest_difference(stage("plain", "input"), stage("below", "input")), 0.0);
  expect_refused(
      cli({"run", "--model", "demo:pronouns", "--phrase", "a", "--edit", "layers.0.qkv.weight:0,0=5"}), 2,
      {"--edit", "there is no layers.0.qkv.weight in layer 1", "0/layers.0.qkv.weight", "layers.1.qkv.weight"});
  expect_refused(cli({"run", "--model", "demo:pronouns", "--phrase", "a", "--edit", "layers.1.norm.weight:0=5"}), 2,
                 {"--edit", "layers.1.norm.weight cannot be edited", "Norms, MLP", "layers.1.qkv.weight"});
  expect_refused(cli({"run", "--model", "demo:pronouns", "--phrase", "a", "--edit", "layers.7.thing:0=5"}), 2,
                 {"--edit", "there is no layers.7.thing", "layers.1.qkv.weight"});
  expect_refused(cli({"run", "--model", "demo:pronouns", "--phrase", "a", "--edit", "2/scores:0,0,0,0=5"}), 2,
                 {"--edit", "there is no layer 2"});
}

TEST_F(InterventionOptions, EveryBackendFollowsThem) {
  const std::vector<std::string> words = {"--edit",        "raw_scores:0,0,1,0=4;weights:0,1,2,2=0.25;value:0,1,0,0=3",
                                          "--freeze",      "0.0=uniform",
                                          "--scale-query", "1.5",
                                          "--paint",       "hide@2,0",
                                          "--backend"};
  std::vector<const char*> backends = {"reference", "cpu"};
#ifndef HEADSCOPE_NO_GPU
  backends.push_back("gpu");
#endif
  for (const char* backend : backends) {
    std::vector<std::string> all = words;
    all.push_back(backend);
    small_to(backend, all);
    for (const char* name : {"raw_scores", "masked_scores", "weights", "context", "output"}) {
      EXPECT_LE(largest_difference(stage(backend, name), stage("reference", name)), 2e-5) << backend << " " << name;
    }
  }
}

TEST_F(InterventionOptions, AnEditedCellExplainsItself) {
  const Result result = cli({"explain", "--model", "seeded", "--phrase", "a b c", "--edit", "scores:0,0,2,1=0.5",
                             "--stage", "scores", "--at", "0,0,2,1", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["value"], 0.5);
  const auto last = json["steps"].back();
  EXPECT_EQ(last["name"], "edited");
  EXPECT_EQ(last["value"], 0.5);
  const std::string expression = last["expression"];
  EXPECT_TRUE(expression.starts_with("was ") && expression.ends_with(", is 0.5 by --edit")) << expression;
}

TEST_F(InterventionOptions, WhatIsNotThereIsRefused) {
  for (const auto& [option, value, part] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"edit", "scores:0,0,9,0=1", "scores[0, 0, 9, 0] is outside"},
           {"edit", "scores:0=x", "a finite number"},
           {"edit", "", "is not a list of edits"},
           {"freeze", "0.99=uniform", "there is no head 99"},
           {"freeze", "0.1=none", "is not a frozen head"},
           {"scale-key", "0.99=2", "there is no head 99"},
           {"paint", "hide@3:1,:", "is not a rectangle"}}) {
    expect_refused(cli({"run", "--model", "seeded", "--phrase", "a b c", "--" + option, value}), 2,
                   {"--" + option, part});
  }
  expect_refused(
      cli({"run", "--model", "seeded", "--phrase", "a", "--edit", "input:0,0,0=1", "--edit", "input:0,0,1=1"}), 2,
      {"--edit"});
}

}  // namespace
}  // namespace headscope
