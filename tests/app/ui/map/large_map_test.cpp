// Matrices that no frame may walk over: drawn from tiles, their numbers computed in the background.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/ui/map/map_view.h"
#include "app/ui/panel_data.h"
#include "tests/app/ui/driver.h"
#include "tests/app/ui/small_trace.h"

namespace headscope::ui {
namespace {

Document long_document(int tokens) {
  Document document = demo_document();
  document.request.phrase.clear();
  for (int i = 0; i < tokens; ++i) document.request.phrase += (i == 0 ? "t" : " t") + std::to_string(i % 97);
  document.request.d_model = 4;
  document.request.heads = 1;
  return document;
}

// The engine's trace, its score-like stages read from what was stored: as when they are too many to store.
SessionOptions on_demand(std::int64_t* largest_read = nullptr) {
  SessionOptions options;
  options.compute = [largest_read](const Request& request, Engine& engine, const CancelToken& cancel,
                                   const EarlyTrace&) {
    auto trace = std::make_shared<Trace>(*engine.run(request, cancel));
    for (Stage& stage : trace->stages) {
      if (!is_score_like(stage.id)) continue;
      const Tensor stored = stage.tensor.dense_copy();
      stage.tensor = Tensor::computed(stored.shape(), stored.axes(),
                                      [stored, largest_read](const Region& region, std::span<float> out) {
                                        if (largest_read != nullptr) {
                                          *largest_read = std::max(*largest_read, element_count(region));
                                        }
                                        stored.read(region, out);
                                      });
    }
    return trace;
  };
  return options;
}

TEST(LargeMap, IsDrawnFromPooledPixelsOfTheWorker) {
  Driver d(long_document(2100));
  EXPECT_TRUE(d.state.panel_data->is_large(StageId::weights));
  EXPECT_FALSE(d.state.panel_data->is_large(StageId::context));
  d.textures.of_frame.clear();
  d.step(2);
  int maps = 0;
  for (const HeatmapSpec& spec : d.textures.of_frame) {
    EXPECT_TRUE(spec.matrix.stored());
    EXPECT_LE(spec.matrix.size(), 2048 * 2048);
    if (spec.mask && spec.matrix.dim(0) > 100) {
      ++maps;
      // Every pixel shows one pooled pixel; they are spread over the room.
      EXPECT_LE(spec.rows, spec.height);
      EXPECT_LE(spec.columns, spec.width);
      EXPECT_LT(spec.height, 2 * spec.rows);
    }
  }
  EXPECT_GE(maps, 2);
  EXPECT_TRUE(d.has("inspector/pooling"));
  EXPECT_FALSE(d.session.background.busy());
}

TEST(LargeMap, MaxOrMeanIsChosenBesideIt) {
  Driver d(long_document(2100));
  const auto shown = [&] {
    const auto picture = d.session.background.maps.last_whole(d.state.panel_data->map_key(StageId::weights, 0, 0),
                                                              d.state.panel_data->matrix(StageId::weights, 0, 0),
                                                              d.session.view.pooling);
    EXPECT_TRUE(picture && picture->exact());
    return picture->matrix.values();
  };
  const std::vector<float> largest = shown();
  d.click("inspector/pooling", 0.75f);
  d.step(2);
  EXPECT_EQ(d.session.view.pooling, Pooling::mean);
  const std::vector<float> mean = shown();
  ASSERT_EQ(largest.size(), mean.size());
  for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_GE(largest[i], mean[i]);
  EXPECT_NE(largest, mean);
}

TEST(LargeMap, AMapOfOrdinarySizeHasNoSuchChoice) {
  Driver d;
  EXPECT_FALSE(d.has("inspector/pooling"));
}

TEST(LargeMap, ZoomedInItsCellsAreExactAndHaveNumbers) {
  Driver d(long_document(2100));
  Viewport& viewport = d.session.view.viewport;
  viewport = {1500, 1000, 10, 10};
  d.step(2);
  d.textures.of_frame.clear();
  d.step(2);
  bool found = false;
  const Tensor& weights = d.state.panel_data->matrix(StageId::weights, 0, 0);
  for (const HeatmapSpec& spec : d.textures.of_frame) {
    if (spec.rows > 12 || spec.matrix.dim(0) < 200) continue;
    found = true;
    const auto at = [&](std::int64_t row, std::int64_t column) {
      return Index{static_cast<std::int64_t>(spec.row0) + row, static_cast<std::int64_t>(spec.column0) + column};
    };
    // The picture's top left cell is (1500, 1000).
    for (std::int64_t row = 0; row < 8; ++row) {
      for (std::int64_t column = 0; column < 8; ++column) {
        EXPECT_EQ(spec.matrix.at(at(row, column)), weights.at({1500 + row, 1000 + column}));
      }
    }
  }
  EXPECT_TRUE(found);
}

TEST(LargeMap, PointingAtAPixelNamesTheCellThatItShows) {
  Driver d(long_document(2100));
  const Rect picture = d.rect("inspector/picture");
  d.move({picture.min.x + 20, picture.min.y + 60});
  d.step(2);
  const PanelData& data = *d.state.panel_data;
  PyramidSource source = d.state.panel_data->map_source(StageId::weights, 0, 0);
  const std::int64_t cells = cells_a_pixel(2100, static_cast<double>(picture.width()));
  ASSERT_GT(cells, 1);
  const auto pooled_at = [&](int pixel) {
    const auto cell = static_cast<std::int64_t>((pixel + 0.5) * 2100 / static_cast<double>(picture.width()));
    return Range{cell / cells * cells, (cell / cells + 1) * cells};
  };
  const auto expected = chosen_cell(source, pooled_at(60), pooled_at(20), {});
  ASSERT_TRUE(expected);
  EXPECT_EQ(d.state.hover.query, expected->row);
  EXPECT_EQ(d.state.hover.key, expected->column);
  EXPECT_EQ(data.trace().query_len(), 2100);
}

TEST(LargeMap, WheelGoesDownToSingleCellsAndCtrlShiftFFitsAgain) {
  Driver d(long_document(2100));
  std::vector<double> sides;
  for (int i = 0; i < 6; ++i) {
    d.wheel("inspector/picture", 1);
    d.step(1);
    const Rect picture = d.rect("inspector/picture");
    sides.push_back(static_cast<double>(picture.width()) / d.session.view.viewport.columns);
  }
  EXPECT_TRUE(std::is_sorted(sides.begin(), sides.end()));
  EXPECT_GE(sides.back(), 2);
  d.key(KeyName::f, true, true);
  d.step(2);
  EXPECT_TRUE(d.session.view.viewport.fitted());
}

TEST(LargeMap, OnDemandStagesAreNeverReadWholeByTheWindow) {
  std::int64_t largest = 0;
  const int tokens = 1500;
  Driver d(long_document(tokens), 1600, 1000, 1, on_demand(&largest));
  PanelData& data = *d.state.panel_data;
  EXPECT_TRUE(data.is_large(StageId::weights));
  d.step(3);
  EXPECT_LE(largest, std::int64_t{1} << 19);
  EXPECT_EQ(data.statistics(StageId::weights), nullptr);
  EXPECT_EQ(data.statistics(StageId::weights, 0, 0), nullptr);
  EXPECT_EQ(data.histogram(StageId::weights, 0, 0), nullptr);
  EXPECT_EQ(data.summary(0, 0), nullptr);
  EXPECT_FALSE(data.unfinished());
}

TEST(LargeMap, NumbersOfAnOnDemandStageComeWhenAskedFor) {
  Driver d(long_document(1500), 1600, 1400, 1, on_demand());
  PanelData& data = *d.state.panel_data;
  ASSERT_TRUE(d.has("inspector/statistics/compute"));
  d.click("inspector/statistics/compute");
  d.step(3);
  ASSERT_NE(data.statistics(StageId::weights, 0, 0), nullptr);
  const Statistics expected = statistics_of(data.matrix(StageId::weights, 0, 0));
  EXPECT_EQ(data.statistics(StageId::weights, 0, 0)->mean, expected.mean);
  EXPECT_EQ(data.statistics(StageId::weights)->max, expected.max);
  ASSERT_NE(data.summary(0, 0), nullptr);
  EXPECT_EQ(data.summary(0, 0)->entropy_bits, summarize_head(d.trace(), 0, 0).entropy_bits);
  EXPECT_FALSE(d.has("inspector/statistics/compute"));
}

TEST(LargeMap, StoredStagesGetTheirNumbersUnasked) {
  Driver d(long_document(2100), 1600, 1400);
  d.step(3);
  EXPECT_NE(d.state.panel_data->statistics(StageId::weights, 0, 0), nullptr);
}

TEST(LargeMap, SmallComputedStagesAreStoredAtTheFirstLook) {
  Driver d(long_document(40), 1600, 1000, 1, on_demand());
  PanelData& data = *d.state.panel_data;
  EXPECT_FALSE(data.is_large(StageId::raw_scores));
  EXPECT_TRUE(data.matrix(StageId::raw_scores, 0, 0).stored());
  EXPECT_TRUE(same_storage(data.matrix(StageId::raw_scores, 0, 0), data.matrix(StageId::raw_scores, 0, 0)));
  EXPECT_EQ(data.matrix(StageId::raw_scores, 0, 0).values(),
            slice_matrix(d.trace(), StageId::raw_scores, 0, 0).values());
  for (const HeatmapSpec& spec : d.textures.of_frame) EXPECT_TRUE(spec.matrix.stored());
}

TEST(LargeMap, TheRangeOfSignedScoresIsThatOfWhatWasSeen) {
  Driver d(long_document(1500), 1600, 1000, 1, on_demand());
  PanelData& data = *d.state.panel_data;
  EXPECT_EQ(data.range(d.session.view, StageId::masked_scores, 0, 0), (ValueRange{-1, 1, false, false}));
  d.session.view.stage = d.session.view.quantity = StageId::masked_scores;
  d.step(3);
  const ValueRange range = data.range(d.session.view, StageId::masked_scores, 0, 0);
  const ValueRange expected =
      automatic_range(data.matrix(StageId::masked_scores, 0, 0), false, true, data.mask(StageId::masked_scores).get());
  EXPECT_EQ(range.high, expected.high);
  EXPECT_EQ(range.low, expected.low);
}

LargeMap with_picture(double done, std::int64_t one_of_rows, PixelCells cells) {
  LargeMap map;
  map.source.matrix = Tensor::zeros({3000, 3000}, {Axis::query, Axis::key});
  auto picture = std::make_shared<MapPicture>();
  picture->query = query_of_all({}, map.source.matrix, Pooling::max, cells);
  picture->done = done;
  picture->one_of_rows = one_of_rows;
  map.whole = map.detail = picture;
  return map;
}

TEST(LargeMap, SaysWhatAPixelHoldsAndHowSureItIs) {
  const CellGrid grid = fitted_map({{0, 0}, 1000, 1000}, 3000, 3000, true);
  ASSERT_EQ(grid.pixel_cells(), (PixelCells{4, 4}));
  EXPECT_EQ(map_sentence({}, grid), "max of 4 × 4 cells a pixel, computing");
  EXPECT_EQ(map_sentence(with_picture(0, 32, {4, 4}), grid), "max of 4 × 4 cells a pixel, coarse: 1 of 32 rows so far");
  EXPECT_EQ(map_sentence(with_picture(0.409, 32, {4, 4}), grid), "max of 4 × 4 cells a pixel, refining 40 %");
  EXPECT_EQ(map_sentence(with_picture(1, 1, {4, 4}), grid), "max of 4 × 4 cells a pixel, exact");
  LargeMap mean = with_picture(1, 1, {4, 4});
  mean.pooling = Pooling::mean;
  EXPECT_EQ(map_sentence(mean, grid), "mean of 4 × 4 cells a pixel, exact");
  const CellGrid cells = fitted_map({{0, 0}, 4000, 4000}, 3000, 3000, true);
  EXPECT_EQ(map_sentence(with_picture(1, 1, {1, 1}), cells), "");
  LargeMap failed = with_picture(1, 1, {4, 4});
  failed.failure = "the disk is gone";
  EXPECT_EQ(map_sentence(failed, grid), "max of 4 × 4 cells a pixel, not all could be computed: the disk is gone");
}

TEST(LargeMap, SeveralAreAsExactAsTheWorstOfThem) {
  const CellGrid grid = fitted_map({{0, 0}, 1000, 1000}, 3000, 3000, true);
  const LargeMap exact = with_picture(1, 1, {4, 4}), half = with_picture(0.5, 32, {4, 4});
  EXPECT_EQ(maps_sentence({}, grid), "");
  EXPECT_EQ(maps_sentence({exact, exact}, grid), "max of 4 × 4 cells a pixel, exact");
  EXPECT_EQ(maps_sentence({exact, half, half, exact}, grid), "max of 4 × 4 cells a pixel, 2 of 4 exact, refining 75 %");
  EXPECT_EQ(maps_sentence({exact, LargeMap()}, grid), "max of 4 × 4 cells a pixel, 1 of 2 exact, refining 50 %");
  EXPECT_EQ(maps_sentence({half}, grid), "max of 4 × 4 cells a pixel, refining 50 %");
  LargeMap failed = exact;
  failed.failure = "the disk is gone";
  EXPECT_EQ(maps_sentence({exact, failed}, grid),
            "max of 4 × 4 cells a pixel, not all could be computed: the disk is gone");
}

}  // namespace
}  // namespace headscope::ui
