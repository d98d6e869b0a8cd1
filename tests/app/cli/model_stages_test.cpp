// Stages of whole models and the logit lens on the command line.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/io/atomic_file.h"
#include "core/io/png.h"
#include "core/io/safetensors.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::string kStagesModels = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";

class ModelStages : public CommandTest {
 protected:
  static Tensor wanted(const std::string& model, const std::string& name) {
    const SafetensorsFile file = SafetensorsFile::open(kStagesModels + model + "/expected.safetensors");
    return file.tensor(*file.find(name));
  }
  static std::vector<std::string> request_of(const std::string& command, const std::string& model) {
    std::string ids;
    for (const float id : wanted(model, "token_ids").values()) {
      ids += (ids.empty() ? "" : ",") + std::to_string(static_cast<int>(id));
    }
    return {command, "--model", kStagesModels + model, "--token-ids", ids};
  }
  Result with(std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  }
};

TEST_F(ModelStages, TheStreamAndTheLogitsAreThoseOfTheReference) {
  for (const char* model : {"gpt2", "gemma2", "olmo2", "opt-after", "gpt_neox", "llama"}) {
    const Result result = with(request_of("run", model),
                               {"--export", "stream,logits,final_norm,weights", "--format", "npy", "--out", model});
    ASSERT_EQ(result.code, 0) << result.err;
    const Tensor stream = stage(model, "stream"), logits = stage(model, "logits"), expected = wanted(model, "logits");
    const std::int64_t len = expected.dim(0), layers = stream.dim(0) - 1;
    EXPECT_EQ(stream.shape(), (Shape{layers + 1, 1, len, wanted(model, "embedded").dim(1)}));
    EXPECT_EQ(logits.shape(), (Shape{1, len, expected.dim(1)}));
    EXPECT_TRUE(largest_difference(logits.reshaped(expected.shape(), expected.axes()), expected) <= 1e-4) << model;
    for (std::int64_t l = 0; l <= layers; ++l) {
      const Tensor hidden = wanted(model, l == 0 ? "embedded" : "layers." + std::to_string(l - 1) + ".hidden");
      const Tensor found = stream.sliced(0, l, l + 1).reshaped(hidden.shape(), hidden.axes());
      EXPECT_TRUE(largest_difference(found, hidden) <= 1e-4) << model << " " << l;
    }
    const nlohmann::json listed = manifest(model)["stages"];
    EXPECT_EQ(listed["stream"]["files"][0], "stream.npy");
    EXPECT_TRUE(listed["logits"]["max"].is_number());
    EXPECT_EQ(listed["weights"]["files"].size(), 1u);
    EXPECT_FALSE(listed.contains("mlp_in")) << "only what was asked for";
  }
}

TEST_F(ModelStages, AllMeansTheStagesOfTheLayer) {
  const Result result = with(request_of("run", "gpt2"), {"--export", "all", "--out", "all"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_FALSE(manifest("all")["stages"].contains("stream"));
}

TEST_F(ModelStages, CsvHasAFileALayerAndOneLineInTheList) {
  const Result result = with(request_of("run", "gpt2"), {"--export", "mlp_out", "--out", "csv"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "csv/mlp_out.l1.b0.csv"));
  EXPECT_NE(result.out.find("mlp_out.l0.b0.csv ... mlp_out.l1.b0.csv"), std::string::npos) << result.out;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "csv/weights.b0.h0.csv"));
}

