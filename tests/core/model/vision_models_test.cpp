// Models that read images: opened, run whole, and what they refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/attention/engine.h"
#include "core/attention/model_stages.h"
#include "core/explain/model_cell.h"
#include "core/io/png.h"
#include "core/io/safetensors.h"
#include "core/model/checkpoint.h"
#include "core/model/image_input.h"
#include "core/model/weights_sha256.h"
#include "tests/core/model/model_files.h"
#include "tests/core/model/vision_files.h"
#include "tests/core/model/vision_runs.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

void expect_stream(const Trace& trace, const ExpectedStages& expected, const std::string& what) {
  const std::vector<ModelStageId> ids{ModelStageId::stream, ModelStageId::final_norm};
  const std::vector<ModelStage> stages = model_stages("stage", trace, ids, CancelToken());
  const Tensor& stream = stages.front().tensor;
  expect_rows(stream.sliced(0, 0, 1), expected["embedded"], what + ", embedded");
  for (std::int64_t n = 0; n + 1 < stream.dim(0); ++n) {
    const std::string name = "layers." + std::to_string(n) + ".hidden";
    expect_rows(stream.sliced(0, n + 1, n + 2), expected[name], what + ", " + name);
  }
  expect_rows(stages.back().tensor, expected["final_hidden"], what + ", final_hidden");
  EXPECT_EQ(trace.model->checkpoint->architecture().projection > 0, expected.has("projected")) << what;
  if (!expected.has("projected")) return;
  const std::vector<ModelStageId> last{ModelStageId::projected};
  const Tensor projected = model_stages("stage", trace, last, CancelToken()).front().tensor;
  expect_rows(projected, expected["projected"], what + ", projected");
  std::vector<float> part(4);
  projected.read({{0, 1}, {1, 3}, {2, 4}}, part);
  EXPECT_EQ(part, (std::vector<float>{projected.at({0, 1, 2}), projected.at({0, 1, 3}), projected.at({0, 2, 2}),
                                      projected.at({0, 2, 3})}));
  const std::int64_t row = projected.dim(1) - 1, feature = projected.dim(2) - 1;
  const ModelCell cell = model_cell("stage", trace, ModelStageId::projected, {0, row, feature}, CancelToken());
  EXPECT_EQ(cell.value, static_cast<double>(projected.at({0, row, feature}))) << what;
  EXPECT_NEAR(cell.steps.back().value, cell.value, 1e-5 * cell.magnitude) << what;
}

TEST(VisionModels, TokensStreamAndFinalNormAreThoseOfPyTorch) {
  for (const std::string& name : vision_models()) {
    const ExpectedStages expected(name);
    for (const BackendChoice choice : {BackendChoice::reference, BackendChoice::cpu}) {
      Request request = image_request(name);
      request.backend = choice;
      const auto trace = run_whole(request);
      expect_stream(*trace, expected, name);
      if (!::testing::Test::HasFailure()) continue;
      return;
    }
  }
}

TEST(VisionModels, TextTowersAreThoseOfPyTorch) {
  for (const char* name : {"clip", "siglip"}) {
    const ExpectedStages expected(name, "expected_text.safetensors");
    Request request;
    request.model = kVisionModels + name;
    for (const float id : expected["token_ids"].values()) request.token_ids.push_back(static_cast<std::int64_t>(id));
    expect_stream(*run_whole(request), expected, name);
  }
}

TEST(VisionModels, EveryTensorHasItsPlace) {
  for (const std::string& name : vision_models()) {
    for (const Tower tower : {Tower::text, Tower::image}) {
      const auto checkpoint = Checkpoint::open(kVisionModels + name, tower);
      EXPECT_EQ(checkpoint->unexpected(), std::vector<std::string>{}) << name;
      EXPECT_EQ(checkpoint->output_head().kind, OutputHead::Kind::none) << name;
      const bool both = name == "clip" || name == "siglip";
      EXPECT_EQ(checkpoint->architecture().image.has_value(), !both || tower == Tower::image) << name;
    }
  }
  EXPECT_STREQ(Checkpoint::open(kVisionModels + "vit")->why_no_head(), "reads images and has no vocabulary");
  EXPECT_STREQ(Checkpoint::open(kVisionModels + "clip")->why_no_head(),
               "makes vectors of texts and predicts no tokens");
}

