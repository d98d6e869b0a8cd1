// Every stage of every layer of the tiny models in vision_models/ that read images, against what PyTorch computed
// (make_vision_golden.py).
#include <algorithm>

#include "core/model/checkpoint.h"
#include "tests/core/model/vision_files.h"
#include "tests/golden/golden_run.h"

namespace headscope {
namespace {

class VisionStages : public GoldenTest, public ::testing::WithParamInterface<std::string> {
 protected:
  void expect_layers(const Options& options, const ExpectedStages& expected, Tower tower) {
    const std::int64_t layers = Checkpoint::open(options.front().second, tower)->architecture().num_layers;
    ASSERT_GE(layers, 2);
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      const std::string number = std::to_string(layer);
      Options own = options;
      own.emplace_back("layer", number);
      for (const GoldenRun& run : run_everywhere(own)) {
        for (const char* stage :
             {"input", "query", "key", "value", "scores", "weights", "context", "output", "attention_norm_out"}) {
          const std::string name = "layers." + number + "." + stage;
          if (!expected.has(name)) continue;
          EXPECT_TRUE(agrees_by_rows(run.stage(stage), expected[name])) << run.label << ", " << name;
        }
      }
    }
  }
};

TEST_P(VisionStages, OfAnImage) {
  expect_layers({{"model", kVisionModels + GetParam()}, {"image", vision_image()}}, ExpectedStages(GetParam()),
                Tower::image);
}

TEST_P(VisionStages, OfATextWhereTheModelReadsBoth) {
  if (!std::filesystem::exists(kVisionModels + GetParam() + "/expected_text.safetensors")) {
    GTEST_SKIP() << "reads images alone";
  }
  const ExpectedStages expected(GetParam(), "expected_text.safetensors");
  std::string ids;
  for (const float id : expected["token_ids"].values()) {
    ids += (ids.empty() ? "" : ",") + std::to_string(static_cast<std::int64_t>(id));
  }
  expect_layers({{"model", kVisionModels + GetParam()}, {"token-ids", ids}}, expected, Tower::text);
}

class VisionPool : public GoldenTest {};

TEST_F(VisionPool, SiglipsPatchesAreGathered) {
  const ExpectedStages expected("siglip");
  for (const GoldenRun& run :
       run_everywhere({{"model", kVisionModels + "siglip"}, {"image", vision_image()}, {"attention", "pool"}})) {
    for (const char* stage :
         {"input", "key_input", "query", "key", "value", "scores", "weights", "context", "output"}) {
      EXPECT_TRUE(agrees_by_rows(run.stage(stage), expected[std::string("pool.") + stage]))
          << run.label << ", " << stage;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, VisionStages, ::testing::ValuesIn(vision_models()), [](const auto& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace headscope