TEST_F(ModelStages, WhatIsMissingIsNamedAndNothingIsWritten) {
  const auto refused = [&](const std::vector<std::string>& words, const std::vector<std::string>& parts) {
    expect_refused(cli(words), 2, parts);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "none"));
  };
  refused({"run", "--model", "seeded", "--phrase", "a b", "--export", "weights,stream", "--out", "none"},
          {"--export", "stream", "one layer without the model around it", "--model"});
  refused({"run", "--model", kStagesModels + "attention-only-decoder", "--token-ids", "1,2,3", "--export", "mlp_in",
           "--out", "none"},
          {"--export", "mlp_in", "has no MLP"});
  refused({"run", "--model", "demo:induction", "--phrase", "cat box", "--export", "steam", "--out", "none"},
          {"--export", "'stream'", "attention_out"});
  refused({"run", "--model", "demo:induction", "--phrase", "cat box", "--export", "stream", "--region",
           "0,1,:,:", "--out", "none"},
          {"--region", "head 1", "no heads"});
  refused({"explain", "--model", "seeded", "--phrase", "a b", "--stage", "stream", "--at", "0,0,0,0"},
          {"--stage", "stream", "one layer without the model around it"});
  refused({"explain", "--model", "demo:induction", "--phrase", "cat box", "--stage", "stream", "--at", "0,0,0"},
          {"--at", "3 numbers"});
  refused({"precision", "--model", "demo:induction", "--phrase", "cat box", "--stage", "logits"},
          {"--stage", "logits", "of the whole model"});
  refused({"run", "--model", "seeded", "--phrase", "a b", "--lens"}, {"--lens", "vocabulary"});
  refused({"run", "--model", "demo:induction", "--phrase", "a b", "--lens", "--trace", "torch"}, {"--lens"});
  refused({"run", "--model", "demo:induction", "--phrase", "a b", "--lens-of", "heads"}, {"--lens-of", "--lens"});
  refused({"run", "--model", "demo:induction", "--phrase", "a b", "--lens", "--lens-of", "head"},
          {"--lens-of", "'head'", "layers, attention, heads"});
  refused({"run", "--model", "seeded", "--phrase", "a b", "--lens", "--lens-of", "heads"}, {"--lens", "vocabulary"});
  refused(
      {"render", "--model", "demo:induction", "--phrase", "a b", "--view", "lens", "--lens-of", "x", "--out", "n.png"},
      {"--lens-of", "'x'", "layers, attention or heads"});
  refused({"render", "--model", "seeded", "--phrase", "a b", "--view", "lens", "--out", "none"}, {"--out"});
  refused({"render", "--model", "seeded", "--phrase", "a b", "--view", "lens", "--out", "none.png"},
          {"--view", "one layer without the model around it"});
}

TEST_F(ModelStages, CapturesDoNotHoldThem) {
  const Tensor weights = Tensor::of({1, 1, 2, 2}, {Axis::batch, Axis::head, Axis::query, Axis::key}, {1, 0, 0.5, 0.5});
  write_file_atomically(folder_ / "capture.safetensors", [&](std::ostream& out) {
    write_safetensors(out, {{"layers.0.weights", &weights}}, {{"tokens", "[\"a\",\"b\"]"}});
  });
  for (const char* stage : {"stream", "logits"}) {
    expect_refused(cli({"run", "--model", "capture.safetensors", "--export", stage, "--out", "none"}), 2,
                   {"--export", stage, "capture"});
  }
}

