// Every option of REQUEST at least once, by what it changes in the numbers. Masks are in request_mask_test.cpp, what a
// request reads is in request_input_test.cpp.
#include <cmath>

#include "tests/app/cli/request_options.h"

namespace headscope {
namespace {

TEST_F(RequestOptions, SizesShapeTheStages) {
  run_to("o", {"--phrase", "a b c", "--d-model", "24", "--heads", "6", "--kv-heads", "2", "--input-dim", "10",
               "--batch", "3"});
  EXPECT_EQ(to_string(stage("o", "input").shape()), "[3, 3, 10]");
  EXPECT_EQ(to_string(stage("o", "query").shape()), "[3, 6, 3, 4]");
  EXPECT_EQ(to_string(stage("o", "key").shape()), "[3, 2, 3, 4]");
  EXPECT_EQ(to_string(stage("o", "weights").shape()), "[3, 6, 3, 3]");
  EXPECT_EQ(to_string(stage("o", "output").shape()), "[3, 3, 24]");
}

TEST_F(RequestOptions, WithoutAModelTheDemoRunsUnlessAnOptionSpeaksOfDrawnWeights) {
  run_to("demo", {"--phrase", "the animal was tired"});
  EXPECT_EQ(manifest("demo")["request"]["model"], "demo:stories");
  EXPECT_EQ(stage("demo", "weights").dim(1), 8);
  EXPECT_EQ(stage("demo", "output").dim(2), 128);
  for (const auto& [option, value] : {std::pair{"--seed", "0"}, {"--d-model", "512"}, {"--heads", "4"}}) {
    run_to(std::string("drawn") + option, {"--phrase", "the animal was tired", option, value});
    EXPECT_EQ(to_string(stage(std::string("drawn") + option, "output").shape()), "[1, 4, 512]") << option;
  }
  run_to("named", {"--phrase", "the animal was tired", "--model", "demo:stories"});
  EXPECT_EQ(largest_difference(stage("demo", "output"), stage("named", "output")), 0);
}

TEST_F(RequestOptions, AModelThatNobodyNamedIsNamed) {
  const Result whole = cli({"run", "--phrase", "a b c"});
  EXPECT_EQ(whole.out.substr(0, whole.out.find('\n')),
            "model      demo:stories, layer 3 of 0 to 3; the default, --model names another");
  EXPECT_EQ(whole.err, "");
  const std::string why = "random weights, because --batch was given; --model demo:stories for a trained one";
  const Result drawn = cli({"run", "--phrase", "a b c", "--batch", "1"});
  EXPECT_EQ(drawn.out.substr(0, drawn.out.find('\n')), "model      seeded: " + why);
  EXPECT_EQ(drawn.err, "headscope-cli: notice: " + why + "\n");
  using Json = nlohmann::json;
  EXPECT_EQ(Json::parse(cli({"run", "--phrase", "a b c", "--batch", "1", "--json"}).out)["notices"], Json({why}));
  EXPECT_EQ(Json::parse(cli({"run", "--phrase", "a b c", "--json"}).out)["notices"],
            Json({"demo:stories is the default model; --model names another"}));
  for (const char* command : {"explain", "sensitivity"}) {
    const Result other = cli({command, "--phrase", "a b c", "--seed", "1", "--stage", "weights", "--at", "0,0,1,0"});
    EXPECT_EQ(
        other.err,
        "headscope-cli: notice: random weights, because --seed was given; --model demo:stories for a trained one\n");
  }
  const Result summary = cli({"run", "--phrase", "a b c", "--heads", "2", "--summary"});
  EXPECT_TRUE(summary.out.starts_with("model      seeded: random weights, because --heads was given;")) << summary.out;
  EXPECT_EQ(cli({"run", "--phrase", "a b c", "--batch", "1", "--model", "seeded"}).err, "") << "somebody named it";
  EXPECT_NE(cli({"run", "--help"}).out.find("demo:stories; with an"), std::string::npos);
}

TEST_F(RequestOptions, WithoutSizesTheDefaultsAreTheContracts) {
  run_to("o", {"--model", "seeded", "--phrase", "a b"});
  EXPECT_EQ(to_string(stage("o", "input").shape()), "[1, 2, 512]");
  EXPECT_EQ(to_string(stage("o", "qkv").shape()), "[1, 2, 1536]");
  EXPECT_EQ(to_string(stage("o", "weights").shape()), "[1, 8, 2, 2]");
}

TEST_F(RequestOptions, SeedsCoverSixtyFourBitsAndNoMore) {
  run_to("a", small_with({"--seed", "18446744073709551615"}));
  run_to("b", small_with({"--seed", "0"}));
  EXPECT_TRUE(largest_difference(stage("a", "output"), stage("b", "output")) > 1e-3);
  EXPECT_EQ(manifest("a")["request"]["seed"], 18446744073709551615ull);
  for (const char* seed : {"-1", "18446744073709551616", "1.5", "x", "", "0x10", "1e3"}) {
    expect_refused(cli({"run", "--phrase", "a", "--seed", seed}), 2, {"--seed"});
  }
  expect_refused(cli({"run", "--phrase", "a", "--dropout", "0.5", "--dropout-seed", "-1"}), 2, {"--dropout-seed"});
}

TEST_F(RequestOptions, ThreadsNeverChangeABit) {
  run_to("t1", small_with({"--threads", "1"}));
  for (const char* threads : {"2", "3", "7", "8", "0"}) {
    const std::string name = std::string("t") + threads;
    run_to(name, small_with({"--threads", threads}));
    for (const char* file : {"weights", "output", "raw_scores"}) {
      EXPECT_EQ(bytes_of(folder_ / ("t1/" + std::string(file) + ".npy")),
                bytes_of(folder_ / (name + "/" + file + ".npy")));
    }
  }
  expect_refused(cli({"run", "--phrase", "a", "--threads", "-2"}), 2, {"--threads"});
}

TEST_F(RequestOptions, ThreadsNeverChangeABitOfAModel) {
  run_to("m1", {"--model", "demo:induction", "--phrase", "cat box ink cat box", "--threads", "1"});
  for (const char* threads : {"2", "3", "8"}) {
    const std::string name = std::string("m") + threads;
    run_to(name, {"--model", "demo:induction", "--phrase", "cat box ink cat box", "--threads", threads});
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "m1")) {
      const std::string file = entry.path().filename().string();
      if (file == "manifest.json") continue;  // holds the seconds and the threads
      EXPECT_EQ(bytes_of(entry.path().string()), bytes_of(folder_ / (name + "/" + file))) << threads << " " << file;
    }
  }
}

