// What the store keeps, draws again and lets go.
#include <epoxy/gl.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <utility>

#include "app/gl/framebuffer.h"
#include "app/gl/heatmap_inputs.h"
#include "app/gl/program.h"
#include "app/gl/shader_sources.h"
#include "tests/app/gl/gl_fixture.h"
#include "tests/app/gl/texture_pixels.h"

namespace headscope {
namespace {

Tensor ramp(std::int64_t side) {
  std::vector<float> values(static_cast<std::size_t>(side * side));
  std::iota(values.begin(), values.end(), 0.0F);
  return Tensor::of({side, side}, {Axis::query, Axis::key}, std::move(values));
}

HeatmapSpec store_spec_of(const Tensor& matrix, int side) {
  HeatmapSpec spec;
  spec.matrix = matrix;
  spec.rows = static_cast<double>(matrix.dim(0));
  spec.columns = static_cast<double>(matrix.dim(1));
  spec.width = spec.height = side;
  spec.range = {0, spec.rows * spec.columns, false, false};
  return spec;
}

class TextureStoreGlTest : public GlTest {};

TEST_F(TextureStoreGlTest, AnEqualSpecGivesTheSameTexture) {
  const Tensor matrix = ramp(8);
  const TextureId first = store_->heatmap(store_spec_of(matrix, 80));
  EXPECT_EQ(store_->heatmap(store_spec_of(matrix, 80)), first);
  store_->end_frame();
  EXPECT_EQ(store_->heatmap(store_spec_of(matrix, 80)), first);
  EXPECT_EQ(store_->uploads(), 1);
}

TEST_F(TextureStoreGlTest, ChangingRangeMapOrViewportUploadsNothing) {
  HeatmapSpec spec = store_spec_of(ramp(16), 160);
  const TextureId first = store_->heatmap(spec);
  const Image before = read_back(first);
  for (int frame = 0; frame < 12; ++frame) {
    spec.range.high = 100 + frame;
    spec.range.log_scale = frame % 2 == 1;
    spec.range.per_row = frame % 3 == 1;
    spec.map = all_color_maps().at(static_cast<std::size_t>(frame) % all_color_maps().size());
    spec.row0 = 0.25 * frame;
    EXPECT_NE(store_->heatmap(spec), 0U);
    store_->end_frame();
  }
  EXPECT_EQ(store_->uploads(), 1);
  EXPECT_FALSE(read_back(store_->heatmap(spec)).pixels == before.pixels);
}

TEST_F(TextureStoreGlTest, WhatIsNotAskedForIsLetGo) {
  std::weak_ptr<const std::vector<float>> memory;
  {
    auto owner = std::make_shared<const std::vector<float>>(64, 0.5F);
    memory = owner;
    const Tensor matrix = Tensor::view_of(owner, owner->data(), {8, 8}, {8, 1}, {Axis::query, Axis::key});
    store_->heatmap(store_spec_of(matrix, 64));
  }
  EXPECT_FALSE(memory.expired()) << "the store holds the matrix while its texture stands for it";
  store_->end_frame();
  EXPECT_FALSE(memory.expired()) << "asked for in the frame that just ended";
  for (int frame = 0; frame < 3; ++frame) store_->end_frame();
  EXPECT_TRUE(memory.expired()) << "nobody looks at it any more";
}

TEST_F(TextureStoreGlTest, ANewMatrixAtTheSameAddressIsDrawnAnew) {
  std::vector<Rgba> seen;
  for (int k = 0; k < 40; ++k) {
    const Tensor matrix = Tensor::of({1, 1}, {Axis::query, Axis::key}, {static_cast<float>(k) / 40});
    HeatmapSpec spec = store_spec_of(matrix, 4);
    const Image image = read_back(store_->heatmap(spec));
    EXPECT_EQ(image.at(0, 0), color_at(ColorMap::viridis, k / 40.0)) << k;
    if (k % 5 == 0) store_->end_frame();
  }
}

TEST_F(TextureStoreGlTest, SparePicturesAreNotMixedUp) {
  for (int round = 0; round < 6; ++round) {
    std::vector<std::pair<TextureId, Image>> drawn;
    for (int side = 20; side < 60; side += 10) {
      for (int k = 0; k < 3; ++k) {
        const HeatmapSpec spec = store_spec_of(ramp(3 + k + round % 2), side);
        drawn.emplace_back(store_->heatmap(spec), draw_heatmap(spec));
      }
    }
    for (const auto& [id, expected] : drawn) {
      const Image actual = read_back(id);
      ASSERT_EQ(actual.width, expected.width);
      EXPECT_TRUE(actual.pixels == expected.pixels) << "round " << round << ", " << actual.width << " pixels";
    }
    store_->end_frame();
  }
}

TEST_F(TextureStoreGlTest, ImagesFollowTheirVersion) {
  Image red(3, 2, Rgba{200, 10, 10, 255}), blue(3, 2, Rgba{10, 10, 200, 120}), wide(7, 2, Rgba{1, 2, 3, 4});
  const TextureId id = store_->image(7, 1, red);
  EXPECT_TRUE(read_back(id).pixels == red.pixels);
  EXPECT_EQ(store_->image(7, 1, blue), id);
  EXPECT_TRUE(read_back(id).pixels == red.pixels) << "the version says that nothing changed";
  EXPECT_TRUE(read_back(store_->image(7, 2, blue)).pixels == blue.pixels);
  EXPECT_TRUE(read_back(store_->image(7, 3, wide)).pixels == wide.pixels);
  EXPECT_NE(store_->image(8, 3, wide), store_->image(7, 3, wide));
}

TEST_F(TextureStoreGlTest, NothingToDrawGivesNoTexture) {
  HeatmapSpec spec = store_spec_of(ramp(4), 40);
  spec.width = 0;
  EXPECT_EQ(store_->heatmap(spec), 0U);
  spec.width = 40;
  spec.rows = 0;
  EXPECT_EQ(store_->heatmap(spec), 0U);
  EXPECT_EQ(store_->heatmap(HeatmapSpec{}), 0U);
  EXPECT_EQ(store_->image(1, 1, Image{}), 0U);
}

TEST_F(TextureStoreGlTest, DrawingLeavesTheStateOfOthersAlone) {
  const auto target = make_offscreen_target(64, 48);
  GLint framebuffer = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer);
  glEnable(GL_SCISSOR_TEST);
  glEnable(GL_BLEND);
  glScissor(0, 0, 1, 1);
  glViewport(3, 4, 50, 40);
  glActiveTexture(GL_TEXTURE2);
  glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE);
  const HeatmapSpec spec = store_spec_of(ramp(5), 50);
  const Image image = read_back(store_->heatmap(spec));
  EXPECT_TRUE(image.pixels == draw_heatmap(spec).pixels) << "a scissor, blending or colour mask reached the heatmap";
  GLint value = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &value);
  EXPECT_EQ(value, framebuffer);
  glGetIntegerv(GL_ACTIVE_TEXTURE, &value);
  EXPECT_EQ(value, GL_TEXTURE2);
  GLint viewport[4] = {};
  glGetIntegerv(GL_VIEWPORT, viewport);
  EXPECT_EQ(viewport[0], 3);
  EXPECT_EQ(viewport[2], 50);
  EXPECT_TRUE(glIsEnabled(GL_SCISSOR_TEST));
  EXPECT_TRUE(glIsEnabled(GL_BLEND));
  GLboolean mask[4] = {};
  glGetBooleanv(GL_COLOR_WRITEMASK, mask);
  EXPECT_FALSE(mask[1]);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_BLEND);
  glActiveTexture(GL_TEXTURE0);
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

