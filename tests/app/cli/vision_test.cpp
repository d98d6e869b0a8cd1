// Models that read images, on the command line.
#include <cmath>
#include <filesystem>

#include "core/io/safetensors.h"
#include "tests/app/cli/command.h"
#include "tests/core/io/jpeg_files.h"
#include "tests/core/model/vision_files.h"

namespace headscope {
namespace {

using Words = std::vector<std::string>;

class Vision : public CommandTest {
 protected:
  static Words with(const Words& first, const std::string& model, const Words& more = {}) {
    Words all = first;
    for (const std::string& word :
         {std::string("--model"), kVisionModels + model, std::string("--image"), vision_image()}) {
      all.push_back(word);
    }
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  nlohmann::json json_of(const Words& words) {
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
};

TEST_F(Vision, TheManifestNamesPatchesAndTheirGrid) {
  const nlohmann::json manifest = json_of(with({"run"}, "dinov2-registers", {"--json"}));
  EXPECT_EQ(manifest["image"]["grid"], (nlohmann::json{2, 3}));
  EXPECT_EQ(manifest["image"]["first_patch"], 4);
  EXPECT_EQ(manifest["image"]["height"], 10);
  EXPECT_EQ(manifest["request"]["image"], vision_image());
  EXPECT_EQ(manifest["tokens"][0], "[CLS]");
  EXPECT_EQ(manifest["tokens"][4], "r0c0");
  EXPECT_EQ(manifest["key_tokens"], manifest["tokens"]);
}

TEST_F(Vision, ClassTokenAndRegistersAreSpecialTokens) {
  run_to("plain", with({}, "dinov2-registers", {"--layer", "1", "--export", "weights"}));
  run_to("hidden", with({}, "dinov2-registers", {"--layer", "1", "--export", "weights", "--hide-tokens", "special"}));
  const Tensor plain = stage("plain", "weights"), hidden = stage("hidden", "weights");
  EXPECT_EQ(hidden.shape(), (Shape{1, plain.dim(1), 10, 6}));
  EXPECT_EQ(hidden.values(), plain.sliced(3, 4, 10).values());
  const nlohmann::json manifest = json_of(with({"run"}, "dinov2-registers", {"--metrics", "--json"}));
  double sum = 0;
  for (std::int64_t i = 0; i < 10; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) sum += static_cast<double>(plain.at({0, 0, i, j}));
  }
  const auto& row = manifest["metrics"].at(3);  // of layer 1, the last one
  EXPECT_EQ(row["head"], 0);
  EXPECT_TRUE(std::abs(row["special_tokens"].get<double>() - sum / 10) <= 1e-6) << row;
  const std::string note = "columns of special tokens hidden";
  EXPECT_NE(cli(with({"run"}, "vit", {"--hide-tokens", "special"})).out.find(note), std::string::npos);
  const Result none = cli(with({"run"}, "siglip", {"--hide-tokens", "special"}));
  EXPECT_NE(none.out.find("no key is known as a special token, so no column is hidden"), std::string::npos) << none.out;
}

TEST_F(Vision, WholeModelsAreExported) {
  const ExpectedStages expected("vit");
  run_to("numbers", {"--model", kVisionModels + "vit", "--image", vision_image(), "--export", "stream,final_norm"});
  const Tensor stream = stage("numbers", "stream"), norm = stage("numbers", "final_norm");
  const auto rows = [](const Tensor& tensor) {
    return tensor.reshaped({tensor.dim(tensor.rank() - 2), tensor.dim(tensor.rank() - 1)},
                           {Axis::position, Axis::feature});
  };
  EXPECT_LT(largest_difference(rows(stream.sliced(0, 0, 1)), expected["embedded"]), 1e-5);
  EXPECT_LT(largest_difference(rows(stream.sliced(0, 2, 3)), expected["layers.1.hidden"]), 1e-4);
  EXPECT_LT(largest_difference(rows(norm), expected["final_hidden"]), 1e-4);
}

TEST_F(Vision, CellsOfEveryKindOfTokenAreExplained) {
  for (const auto& [model, at] : {std::pair("vit", "0,0,0,3"),
                                  {"vit", "0,0,9,3"},
                                  {"dinov2-registers", "0,0,2,1"},
                                  {"clip", "0,0,5,4"},
                                  {"clip", "0,0,0,4"},
                                  {"siglip", "0,0,0,2"},
                                  {"dinov2-other-grid", "1,0,3,2"}}) {
    for (const char* stage : {"stream", "mlp_out"}) {
      const nlohmann::json told = json_of(with({"explain"}, model, {"--stage", stage, "--at", at, "--json"}));
      if (told.is_null()) continue;
      const double value = told["value"].get<double>(), last = told["steps"].back()["value"].get<double>();
      EXPECT_NEAR(value, last, 1e-5 * (1 + std::abs(value))) << model << ", " << stage << ", " << at;
    }
  }
  const nlohmann::json patch = json_of(with({"explain"}, "vit", {"--stage", "stream", "--at", "0,0,9,3", "--json"}));
  EXPECT_NE(patch["formula"].get<std::string>().find("patch + position"), std::string::npos) << patch["formula"];
  const nlohmann::json scaled =
      json_of(with({"explain"}, "dinov2", {"--stage", "attention_norm_out", "--at", "0,2,3", "--json"}));
  EXPECT_NE(scaled["formula"].get<std::string>().find("output[b,i,d] · scale[d]"), std::string::npos);
  EXPECT_NEAR(scaled["value"].get<double>(), scaled["steps"].back()["value"].get<double>(), 1e-5);
}

TEST_F(Vision, PicturesAndSessionsKeepTheImage) {
  const Result drawn = cli(with({"render"}, "vit", {"--view", "heads", "--out", "heads.png"}));
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  const nlohmann::json told = json_of({"info", "heads.png", "--json"});
  EXPECT_EQ(std::filesystem::path(told["request"]["image"].get<std::string>()).filename(), "image.png");
  const Result again = cli({"render", "--session", "heads.png", "--out", "again.png"});
  EXPECT_EQ(again.code, 0) << again.err;
  // A phrase takes the image's place.
  const Result words =
      cli({"run", "--session", "heads.png", "--model", "demo:pronouns", "--phrase", "it was", "--json"});
  ASSERT_EQ(words.code, 0) << words.err;
  EXPECT_FALSE(nlohmann::json::parse(words.out)["request"].contains("image"));
}

TEST_F(Vision, AJpegIsRead) {
  std::ofstream(std::filesystem::path(folder_.path()) / "a.jpg", std::ios::binary) << test::small_jpeg();
  const nlohmann::json manifest = json_of({"run", "--model", kVisionModels + "siglip", "--image", "a.jpg", "--json"});
  EXPECT_EQ(manifest["image"]["grid"], (nlohmann::json{4, 4}));
  const nlohmann::json told = json_of({"info", "a.jpg", "--json"});
  EXPECT_EQ(told["width"], test::kJpegWidth);
}

TEST_F(Vision, InfoSaysWhatBothHalvesRead) {
  const nlohmann::json vit = json_of({"info", kVisionModels + "vit", "--json"});
  EXPECT_EQ(vit["architecture"], "vit");
  EXPECT_EQ(vit["image"]["grid"], (nlohmann::json{5, 7}));
  EXPECT_EQ(vit["image"]["preprocessor"], true);
  EXPECT_TRUE(vit["output_head"].is_null());
  const nlohmann::json clip = json_of({"info", kVisionModels + "clip", "--json"});
  EXPECT_EQ(clip["architecture"], "clip_text");
  EXPECT_TRUE(clip["image"].is_null());
  EXPECT_EQ(clip["image_tower"]["architecture"], "clip_vision");
  EXPECT_EQ(clip["image_tower"]["image"]["patch"], 5);
}

// The layer that gathers SigLIP's patches: one query, a weight of every patch for each head.
TEST_F(Vision, PatchesAreGatheredByOneMoreLayer) {
  const nlohmann::json told = json_of({"info", kVisionModels + "siglip", "--json"});
  ASSERT_EQ(told["image_tower"]["lists"].size(), 2U);
  EXPECT_EQ(told["image_tower"]["lists"][1]["attention"], "pool");
  EXPECT_EQ(told["image_tower"]["lists"][1]["num_layers"], 1);
  const nlohmann::json manifest = json_of(with({"run"}, "siglip", {"--attention", "pool", "--json"}));
  EXPECT_EQ(manifest["request"]["attention"], "pool");
  EXPECT_EQ(manifest["tokens"], (nlohmann::json{"[PROBE]"}));
  EXPECT_EQ(manifest["key_tokens"].size(), 16U);
  EXPECT_EQ(manifest["image"]["grid"], (nlohmann::json{4, 4}));
  run_to("pool", {"--model", kVisionModels + "siglip", "--image", vision_image(), "--attention", "pool", "--export",
                  "weights,projected"});
  EXPECT_EQ(stage("pool", "weights").shape(), (Shape{1, 3, 1, 16}));
  const Tensor found = stage("pool", "projected").reshaped({1, 12}, {Axis::position, Axis::feature});
  EXPECT_LT(largest_difference(found, ExpectedStages("siglip")["pool.hidden"]), 1e-4);
  const nlohmann::json cell =
      json_of(with({"explain"}, "siglip", {"--attention", "pool", "--stage", "weights", "--at", "0,1,0,5", "--json"}));
  EXPECT_NEAR(cell["value"].get<double>(), cell["steps"].back()["value"].get<double>(), 1e-6);
  for (const char* view : {"heads", "head", "text"}) {
    const Result drawn =
        cli(with({"render"}, "siglip", {"--attention", "pool", "--view", view, "--out", std::string(view) + ".png"}));
    EXPECT_EQ(drawn.code, 0) << view << ": " << drawn.err;
  }
  expect_refused(cli(with({"run"}, "siglip", {"--attention", "pool", "--predict", "2"})), 2,
                 {"reads images and has no vocabulary"});
}

// What needs a vocabulary says so, and gives no number.
TEST_F(Vision, WhatNeedsAVocabularyIsRefused) {
  const std::string no_words = "reads images and has no vocabulary";
  expect_refused(cli(with({"run"}, "vit", {"--predict", "2"})), 2, {no_words});
  expect_refused(cli(with({"run"}, "vit", {"--lens"})), 2, {no_words});
  expect_refused(cli(with({"run"}, "vit", {"--export", "logits", "--out", "x"})), 2, {no_words});
  expect_refused(cli(with({"attribute"}, "vit", {"--at", "1", "--token", "a"})), 2, {no_words});
  expect_refused(cli(with({"generate"}, "vit", {"--tokens", "2"})), 2, {no_words});
  expect_refused(cli(with({"render"}, "vit", {"--view", "lens", "--out", "x.png"})), 2, {});
  std::ofstream(std::filesystem::path(folder_.path()) / "a.json")
      << nlohmann::json{{"model", kVisionModels + "vit"}, {"image", vision_image()}};
  expect_refused(cli(with({"sweep"}, "vit", {"--against", "a.json", "--patch", "heads", "--metric", "logit:1"})), 2,
                 {});
  std::ofstream(std::filesystem::path(folder_.path()) / "a.jsonl") << "{\"text\": \"a b\"}\n";
  const Result scan = cli({"scan", "--model", kVisionModels + "vit", "--phrases", "a.jsonl", "--out", "a.hsagg"});
  EXPECT_NE(scan.code, 0);
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(folder_.path()) / "a.hsagg"));
  const Result tokenize = cli({"tokenize", "--model", kVisionModels + "vit", "--phrase", "a"});
  EXPECT_NE(tokenize.code, 0);
}

TEST_F(Vision, RefusalsNameTheOption) {
  expect_refused(cli({"run", "--model", kVisionModels + "vit", "--phrase", "a cat"}), 2, {"--phrase", "reads images"});
  expect_refused(cli(with({"run"}, "vit", {"--phrase", "a"})), 2, {"phrase", "image", "exclude"});
  expect_refused(cli(with({"run"}, "vit", {"--token-ids", "1"})), 2, {"token-ids", "image"});
  expect_refused(cli({"run", "--image", vision_image()}), 2, {"image", "reads images"});
  expect_refused(cli({"run", "--model", "demo:pronouns", "--image", vision_image()}), 2, {"--image", "reads texts"});
  expect_refused(cli({"run", "--model", kVisionModels + "vit", "--image", "nothing.png"}), 3, {"nothing.png"});
  std::ofstream(std::filesystem::path(folder_.path()) / "a.png") << "no picture";
  expect_refused(cli({"run", "--model", kVisionModels + "vit", "--image", "a.png"}), 3, {"a.png", "PNG or a JPEG"});
}

}  // namespace
}  // namespace headscope