TEST_F(ModelStages, TheLastRowOfTheLensIsThePrediction) {
  const std::vector<std::string> words = {"run", "--model", "demo:induction", "--phrase",
                                          "cat box ink fox jam cat box"};
  const Result result = with(words, {"--lens", "--predict", "1", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json json = nlohmann::json::parse(result.out);
  const nlohmann::json& layers = json["lens"]["layers"];
  ASSERT_EQ(layers.size(), json["model"]["num_layers"].get<std::size_t>() + 1);
  EXPECT_TRUE(layers[0]["layer"].is_null());
  EXPECT_EQ(layers[0]["after"], "embeddings");
  EXPECT_EQ(layers[1]["layer"], 0);
  for (const nlohmann::json& layer : layers) EXPECT_EQ(layer["positions"].size(), json["tokens"].size());
  const nlohmann::json& predicted = json["predictions"]["positions"][0];
  const nlohmann::json& said = layers.back()["positions"].back();
  EXPECT_EQ(said["position"], predicted["position"]);
  EXPECT_EQ(said["at"], predicted["token"]);
  EXPECT_EQ(said["token"], predicted["top"][0]["piece"]);
  EXPECT_EQ(said["id"], predicted["top"][0]["id"]);
  EXPECT_EQ(said["logit"], predicted["top"][0]["logit"]);
  EXPECT_EQ(said["probability"], predicted["top"][0]["probability"]);

  const Result table = with(words, {"--lens"});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("logit lens"), std::string::npos);
  EXPECT_NE(table.out.find("embeddings"), std::string::npos);
  EXPECT_NE(table.out.find(said["token"].get<std::string>()), std::string::npos) << table.out;
}

TEST_F(ModelStages, ALensIsOfLayersOfAttentionOrOfHeads) {
  const std::vector<std::string> words = {
      "run", "--model", "demo:induction", "--phrase", "cat box ink fox jam cat box", "--lens"};
  const auto lens_of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> given = more;
    given.push_back("--json");
    const Result result = with(words, given);
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out)["lens"];
  };
  const nlohmann::json layers = lens_of({"--lens-of", "layers"}), attention = lens_of({"--lens-of", "attention"});
  EXPECT_EQ(layers, lens_of({})) << "the default";
  EXPECT_EQ(layers["of"], "layers");
  EXPECT_EQ(attention["of"], "attention");
  ASSERT_EQ(attention["layers"].size() + 1, layers["layers"].size());
  for (std::size_t l = 0; l < attention["layers"].size(); ++l) {
    EXPECT_EQ(attention["layers"][l]["layer"], l);
    EXPECT_EQ(attention["layers"][l]["after"], "attention " + std::to_string(l));
    EXPECT_EQ(attention["layers"][l]["positions"], layers["layers"][l + 1]["positions"]) << "the demo has no MLP";
  }
  const nlohmann::json heads = lens_of({"--lens-of", "heads", "--layer", "0"});
  EXPECT_EQ(heads["of"], "heads");
  ASSERT_EQ(heads["layers"].size(), 8U);
  for (std::size_t h = 0; h < heads["layers"].size(); ++h) {
    EXPECT_EQ(heads["layers"][h]["layer"], 0);
    EXPECT_EQ(heads["layers"][h]["head"], h);
    EXPECT_EQ(heads["layers"][h]["positions"].size(), layers["layers"][0]["positions"].size());
  }
  EXPECT_NE(heads["layers"][0]["positions"], lens_of({"--lens-of", "heads"})["layers"][0]["positions"])
      << "the last layer is the default";
  const Result table = with(words, {"--lens-of", "heads"});
  EXPECT_NE(table.out.find("attention lens"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("head 7"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("of the head's vector alone"), std::string::npos) << table.out;
}

TEST_F(ModelStages, AMaskedHeadHasALensAndLogits) {
  const std::vector<std::string> words = {"--model", "demo:pronouns", "--phrase", "The animal was too tired"};
  std::vector<std::string> run = {"run", "--export", "logits", "--format", "npy", "--out", "masked", "--lens"};
  run.insert(run.end(), words.begin(), words.end());
  const Result result = cli(run);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(manifest("masked")["lens"]["kind"], "masked");
  EXPECT_EQ(stage("masked", "logits").dim(1), static_cast<std::int64_t>(manifest("masked")["tokens"].size()));
}

TEST_F(ModelStages, TheLensIsAPictureThatDrawsItselfAgain) {
  const std::vector<std::string> words = {
      "render", "--model", "demo:induction", "--phrase", "cat box ink fox jam cat box", "--view", "lens"};
  ASSERT_EQ(with(words, {"--out", "lens.png"}).code, 0);
  ASSERT_EQ(with(words, {"--theme", "light", "--out", "light.png"}).code, 0);
  ASSERT_EQ(with(words, {"--out", "lens.svg"}).code, 0);
  ASSERT_EQ(with(words, {"--width", "160mm", "--background", "white", "--out", "lens.pdf"}).code, 0);
  const Result again = cli({"render", "--session", "lens.png", "--out", "again.png"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read_png(folder_ / "again.png").pixels, read_png(folder_ / "lens.png").pixels);
  EXPECT_NE(read_png(folder_ / "light.png").pixels, read_png(folder_ / "lens.png").pixels);
  expect_refused(with(words, {"--out", "lens.html"}), 2, {"--view", "lens"});
  ASSERT_EQ(with(words, {"--lens-of", "heads", "--layer", "0", "--out", "heads.png"}).code, 0);
  ASSERT_EQ(cli({"render", "--session", "heads.png", "--out", "again.png"}).code, 0);
  EXPECT_EQ(read_png(folder_ / "again.png").pixels, read_png(folder_ / "heads.png").pixels);
  EXPECT_NE(read_png(folder_ / "heads.png").pixels, read_png(folder_ / "lens.png").pixels);
}

TEST_F(ModelStages, ACellIsExplained) {
  const std::vector<std::string> words = {"explain", "--model", "demo:induction", "--phrase", "cat box ink fox"};
  for (const auto& [stage, at] : {std::pair{"stream", "0,0,2,5"},
                                  {"stream", "2,0,2,5"},
                                  {"attention_out", "1,0,2,5"},
                                  {"final_norm", "0,2,5"},
                                  {"logits", "0,2,5"}}) {
    const Result result = with(words, {"--stage", stage, "--at", at, "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    const nlohmann::json why = nlohmann::json::parse(result.out);
    EXPECT_EQ(why["stage"], stage);
    const double value = why["value"].get<double>();
    EXPECT_NEAR(why["steps"].back()["value"].get<double>(), value, 1e-4 * std::max(1.0, std::abs(value))) << stage;
    EXPECT_FALSE(why["operands"].empty());
    for (const char* key : {"stage", "index", "value", "role"}) EXPECT_TRUE(why["operands"][0].contains(key));
    EXPECT_NE(with(words, {"--stage", stage, "--at", at}).out.find(why["formula"].get<std::string>()),
              std::string::npos);
  }
}

}  // namespace
}  // namespace headscope
