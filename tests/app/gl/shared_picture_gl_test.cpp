// Large maps that are drawn from where the device left them: the same pixels as those of core/picture, and no way back.
#include <epoxy/gl.h>

#include <thread>

#include "app/gl/shared_picture.h"
#include "tests/app/gl/shared_picture_fixture.h"
#include "tests/app/gl/texture_pixels.h"

namespace headscope {
namespace {

TEST_F(SharedPictureGlTest, PixelsAreThoseThatCoreMakesOfTheSameCells) {
  struct Part {
    Range rows, columns;
    PixelCells cells;
  };
  for (const char* masking : {"none", "causal", "window:9", "causal,padding:40", "padding:150", "file"}) {
    for (const bool broken : {false, true}) {
      const Computed made = computed(170, 150, masking, broken);
      for (const StageId stage :
           {StageId::raw_scores, StageId::masked_scores, StageId::weights, StageId::dropped_weights}) {
        const PyramidSource source = made.source(stage);
        ASSERT_NE(source.device, nullptr);
        for (const Pooling pooling : {Pooling::max, Pooling::mean}) {
          for (const Part& part : {Part{{0, 170}, {0, 150}, {1, 1}}, Part{{0, 170}, {0, 150}, {3, 5}},
                                   Part{{0, 170}, {0, 150}, {170, 150}}, Part{{16, 99}, {32, 150}, {16, 16}},
                                   Part{{100, 170}, {3, 148}, {8, 70}}}) {
            const auto pixels =
                source.device->pool_cells(source, part.rows, part.columns, part.cells, pooling, CancelToken());
            const auto picture = source.device->picture(plan_of(pixels, pooling));
            const PooledPixels expected =
                pool_cells(source, part.rows, part.columns, part.cells, pooling, CancelToken());
            expect_equal(read_all(*picture), expected,
                         std::string(masking) + (broken ? " broken " : " ") + std::string(stage_name(stage)) + " " +
                             pooling_name(pooling) + " " + std::to_string(part.cells.rows) + " x " +
                             std::to_string(part.cells.columns));
            if (HasFailure()) return;
          }
        }
      }
    }
  }
}

// Rows longer than a work group, whose last part is no whole one; pixels narrower and wider than it.
TEST_F(SharedPictureGlTest, WideRowsInPixelsOfManySizes) {
  for (const std::int64_t columns : {379, 700, 1021}) {
    const Computed made = computed(30, columns, "causal,window:9", true);
    const PyramidSource source = made.source(StageId::masked_scores);
    for (const Pooling pooling : {Pooling::max, Pooling::mean}) {
      for (const PixelCells cells : {PixelCells{1, 1}, {2, 37}, {3, 100}, {30, 379}, {7, 701}}) {
        const auto pixels = source.device->pool_cells(source, {0, 30}, {0, columns}, cells, pooling, CancelToken());
        expect_equal(read_all(*source.device->picture(plan_of(pixels, pooling))),
                     pool_cells(source, {0, 30}, {0, columns}, cells, pooling, CancelToken()),
                     std::to_string(columns) + " columns, " + std::to_string(cells.columns) + " a pixel");
      }
    }
  }
}

TEST_F(SharedPictureGlTest, PiecesDoNotShow) {
  const Computed made = computed(170, 150, "causal", true, sharing(3000));
  const PyramidSource source = made.source(StageId::weights);
  for (const PixelCells cells : {PixelCells{1, 1}, {4, 4}, {30, 25}}) {
    const auto pixels = source.device->pool_cells(source, {0, 170}, {0, 150}, cells, Pooling::mean, CancelToken());
    expect_equal(read_all(*source.device->picture(plan_of(pixels, Pooling::mean))),
                 pool_cells(source, {0, 170}, {0, 150}, cells, Pooling::mean, CancelToken()), "3000 numbers a buffer");
  }
  EXPECT_THROW(source.device->pool_cells(source, {0, 170}, {0, 150}, {170, 150}, Pooling::max, CancelToken()),
               BackendError);
}

TEST_F(SharedPictureGlTest, CanvasesAreCutPooledAndLaidOverAnotherPicture) {
  const Computed made = computed(170, 150, "causal");
  const PyramidSource source = made.source(StageId::weights);
  const CancelToken cancel;
  for (const Pooling pooling : {Pooling::max, Pooling::mean}) {
    // 43 x 38 pixels in tiles of 16, of which rows 6 ... 43 and columns 10 ... 38 are wanted, 3 x 2 at a time.
    DevicePicturePlan plan;
    plan.canvas_rows = 37;
    plan.canvas_columns = 28;
    plan.by = {3, 2};
    plan.pooling = pooling;
    for (std::int64_t row = 0; row < 43; row += 16) {
      for (std::int64_t column = 0; column < 38; column += 16) {
        const Range rows{row * 4, std::min<std::int64_t>((row + 16) * 4, 170)};
        const Range columns{column * 4, std::min<std::int64_t>((column + 16) * 4, 150)};
        auto tile = source.device->pool_cells(source, rows, columns, {4, 4}, pooling, cancel);
        const std::int64_t tile_rows = tile->rows;
        plan.parts.push_back({std::move(tile), row - 6, column - 10, tile_rows});
      }
    }
    const PooledPixels level = pool_cells(source, {24, 170}, {40, 150}, {4, 4}, pooling, cancel);
    const PooledPixels all = pool_pixels(level, plan.by, pooling);
    const auto whole_picture = source.device->picture(plan);
    expect_equal(read_all(*whole_picture), all, pooling_name(pooling));

    // The upper part over a picture whose every row shows one line.
    DevicePicturePlan lines;
    lines.canvas_rows = 13;
    lines.canvas_columns = 14;
    lines.pooling = pooling;
    const auto line = source.device->pool_cells(source, {80, 88}, {40, 152 - 2}, {8, 8}, pooling, cancel);
    lines.parts.push_back({line, 0, 0, 13});
    plan.below = source.device->picture(lines);
    plan.canvas_rows = 18;
    const PooledPixels expected_line = pool_cells(source, {80, 88}, {40, 150}, {8, 8}, pooling, cancel);
    PooledPixels expected = all;
    for (std::int64_t y = 6; y < 13; ++y) {
      std::copy_n(expected_line.values.begin(), 14, expected.values.begin() + y * 14);
      std::copy_n(expected_line.counts.begin(), 14, expected.counts.begin() + y * 14);
    }
    expect_equal(read_all(*source.device->picture(plan)), expected, "over another");
  }
}

TEST_F(SharedPictureGlTest, RowsEndWhereTheirVisiblePixelsDo) {
  constexpr std::int64_t kColumns = 379;
  const Computed made = computed(60, kColumns, "none", true);
  const PyramidSource source = made.source(StageId::masked_scores);
  const auto picture = source.device->picture(plan_of(
      source.device->pool_cells(source, {0, 60}, {0, kColumns}, {1, 1}, Pooling::max, CancelToken()), Pooling::max));
  const PooledPixels pixels = read_all(*picture);
  ASSERT_EQ(picture->row_extents.size(), 60U);
  for (std::int64_t y = 0; y < 60; ++y) {
    float low = kInfinity, high = -kInfinity;
    for (std::int64_t x = 0; x < kColumns; ++x) {
      const float v = pixels.values[static_cast<std::size_t>(y * kColumns + x)];
      if (!std::isfinite(v) || pixels.hidden(y, x)) continue;
      low = std::min(low, v);
      high = std::max(high, v);
    }
    const DevicePicture::RowExtent& extent = picture->row_extents[static_cast<std::size_t>(y)];
    if (low > high) {
      EXPECT_GT(extent.low, extent.high) << y;
    } else {
      EXPECT_EQ(extent.low, low) << y;
      EXPECT_EQ(extent.high, high) << y;
    }
  }
}

HeatmapSpec picture_spec_of(const std::shared_ptr<const DevicePicture>& picture) {
  HeatmapSpec spec;
  spec.device = picture;
  spec.matrix = Tensor::computed({picture->rows, picture->columns}, {Axis::query, Axis::key},
                                 [](const Region&, std::span<float>) { FAIL() << "a picture came back to be drawn"; });
  spec.rows = static_cast<double>(picture->rows);
  spec.columns = static_cast<double>(picture->columns);
  spec.width = 310;
  spec.height = 270;
  spec.range = {-3, 3, false, false};
  return spec;
}

TEST_F(SharedPictureGlTest, HeatmapsAreDrawnFromThemWithoutAWayBack) {
  for (const char* masking : {"causal", "file"}) {
    const Computed made = computed(170, 150, masking, true);
    for (const StageId stage : {StageId::masked_scores, StageId::weights}) {
      const PyramidSource source = made.source(stage, false);
      const auto picture = source.device->picture(plan_of(
          source.device->pool_cells(source, {0, 170}, {0, 150}, {2, 2}, Pooling::max, CancelToken()), Pooling::max));
      HeatmapSpec spec = picture_spec_of(picture);
      std::vector<HeatmapSpec> specs{spec};
      spec.range.per_row = true;
      specs.push_back(spec);
      spec.range = {1e-4, 1, true, false};
      specs.push_back(spec);
      spec.range.per_row = true;
      spec.map = ColorMap::icefire;
      specs.push_back(spec);
      spec.range = {-1, 1, false, false};
      spec.row0 = 3.25;
      spec.rows = 9.5;
      spec.column0 = 5;
      spec.columns = 11;
      specs.push_back(spec);
      const TextureShare::Counts before = store_->share()->counts();
      std::vector<TextureId> drawn;
      for (const HeatmapSpec& each : specs) drawn.push_back(store_->heatmap(each));
      const TextureShare::Counts after = store_->share()->counts();
      EXPECT_EQ(after.drawn - before.drawn, static_cast<std::int64_t>(specs.size()));
      EXPECT_EQ(after.brought_back, before.brought_back);
      EXPECT_EQ(store_->uploads(), 0);
      for (std::size_t i = 0; i < specs.size(); ++i) {
        const Image expected = draw_heatmap(specs[i]), actual = read_back(drawn[i]);
        EXPECT_TRUE(actual.pixels == expected.pixels) << masking << ", " << stage_name(stage) << ", spec " << i;
      }
      EXPECT_GT(store_->share()->counts().brought_back, after.brought_back) << "the oracle reads them";
    }
  }
}

TEST_F(SharedPictureGlTest, WhatItLooksLikeIsWhatTheCpuDraws) {
  // The processor's own numbers differ in their last bits, and by them a colour may be the next one of the table.
  const Computed made = computed(170, 150, "causal");
  const Computed on_cpu = computed(170, 150, "causal", false, make_cpu_backend(1));
  for (const StageId stage : {StageId::masked_scores, StageId::weights}) {
    const PyramidSource source = made.source(stage, false), own = on_cpu.source(stage);
    EXPECT_EQ(own.device, nullptr);
    HeatmapSpec spec = picture_spec_of(source.device->picture(plan_of(
        source.device->pool_cells(source, {0, 170}, {0, 150}, {2, 2}, Pooling::mean, CancelToken()), Pooling::mean)));
    const Image actual = read_back(store_->heatmap(spec));
    const PooledPixels pixels = pool_cells(own, {0, 170}, {0, 150}, {2, 2}, Pooling::mean, CancelToken());
    spec.device = nullptr;
    spec.matrix = Tensor::of({pixels.rows, pixels.columns}, {Axis::query, Axis::key}, pixels.values);
    spec.mask = hidden_pixels(pixels);
    const Image expected = draw_heatmap(spec);
    int apart = 0;
    for (std::size_t i = 0; i < expected.pixels.size(); ++i) {
      const Rgba a = actual.pixels[i], e = expected.pixels[i];
      apart = std::max({apart, std::abs(a.r - e.r), std::abs(a.g - e.g), std::abs(a.b - e.b)});
    }
    EXPECT_LE(apart, 4) << stage_name(stage);
  }
}

TEST_F(SharedPictureGlTest, AnyThreadReadsAPicture) {
  const Computed made = computed(60, 50, "causal");
  const PyramidSource source = made.source(StageId::weights);
  const auto picture = source.device->picture(
      plan_of(source.device->pool_cells(source, {0, 60}, {0, 50}, {1, 1}, Pooling::max, CancelToken()), Pooling::max));
  PooledPixels elsewhere;
  std::thread([&] { elsewhere = picture->read({10, 40}, {5, 45}); }).join();
  expect_equal(elsewhere, picture->read({10, 40}, {5, 45}), "another thread");
  expect_equal(elsewhere, pool_cells(source, {10, 40}, {5, 45}, {1, 1}, Pooling::max, CancelToken()), "its cells");
}

TEST_F(SharedPictureGlTest, APictureIsDrawnLongerThanItsDeviceComputes) {
  std::shared_ptr<const DevicePicture> picture;
  PooledPixels expected;
  {
    const Computed made = computed(60, 50, "causal", false, sharing());
    const PyramidSource source = made.source(StageId::weights);
    picture = source.device->picture(plan_of(
        source.device->pool_cells(source, {0, 60}, {0, 50}, {1, 1}, Pooling::max, CancelToken()), Pooling::max));
    expected = pool_cells(source, {0, 60}, {0, 50}, {1, 1}, Pooling::max, CancelToken());
  }
  expect_equal(read_all(*picture), expected, "the device is gone");
  const HeatmapSpec spec = picture_spec_of(picture);
  EXPECT_TRUE(read_back(store_->heatmap(spec)).pixels == draw_heatmap(spec).pixels);
  std::thread([&] { EXPECT_THROW(picture->read({0, 1}, {0, 1}), BackendError); }).join();
}

TEST_F(SharedPictureGlTest, AStoreOfAnotherContextBringsThemBack) {
  const Computed made = computed(60, 50, "causal");
  const PyramidSource source = made.source(StageId::weights);
  const HeatmapSpec spec = picture_spec_of(source.device->picture(
      plan_of(source.device->pool_cells(source, {0, 60}, {0, 50}, {1, 1}, Pooling::max, CancelToken()), Pooling::max)));
  const auto other = GlTextureStore::make();
  const TextureId id = other->heatmap(spec);
  EXPECT_TRUE(read_back(id).pixels == draw_heatmap(spec).pixels);
  EXPECT_EQ(other->heatmap(spec), id) << "it is kept under what was asked for";
  EXPECT_EQ(other->share()->counts().drawn, 0);
}

TEST_F(SharedPictureGlTest, WhatNobodyHoldsIsDeleted) {
  const Computed made = computed(60, 50, "causal");
  const PyramidSource source = made.source(StageId::weights);
  GLuint values = 0, hidden = 0;
  {
    const auto picture = source.device->picture(plan_of(
        source.device->pool_cells(source, {0, 60}, {0, 50}, {1, 1}, Pooling::max, CancelToken()), Pooling::max));
    const auto& shared = dynamic_cast<const SharedPicture&>(*picture);
    values = shared.values().name();
    hidden = shared.hidden().name();
    EXPECT_NE(store_->heatmap(picture_spec_of(picture)), 0U);
    EXPECT_TRUE(glIsTexture(values));
  }
  EXPECT_TRUE(glIsTexture(values)) << "a heatmap of it is on screen";
  for (int frame = 0; frame < 4; ++frame) store_->end_frame();
  EXPECT_FALSE(glIsTexture(values));
  EXPECT_FALSE(glIsTexture(hidden));
}

TEST_F(SharedPictureGlTest, ACancelledPoolingEnds) {
  const Computed made = computed(170, 150, "causal");
  const PyramidSource source = made.source(StageId::masked_scores);
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(source.device->pool_cells(source, {0, 170}, {0, 150}, {1, 1}, Pooling::max, cancel), Cancelled);
}

TEST_F(SharedPictureGlTest, ThereAreNoneWithoutAShareNorOfStagesThatAreNoScores) {
  const Computed made = computed(20, 20, "causal");
  EXPECT_NE(made.cells->device_pyramid(StageId::weights, 0, 0), nullptr);
  EXPECT_NE(made.cells->device_pyramid(StageId::dropped_weights, 0, 0), nullptr);
  EXPECT_EQ(made.cells->device_pyramid(StageId::context, 0, 0), nullptr);
  EXPECT_NE(backend_->description().find("shared with the window"), std::string::npos);
  const Computed alone = computed(20, 20, "causal", false, make_gpu_backend());
  EXPECT_EQ(alone.cells->device_pyramid(StageId::weights, 0, 0), nullptr);
  EXPECT_EQ(alone.backend->description().find("shared"), std::string::npos);
  const Computed behind = computed(20, 20, "causal", false, with_cpu_fallback(backend_));
  EXPECT_NE(behind.cells->device_pyramid(StageId::weights, 0, 0), nullptr);
}

}  // namespace
}  // namespace headscope