TEST_F(TextureStoreGlTest, AFramebufferIsReadTopRowFirst) {
  const auto target = make_offscreen_target(8, 6);
  clear_framebuffer(8, 6, Rgba{10, 20, 30, 255});
  glEnable(GL_SCISSOR_TEST);
  glScissor(0, 5, 8, 1);  // GL counts from below: the top row
  glClearColor(1, 1, 1, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glDisable(GL_SCISSOR_TEST);
  const Image image = read_framebuffer(8, 6);
  EXPECT_EQ(image.at(4, 0), (Rgba{255, 255, 255, 255}));
  EXPECT_EQ(image.at(4, 1), (Rgba{10, 20, 30, 255}));
  EXPECT_EQ(image.at(7, 5), (Rgba{10, 20, 30, 255}));
}

TEST_F(TextureStoreGlTest, ATargetThatNoDriverHoldsIsRefusedInASentence) {
  try {
    make_offscreen_target(1 << 20, 10);
    FAIL() << "a million pixels wide";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("1048576 x 10"), std::string::npos) << error.what();
  }
}

TEST_F(TextureStoreGlTest, TheProcessorPaintsTheSamePixels) {
  const auto processor = GlTextureStore::make(HeatmapDrawer::processor);
  HeatmapSpec spec = store_spec_of(ramp(16), 160);
  for (int turn = 0; turn < 6; ++turn) {
    spec.range.log_scale = turn % 2 == 1;
    spec.range.per_row = turn % 3 == 1;
    spec.row0 = 0.25 * turn;
    const TextureId painted = processor->heatmap(spec);
    EXPECT_EQ(processor->heatmap(spec), painted);
    EXPECT_EQ(read_back(painted).pixels, read_back(store_->heatmap(spec)).pixels) << turn;
    processor->end_frame();  // textures of pictures that are gone are painted anew
  }
  EXPECT_EQ(processor->uploads(), 0) << "no matrix became a texture";
}