// The numbers of the patches are the reference's pixel_values, cut.
TEST(VisionModels, PixelsAreThoseOfTheReference) {
  for (const std::string& name : vision_models()) {
    const auto checkpoint = Checkpoint::open(kVisionModels + name, Tower::image);
    const auto input = read_image_input(vision_image(), *checkpoint);
    const Tensor expected = ExpectedStages(name)["pixel_values"];
    const std::int64_t patch = checkpoint->architecture().image->patch;
    ASSERT_EQ(input->grid, (ImageGrid{expected.dim(1) / patch, expected.dim(2) / patch})) << name;
    for (std::int64_t p = 0; p < input->grid.patches(); ++p) {
      for (std::int64_t k = 0; k < input->pixels.dim(1); ++k) {
        const std::int64_t channel = k / (patch * patch), place = k % (patch * patch);
        const float wanted = expected.at({channel, p / input->grid.columns * patch + place / patch,
                                          p % input->grid.columns * patch + place % patch});
        ASSERT_TRUE(std::abs(input->pixels.at({p, k}) - wanted) <= 1e-6F) << name << ", patch " << p << ", " << k;
      }
    }
  }
}

TEST(VisionModels, TokensAreNamedByTheirPlaces) {
  const auto names = [](const std::string& model) { return run_whole(image_request(model))->inputs->tokens; };
  const std::vector<std::string> vit = names("vit"), registers = names("dinov2-registers"), siglip = names("siglip");
  ASSERT_EQ(vit.size(), 36u);
  EXPECT_EQ(vit[0], "[CLS]");
  EXPECT_EQ(vit[1], "r0c0");
  EXPECT_EQ(vit[8], "r1c0");
  EXPECT_EQ(vit[35], "r4c6");
  EXPECT_EQ(registers, (std::vector<std::string>{"[CLS]", "[REG0]", "[REG1]", "[REG2]", "r0c0", "r0c1", "r0c2", "r1c0",
                                                 "r1c1", "r1c2"}));
  EXPECT_EQ(siglip.front(), "r0c0");
}