TEST_F(RequestOptions, BackendsAgree) {
  run_to("cpu", small_with({"--backend", "cpu"}));
  run_to("reference", small_with({"--backend", "reference"}));
  EXPECT_TRUE(largest_difference(stage("cpu", "output"), stage("reference", "output")) < 1e-5);
  EXPECT_EQ(manifest("cpu")["backend"], "cpu");
  EXPECT_EQ(manifest("reference")["backend"], "reference");
  expect_refused(cli({"run", "--phrase", "a", "--backend", "tpu"}), 2, {"--backend", "tpu"});
}

TEST_F(RequestOptions, InitGainMultipliesTheWeights) {
  run_to("one", small_with({"--input-dim", "16"}));
  run_to("two", small_with({"--init-gain", "2", "--input-dim", "16"}));
  EXPECT_TRUE(largest_difference(stage("one", "input"), stage("two", "input")) == 0);
  EXPECT_TRUE(largest_difference(stage("one", "qkv"), stage("two", "qkv")) > 1e-3);
}

TEST_F(RequestOptions, EmbeddingAndPosition) {
  run_to("token", {"--phrase", "x y x", "--d-model", "16", "--heads", "2"});
  const Tensor token = stage("token", "input");
  for (std::int64_t d = 0; d < 16; ++d) EXPECT_EQ(token.at({0, 0, d}), token.at({0, 2, d}));
  run_to("sequence", {"--phrase", "x y x", "--d-model", "16", "--heads", "2", "--embedding", "sequence"});
  const Tensor sequence = stage("sequence", "input");
  EXPECT_NE(sequence.at({0, 0, 0}), sequence.at({0, 2, 0}));
  run_to("position", {"--phrase", "x y x", "--d-model", "16", "--heads", "2", "--position", "sinusoidal"});
  const Tensor position = stage("position", "input");
  EXPECT_NEAR(position.at({0, 2, 0}) - token.at({0, 2, 0}), std::sin(2.0), 1e-5);
  EXPECT_NEAR(position.at({0, 0, 1}) - token.at({0, 0, 1}), 1.0, 1e-5);
}

TEST_F(RequestOptions, ScaleAndSoftcap) {
  run_to("auto", small_with({"--scale", "auto"}));
  run_to("three", small_with({"--scale", "3"}));
  run_to("cap", small_with({"--scale", "3", "--softcap", "0.5"}));
  const float raw = at4(stage("auto", "raw_scores"), 0, 1, 2, 3);
  EXPECT_FLOAT_EQ(at4(stage("auto", "scores"), 0, 1, 2, 3), raw / 2);
  EXPECT_FLOAT_EQ(at4(stage("three", "scores"), 0, 1, 2, 3), raw * 3);
  EXPECT_NEAR(at4(stage("cap", "capped_scores"), 0, 1, 2, 3), 0.5 * std::tanh(static_cast<double>(raw) * 3 / 0.5),
              1e-6);
  expect_refused(cli({"run", "--phrase", "a", "--softcap", "5", "--mask", "causal", "--mask-order", "before-scale"}), 2,
                 {"softcap"});
  expect_refused(cli({"run", "--phrase", "a", "--scale", "big"}), 2, {"--scale", "big"});
}