TEST_F(TextureStoreGlTest, WhereTheShaderIsRefusedTheProcessorPaintsTheSamePixels) {
  const auto folder = std::filesystem::temp_directory_path() / "headscope-broken-shaders";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "heatmap.vert") << shader_text("heatmap.vert");
  std::ofstream(folder / "heatmap.frag") << "#version 330 core\nout vec4 color;\nvoid main() { color = nonsense; }\n";
  setenv("HEADSCOPE_SHADERS", folder.c_str(), 1);
  const auto without = GlTextureStore::make();
  unsetenv("HEADSCOPE_SHADERS");
  std::filesystem::remove_all(folder);
  const std::string complaint = without->take_complaint();
  EXPECT_NE(complaint.find("heatmap.frag"), std::string::npos) << complaint;
  EXPECT_NE(complaint.find("nonsense"), std::string::npos) << complaint;
  EXPECT_EQ(without->take_complaint(), "") << "said once";
  const HeatmapSpec spec = store_spec_of(ramp(16), 160);
  EXPECT_EQ(read_back(without->heatmap(spec)).pixels, read_back(store_->heatmap(spec)).pixels);
  EXPECT_EQ(store_->take_complaint(), "");
}

// The driver refuses textures: all from the n-th one on, counted from 0; as long as this lives.
class RefusedTextures {
 public:
  explicit RefusedTextures(int n) {
    left_ = n;
    real_ = std::exchange(epoxy_glTexParameteri, refuse);
  }
  ~RefusedTextures() { epoxy_glTexParameteri = real_; }
  RefusedTextures(const RefusedTextures&) = delete;
  RefusedTextures& operator=(const RefusedTextures&) = delete;

 private:
  // An error while a texture is made, as missing memory is.
  static void refuse(GLenum target, GLenum name, GLint value) {
    if (name == GL_TEXTURE_MIN_FILTER && left_-- <= 0) value = -1;
    real_(target, name, value);
  }
  static inline int left_ = 0;
  static inline PFNGLTEXPARAMETERIPROC real_ = nullptr;
};

TEST_F(TextureStoreGlTest, WhereTexturesAreRefusedThePictureIsLeftOutUntilThereIsRoom) {
  for (const HeatmapDrawer painter : {HeatmapDrawer::shader, HeatmapDrawer::processor}) {
    const auto store = GlTextureStore::make(painter);
    const HeatmapSpec spec = store_spec_of(ramp(16), 160);
    const Image plain(20, 10);
    {
      const RefusedTextures refused(0);
      EXPECT_EQ(store->heatmap(spec), 0U);
      EXPECT_EQ(store->image(1, 1, plain), 0U);
      EXPECT_NE(store->take_complaint().find("no memory"), std::string::npos);
      store->end_frame();
    }
    EXPECT_EQ(read_back(store->heatmap(spec)).pixels, read_back(store_->heatmap(spec)).pixels);
    EXPECT_NE(store->image(1, 1, plain), 0U);
    store->end_frame();
  }
}

TEST_F(TextureStoreGlTest, AnyTextureMayBeRefused) {
  const HeatmapSpec spec = store_spec_of(ramp(16), 160);
  const std::vector<Rgba> whole = read_back(store_->heatmap(spec)).pixels;
  int drawn = 0;
  for (int n = 0; n < 8; ++n) {
    const auto store = GlTextureStore::make();
    const RefusedTextures refused(n);
    const TextureId id = store->heatmap(spec);
    if (id == 0) continue;
    EXPECT_EQ(read_back(id).pixels, whole) << "refused from texture " << n << " on";
    ++drawn;
  }
  EXPECT_GE(drawn, 4) << "a few textures are enough";
}

TEST(EntryThresholdsTest, AreTheExactFloatsWhereTheEntryChanges) {
  for (const ValueRange range : {ValueRange{0, 1, true, false}, {1e-5, 0.3, true, false}, {0, 500, true, false}}) {
    const ValueScale scale = value_scale(range);
    const auto thresholds = entry_thresholds(scale);
    for (int e = 1; e < 256; ++e) {
      const float v = thresholds[static_cast<std::size_t>(e)];
      EXPECT_TRUE(scale.entry(v) >= e) << e;
      EXPECT_TRUE(scale.entry(std::nextafter(v, 0.0F)) < e) << e;
    }
  }
}

TEST(EntryThresholdsTest, AnUnreachableEntryIsInfinitelyFar) {
  const auto thresholds = entry_thresholds(value_scale({0, 0, true, false}));
  EXPECT_EQ(thresholds[1], std::numeric_limits<float>::infinity());
  EXPECT_EQ(thresholds[255], std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace headscope
