// Which tokens are patches of an image: of models that read one, and of captures that say their grid.
#include "core/heads/image_patches.h"

#include <gtest/gtest.h>

#include "core/attention/engine.h"
#include "core/model/image_input.h"
#include "tests/core/model/vision_files.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> image_trace(const std::string& model) {
  Request request;
  request.model = kVisionModels + model;
  request.image = vision_image();
  return trace_of(request);
}

TEST(ImagePatches, AModelsImageLiesBehindItsOtherTokens) {
  const auto trace = image_trace("dinov2-registers");
  const auto patches = image_patches(*trace, true);
  ASSERT_TRUE(patches.has_value());
  EXPECT_EQ(patches->grid, (ImageGrid{2, 3}));
  EXPECT_EQ(patches->leading, 4);
  EXPECT_EQ(patches->tokens(), trace->key_len());
  EXPECT_EQ(trace->key_labels()[4], "r0c0");
  ASSERT_NE(patches->picture, nullptr);
  EXPECT_EQ(patches->picture.get(), &trace->inputs->image->picture) << "no copy of the pixels";
}

TEST(ImagePatches, SiglipHasNoTokenBeforeThem) {
  const auto patches = image_patches(*image_trace("siglip"), false);
  ASSERT_TRUE(patches.has_value());
  EXPECT_EQ(patches->leading, 0);
}

TEST(ImagePatches, ATextHasNone) {
  EXPECT_FALSE(image_patches(*small_trace(6), true).has_value());
}

}  // namespace
}  // namespace headscope