class VisionRefusals : public FilesTest {
 protected:
  // A copy of a model without some file.
  std::string copy(const std::string& model, const std::string& without = "") const {
    fs::copy(kVisionModels + model, path("model"), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    if (!without.empty()) fs::remove(fs::path(path("model")) / without);
    return path("model");
  }
  void replace(const std::string& file, const std::string& from, const std::string& to) const {
    const fs::path at = fs::path(path("model")) / file;
    std::stringstream text;
    text << std::ifstream(at).rdbuf();
    std::string bytes = text.str();
    const std::size_t place = bytes.find(from);
    ASSERT_NE(place, std::string::npos) << from;
    bytes.replace(place, from.size(), to);
    std::ofstream(at) << bytes;
  }
};

// What stands before the first layer belongs to the weights that a file is known by.
TEST_F(VisionRefusals, EveryTensorOfTheEmbeddingChangesTheHash) {
  const std::string model = copy("dinov2-registers");
  const std::string file = model + "/model.safetensors";
  const std::string known = sha256_of(*Checkpoint::open(model, Tower::image), CancelToken());
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const SafetensorsFile tensors = SafetensorsFile::open(kVisionModels + "dinov2-registers/model.safetensors");
  std::size_t data = 0;  // the last tensor ends where the file does
  for (const SafetensorsEntry& entry : tensors.entries()) data = std::max(data, entry.end);
  int embeddings = 0;
  for (const SafetensorsEntry& entry : tensors.entries()) {
    if (entry.name.find("embeddings.") == std::string::npos || entry.name.ends_with("mask_token")) continue;
    std::string changed = bytes;
    char& last = changed[bytes.size() - data + entry.end - 1];  // sign and exponent
    last = static_cast<char>(last ^ 1);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << changed;
    EXPECT_NE(sha256_of(*Checkpoint::open(model, Tower::image), CancelToken()), known) << entry.name;
    ++embeddings;
  }
  EXPECT_EQ(embeddings, 5);
}

TEST_F(VisionRefusals, TextsAndImagesGoToTheirModels) {
  Request text = image_request("vit");
  text.image.clear();
  text.phrase = "a cat";
  expect_refusal<UsageError>([&] { run_whole(text); }, {"--phrase", "(vit) reads images", "--image FILE"});
  Request image = image_request("vit");
  image.model = "demo:pronouns";
  expect_refusal<UsageError>([&] { run_whole(image); }, {"--image", "reads texts", "--phrase"});
}

// SigLIP's images come into the space of its texts by the layer that gathers them.
TEST_F(VisionRefusals, OnlyProjectionsThatAreThere) {
  for (const auto& [model, expected] : {std::pair("vit", "a clip or siglip model"), {"siglip", "--attention pool"}}) {
    const auto trace = run_whole(image_request(model));
    expect_refusal<UsageError>([&] { check_model_stage("export", *trace, ModelStageId::projected); },
                               {"--export", "found projected", "has no map to a space of texts and images", expected});
  }
}

TEST_F(VisionRefusals, AProjectionThatDoesNotFit) {
  const std::string model = copy("clip");
  replace("model.safetensors", "\"text_projection.weight\":{\"dtype\":\"F32\",\"shape\":[5,15]",
          "\"text_projection.weight\":{\"dtype\":\"F32\",\"shape\":[15,5]");
  expect_refusal<Error>([&] { Checkpoint::open(model); }, {"text_projection.weight", "[15, 15]"});
}

TEST_F(VisionRefusals, AFolderThatDoesNotSayHowImagesAreRead) {
  Request request = image_request("vit");
  request.model = copy("vit", "preprocessor_config.json");
  expect_refusal<Error>([&] { run_whole(request); }, {"found no preprocessor_config.json"});
}

TEST_F(VisionRefusals, AnotherGridThanTheOneThatWasLearned) {
  Request request = image_request("vit");
  request.model = copy("vit");
  replace("preprocessor_config.json", "\"width\": 28", "\"width\": 32");
  expect_refusal<Error>([&] { run_whole(request); },
                        {"image.png", "32 x 20 pixels", "5 x 8 patches", "positions of 5 x 7 patches"});
}

TEST_F(VisionRefusals, PicturesThatCannotBeRead) {
  Request request = image_request("vit");
  Image clear(37, 29, {1, 2, 3, 255});
  clear.at(5, 3).a = 254;
  std::ofstream out(path("clear.png"), std::ios::binary);
  PictureRows rows = rows_of(clear);
  rows.has_alpha = true;
  write_png(out, rows, {});
  out.close();
  request.image = path("clear.png");
  expect_refusal<Error>([&] { run_whole(request); }, {"clear.png", "column 5 of row 3 is transparent"});
  request.image = write_text("a.txt", "no picture");
  expect_refusal<Error>([&] { run_whole(request); }, {"a.txt", "expected a PNG or a JPEG picture"});
  request.image = path("missing.png");
  expect_refusal<Error>([&] { run_whole(request); }, {"missing.png"});
}

TEST_F(VisionRefusals, ConfigurationsThatDoNotFit) {
  struct Case {
    const char *from, *to, *said;
  };
  for (const Case& each : std::vector<Case>{
           {"\"patch_size\": 4", "\"patch_size\": 40", "does not fit an image_size of 20 x 28"},
           {"\"patch_size\": 4", "\"patch_size\": [4, 5]", "expected squares"},
           {"\"num_channels\": 3", "\"num_channels\": 1", "num_channels is 1"},
           {"\"patch_size\": 4", "\"patch_size\": 5", "patch_embeddings.projection.weight"},
           {"\"hidden_act\": \"gelu\"", "\"hidden_act\": \"mish\"", "hidden_act is"},
       }) {
    const std::string model = copy("vit");
    replace("config.json", each.from, each.to);
    expect_refusal<Error>([&] { Checkpoint::open(model); }, {each.said});
  }
}

// The grid that was learned gives the learned positions; torch's numbers are in the golden models.
TEST(ImagePositions, TheSameGridIsTheSameTable) {
  const Tensor table = counted({7, 3});
  for (const bool antialias : {false, true}) {
    const Tensor same = positions_for(table, {2, 3}, {2, 3}, antialias);
    ASSERT_EQ(same.shape(), table.shape());
    for (std::int64_t i = 0; i < table.size(); ++i) {
      EXPECT_TRUE(std::abs(same.values()[static_cast<std::size_t>(i)] - table.values()[static_cast<std::size_t>(i)]) <=
                  1e-7F);
    }
  }
}

}  // namespace
}  // namespace headscope
