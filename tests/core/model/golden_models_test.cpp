// The golden checkpoints (tests/golden/make_model_golden.py).
#include <algorithm>
#include <filesystem>

#include "core/model/checkpoint.h"
#include "tests/core/model/model_files.h"

namespace headscope {
namespace {

const std::string kFolder = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";

TEST(GoldenModels, Open) {
  std::size_t opened = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    SCOPED_TRACE(entry.path().filename().string());
    const auto checkpoint = Checkpoint::open(entry.path().string());
    EXPECT_EQ(checkpoint->unexpected(), std::vector<std::string>{});
    EXPECT_NE(checkpoint->output_head().kind, OutputHead::Kind::none);
    EXPECT_FALSE(checkpoint->output_head().decoder.empty());
    EXPECT_EQ(checkpoint->architecture().num_layers, 2);
    ++opened;
  }
  EXPECT_GE(opened, 23u);
}

}  // namespace
}  // namespace headscope