TEST_F(RequestOptions, Dropout) {
  run_to("a", small_with({"--dropout", "0.5", "--dropout-seed", "1"}));
  run_to("b", small_with({"--dropout", "0.5", "--dropout-seed", "2"}));
  EXPECT_TRUE(largest_difference(stage("a", "dropped_weights"), stage("b", "dropped_weights")) > 0);
  EXPECT_TRUE(largest_difference(stage("a", "weights"), stage("b", "weights")) == 0);
  const std::string kept = write_array("kept", {2, 2}, {1, 0, 0, 1});
  run_to("mask", {"--phrase", "a b", "--dropout", "0.5", "--dropout-mask", kept});
  EXPECT_FLOAT_EQ(at4(stage("mask", "dropped_weights"), 0, 0, 0, 0), 2 * at4(stage("mask", "weights"), 0, 0, 0, 0));
  EXPECT_EQ(at4(stage("mask", "dropped_weights"), 0, 0, 0, 1), 0);
  expect_refused(cli({"run", "--phrase", "a", "--dropout", "1.5"}), 2, {"dropout"});
  expect_refused(cli({"run", "--phrase", "a", "--dropout", "0.5", "--dropout-mask", "no.npy"}), 3, {"no.npy"});
}

TEST_F(RequestOptions, MergeVariantAndAblate) {
  run_to("right", small_with({"--merge", "transpose"}));
  run_to("direct", small_with({"--merge", "direct"}));
  const Tensor context = stage("right", "context"), concat = stage("right", "concat"),
               direct = stage("direct", "concat");
  EXPECT_EQ(concat.at({0, 1, 6}), context.at({0, 1, 1, 2}));
  EXPECT_EQ(direct.at({0, 1, 6}), context.values()[1 * 16 + 6]);
  run_to("variant", small_with({"--variant", "merge-direct"}));
  EXPECT_TRUE(largest_difference(stage("variant", "concat"), direct) == 0);
  run_to("no-scale", small_with({"--variant", "no-scale"}));
  EXPECT_TRUE(largest_difference(stage("no-scale", "scores"), stage("right", "raw_scores")) == 0);
  expect_refused(cli({"run", "--phrase", "a", "--variant", "nonsense"}), 2, {"--variant", "nonsense"});
  run_to("ablated", small_with({"--ablate", "0.1,0.3"}));
  for (std::int64_t d = 0; d < 16; ++d)
    EXPECT_EQ(stage("ablated", "concat").at({0, 0, d}) == 0, d / 4 == 1 || d / 4 == 3);
  expect_refused(cli({"run", "--phrase", "a", "--ablate", "0.9"}), 2, {"ablate"});
}

TEST_F(RequestOptions, ModelsOfLaterVersionsSaySo) {
  run_to("seeded", small_with({"--model", "seeded"}));
  expect_refused(cli({"run", "--phrase", "a", "--model", "demo:nobody"}), 2, {"demo:nobody"});
  expect_refused(cli({"run", "--model", "seeded", "--token-ids", "1,2,0"}), 2, {"token-ids"});
  expect_refused(cli({"run", "--phrase", "a", "--layer", "9"}), 2, {"layer"});
  run_to("layer", small_with({"--layer", "0"}));
}

TEST_F(RequestOptions, HeadsThatDoNotDivideNameWhatWould) {
  expect_refused(cli({"run", "--phrase", "a", "--heads", "7"}), 2, {"--heads", "7", "512", "8"});
  expect_refused(cli({"run", "--phrase", "a", "--heads", "0"}), 2, {"--heads"});
  expect_refused(cli({"run", "--phrase", "a", "--heads", "99999999999999999999"}), 2, {"--heads"});
  expect_refused(cli({"run", "--phrase", "a", "--kv-heads", "3"}), 2, {"kv-heads"});
}

// What is computed where it is read has the numbers of what is kept.
TEST_F(RequestOptions, TheMemoryOfStagesChangesNoNumber) {
  run_to("kept", small_with({"--mask", "causal"}));
  run_to("read", small_with({"--mask", "causal", "--stage-memory", "0"}));
  for (const char* name : {"scores", "masked_scores", "weights", "context", "output"}) {
    EXPECT_EQ(stage("kept", name).values(), stage("read", name).values()) << name;
  }
  EXPECT_NE(cli({"run", "--phrase", "a b", "--stage-memory", "0"}).out.find("computed when read"), std::string::npos);
  EXPECT_EQ(cli({"run", "--phrase", "a b"}).out.find("computed when read"), std::string::npos);
  expect_refused(cli({"run", "--phrase", "a", "--stage-memory", "-1"}), 2, {"--stage-memory", "-1"});
  expect_refused(cli({"render", "--phrase", "a", "--out", "a.png", "--stage-memory", "much"}), 2, {"--stage-memory"});
}

}  // namespace
}  // namespace headscope
