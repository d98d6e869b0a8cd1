// Tutorial 003: the worked example with 3 tokens and 2 heads of 3 features. 003.md says where its prints break off.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/golden/golden_run.h"

namespace headscope {
namespace {

class Tutorial003 : public GoldenTest {
 public:
  // Steps 6 to 11: from the printed queries, keys and values.
  Options chain(Options more = {}) const {
    const nlohmann::json& inputs = seed_case("s003.chain.step6_to_11").at("inputs");
    Options options = attention_alone(tensor_of(inputs.at("Q")), tensor_of(inputs.at("K")), tensor_of(inputs.at("V")));
    options.insert(options.end(), {{"mask", "causal"}, {"mask-order", "before-scale"}});
    options.insert(options.end(), more.begin(), more.end());
    return options;
  }
  // Projections that hand their input through unchanged.
  Options identity_layer(const Tensor& x) const {
    const Tensor identity = tensor_of(
        nlohmann::json::parse("[[1,0,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,1,0,0],[0,0,0,0,1,0],[0,0,0,0,0,1]]"));
    return {{"input", npy("x.npy", x)},
            {"weights", layer("w.safetensors", {{"Wq", identity}, {"Wk", identity}, {"Wv", identity}})},
            {"heads", "2"}};
  }
  void expect_stage(const std::string& id, const std::string& stage, const Options& options) {
    const nlohmann::json& golden = seed_case(id);
    for (const GoldenRun& run : run_everywhere(options)) {
      EXPECT_TRUE(all_near(run.stage(stage), flat_numbers(golden.at("expected")), tolerance_of(golden)))
          << id << " " << run.label;
      if (golden.contains("computed") && golden.at("verified_consistent") == true) {
        EXPECT_TRUE(all_near(run.stage(stage), flat_numbers(golden.at("computed")), tolerance_of(golden))) << id;
      }
    }
  }
  // The tutorial printed something else than what its own step gives: ours is the computed one, as far off as known.
  void expect_mistake(const std::string& id, const Tensor& found) {
    const nlohmann::json& golden = seed_case(id);
    EXPECT_TRUE(all_near(found, flat_numbers(golden.at("computed")), kFloat32)) << id;
    const double off = max_difference(found, flat_numbers(golden.at("expected")));
    EXPECT_TRUE(std::abs(off - golden.at("max_abs_diff").get<double>()) <= 1e-5) << id << " is off by " << off;
  }
};

TEST_F(Tutorial003, Step4PrintsRandomNumbersInsteadOfTheProducts) {
  const nlohmann::json& inputs = seed_case("s003.chain.true_forward").at("inputs");
  const Options options = {{"input", npy("x.npy", tensor_of(inputs.at("X")))},
                           {"weights", layer("w.safetensors", {{"Wq", tensor_of(inputs.at("Wq"))},
                                                               {"Wk", tensor_of(inputs.at("Wk"))},
                                                               {"Wv", tensor_of(inputs.at("Wv"))}})},
                           {"heads", "2"}};
  for (const GoldenRun& run : run_everywhere(options)) {
    expect_mistake("s003.step4.q", run.stage("query_proj"));
    expect_mistake("s003.step4.k", run.stage("key_proj"));
    expect_mistake("s003.step4.v", run.stage("value_proj"));
  }
}

TEST_F(Tutorial003, Step5PrintsOtherNumbersThanTheReshapeOfStep4) {
  for (const char* id : {"s003.step5.q", "s003.step5.k", "s003.step5.v"}) {
    for (const GoldenRun& run : run_everywhere(identity_layer(tensor_of(seed_case(id).at("inputs").at("T"))))) {
      expect_mistake(id, run.stage("query").permuted({0, 2, 1, 3}));
    }
  }
}

TEST_F(Tutorial003, Step6PrintsOtherNumbersThanTheTransposeOfStep5) {
  for (const char* id : {"s003.step6.q", "s003.step6.k", "s003.step6.v"}) {
    const Tensor split = tensor_of(seed_case(id).at("inputs").at("T"));
    const Tensor x = split.reshaped({1, 3, 6}, {Axis::batch, Axis::position, Axis::feature});
    for (const GoldenRun& run : run_everywhere(identity_layer(x))) expect_mistake(id, run.stage("query"));
  }
}

TEST_F(Tutorial003, Steps7And9UseTheTensorsOfStep6) {
  expect_stage("s003.step7.q_repeat", "query", chain());
  expect_stage("s003.step9.values_repeat", "value", chain());
  const nlohmann::json& golden = seed_case("s003.step7.k_transpose");
  for (const GoldenRun& run : run_everywhere(chain())) {
    EXPECT_TRUE(
        all_near(run.stage("key").permuted({0, 1, 3, 2}), flat_numbers(golden.at("expected")), tolerance_of(golden)))
        << run.label;
  }
}

TEST_F(Tutorial003, Step7ScoresAreTheProductsOfQueriesAndKeys) {
  expect_stage("s003.step7.scores", "raw_scores", chain());
}

TEST_F(Tutorial003, Step8MasksTheScoresAndScalesThem) {
  const Tensor scores = tensor_of(seed_case("s003.step8.causal_mask").at("inputs").at("scores"));
  Options options = exact_scores(scores);
  options.insert(options.end(), {{"mask", "causal"}, {"mask-order", "before-scale"}, {"scale", "1"}});
  expect_stage("s003.step8.causal_mask", "masked_scores", options);
  options.back() = {"scale", "auto"};
  expect_stage("s003.step8.scale", "masked_scores", options);
}

TEST_F(Tutorial003, Step8SoftmaxIsOverTheKeysThatAreVisible) {
  std::vector<float> scaled = tensor_of(seed_case("s003.step8.softmax").at("inputs").at("scaled_masked")).values();
  for (float& value : scaled) value = std::isinf(value) ? 7.0f : value;  // hidden again by the mask
  Options options =
      exact_scores(Tensor::of({1, 2, 3, 3}, {Axis::batch, Axis::head, Axis::query, Axis::key}, std::move(scaled)));
  options.insert(options.end(), {{"mask", "causal"}, {"scale", "1"}});
  expect_stage("s003.step8.softmax", "weights", options);
}

TEST_F(Tutorial003, Step8DropoutDoublesWhatItKeepsAndLeavesTheWeightsAsTheyWere) {
  const nlohmann::json& golden = seed_case("s003.step8.dropout");
  const Options dropped =
      chain({{"dropout", "0.5"}, {"dropout-mask", npy("keep.npy", tensor_of(golden.at("inputs").at("keep")))}});
  expect_stage("s003.step8.dropout", "dropped_weights", dropped);
  const std::vector<GoldenRun> with = run_everywhere(dropped);
  const std::vector<GoldenRun> without = run_everywhere(chain());
  const nlohmann::json& repeat = seed_case("s003.step9.weights_repeat");
  for (std::size_t r = 0; r < with.size(); ++r) {
    EXPECT_EQ(with[r].stage("weights").values(), without[r].stage("weights").values()) << with[r].label;
    EXPECT_TRUE(all_near(with[r].stage("weights"), flat_numbers(repeat.at("expected")), {1e-4, false}));
    EXPECT_NE(with[r].stage("context").values(), without[r].stage("context").values());
  }
}

TEST_F(Tutorial003, Step9ContextIsMadeOfTheWeightsBeforeDropout) {
  expect_stage("s003.step9.context", "context", chain());
}

TEST_F(Tutorial003, Step10PutsTheHeadsOfATokenSideBySide) {
  const Tensor context = tensor_of(seed_case("s003.step10.transpose_back").at("inputs").at("T"));
  expect_stage("s003.step10.transpose_back", "concat", exact_context(context));
}

TEST_F(Tutorial003, Step11AsPrintedIsTheMergeWithoutTransposingBack) {
  Options options = exact_context(tensor_of(seed_case("s003.step11.merge_without_transpose").at("inputs").at("T")));
  for (const GoldenRun& run : run_everywhere(options)) expect_mistake("s003.step11.merge_correct", run.stage("concat"));
  options.emplace_back("merge", "direct");
  expect_stage("s003.step11.merge_without_transpose", "concat", options);
}

TEST_F(Tutorial003, Step11NamesTheShapeBeforeTransposingBack) {
  const nlohmann::json& expected = seed_case("s003.step11_shape_text").at("expected");
  for (const GoldenRun& run : run_everywhere(chain())) {
    const Tensor context = run.stage("context");
    EXPECT_EQ(to_string(context.shape()), "[1, 2, 3, 3]");
    EXPECT_EQ(expected.at("printed"), (nlohmann::json{1, 2, 3, 3}));
    EXPECT_EQ(to_string(context.permuted({0, 2, 1, 3}).shape()), "[1, 3, 2, 3]");
    EXPECT_EQ(expected.at("correct"), (nlohmann::json{1, 3, 2, 3}));
  }
}

TEST_F(Tutorial003, Steps6To11AreOneChain) {
  expect_stage("s003.chain.step6_to_11", "concat", chain());
}

TEST_F(Tutorial003, TheTrueForwardFromXAndTheWeights) {
  const nlohmann::json& golden = seed_case("s003.chain.true_forward");
  const nlohmann::json& inputs = golden.at("inputs");
  Options options = {{"input", npy("x.npy", tensor_of(inputs.at("X")))},
                     {"weights", layer("w.safetensors", {{"Wq", tensor_of(inputs.at("Wq"))},
                                                         {"Wk", tensor_of(inputs.at("Wk"))},
                                                         {"Wv", tensor_of(inputs.at("Wv"))}})},
                     {"heads", "2"},
                     {"mask", "causal"},
                     {"mask-order", "before-scale"}};
  const auto check = [&](const GoldenRun& run, const char* stage, const char* key) {
    // Scores reach 265, so that a weight can be off by 265 times float32's precision.
    const Tolerance tolerance = std::string(stage) == "query_proj" ? kFloat32 : Tolerance{2e-5, true};
    EXPECT_TRUE(all_near(run.stage(stage), flat_numbers(golden.at("expected").at(key)), tolerance))
        << run.label << " " << stage;
  };
  for (const GoldenRun& run : run_everywhere(options)) {
    check(run, "query_proj", "Q");
    check(run, "key_proj", "K");
    check(run, "value_proj", "V");
    check(run, "masked_scores", "scaled_masked_scores");
    check(run, "weights", "weights");
    check(run, "context", "context");
    check(run, "concat", "merged");
  }
  options.emplace_back("merge", "direct");
  for (const GoldenRun& run : run_everywhere(options)) check(run, "concat", "merged_buggy");
}

TEST_F(Tutorial003, ShapesAreThoseOfItsSteps) {
  const nlohmann::json& expected = seed_case("s003.shapes").at("expected");
  const nlohmann::json& inputs = seed_case("s003.chain.true_forward").at("inputs");
  for (const GoldenRun& run : run_everywhere(identity_layer(tensor_of(inputs.at("X"))))) {
    const auto sizes = [](const Tensor& tensor) {
      nlohmann::json list = nlohmann::json::array();
      for (const std::int64_t size : tensor.shape()) list.push_back(size);
      return list;
    };
    const std::vector<std::pair<std::string, nlohmann::json>> found = {
        {"x", sizes(run.stage("input"))},
        {"q,k,v", sizes(run.stage("query_proj"))},
        {"view", sizes(run.stage("query").permuted({0, 2, 1, 3}))},
        {"transpose(1,2)", sizes(run.stage("query"))},
        {"keys.transpose(2,3)", sizes(run.stage("key").permuted({0, 1, 3, 2}))},
        {"scores", sizes(run.stage("scores"))},
        {"context", sizes(run.stage("context"))},
        {"transpose back", sizes(run.stage("context").permuted({0, 2, 1, 3}))},
        {"merged", sizes(run.stage("concat"))}};
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].first, expected[i][0].get<std::string>());
      EXPECT_EQ(found[i].second, expected[i][1]) << found[i].first;
    }
  }
}

}  // namespace
}  // namespace headscope
