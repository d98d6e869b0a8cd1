#include "app/session/background/maps/map_tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/base/error.h"
#include "tests/app/session/background/maps/asked_maps.h"

namespace headscope {
namespace {

// A computed matrix that counts what is read of it.
struct Counted {
  std::shared_ptr<std::atomic<std::int64_t>> cells = std::make_shared<std::atomic<std::int64_t>>(0);
  PyramidSource source;

  explicit Counted(std::int64_t rows, std::int64_t columns) { source.matrix = counted_matrix(rows, columns, cells); }
};

// MapTiles on executors that the test steps by hand.
struct Manual {
  ManualExecutor* executor;
  int wakes = 0;
  MapTiles maps;
  explicit Manual(std::unique_ptr<ManualExecutor> own = std::make_unique<ManualExecutor>())
      : executor(own.get()),
        maps(
            std::move(own), [this] { ++wakes; }, at_once()) {}
};

void expect_exact(const MapPicture& picture, const PyramidSource& source) {
  const MapQuery& query = picture.query;
  ASSERT_TRUE(picture.exact());
  ASSERT_EQ(picture.rows, query.rows);
  const PooledPixels expected = pool_cells(source, query.rows, query.columns, query.cells, query.pooling, {});
  ASSERT_EQ(picture.matrix.shape(), (Shape{expected.rows, expected.columns}));
  const std::vector<float> values = picture.matrix.values();
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], expected.values[i], 1e-6F) << i;
  for (std::int64_t y = 0; y < expected.rows; ++y) {
    for (std::int64_t x = 0; x < expected.columns; ++x) {
      ASSERT_EQ(picture.mask && picture.mask->hidden.hidden(0, 0, y, x), expected.hidden(y, x));
    }
  }
}

TEST(MapTiles, pictures_are_what_the_pyramid_says_at_every_distance) {
  Counted counted(2600, 2101);
  auto mask = std::make_shared<Mask>();
  MaskRule rule;
  rule.open = 0;
  mask->hidden = HiddenCells(1, 1, 2600, 2101, rule);
  PyramidSource source = counted.source;
  source.mask = mask;
  MapTiles maps(
      make_inline_executor(), [] {}, at_once());
  for (const Pooling pooling : {Pooling::max, Pooling::mean}) {
    for (const PixelCells cells : {PixelCells{12, 12}, {4, 2}, {8, 6}, {52, 50}}) {
      const auto whole = ask(maps, query_of_all({}, source.matrix, pooling, cells), source);
      ASSERT_TRUE(whole);
      expect_exact(*whole, source);
    }
    for (const PixelCells cells : {PixelCells{1, 1}, {2, 2}, {4, 4}, {1, 8}}) {
      const auto part = ask(maps, query_of({}, source.matrix, pooling, cells, {1100, 1500}, {1500, 1777}), source);
      ASSERT_TRUE(part);
      EXPECT_LE(part->query.rows.begin, 1100);
      EXPECT_GE(part->query.rows.end, 1500);
      EXPECT_LE(part->query.columns.begin, 1500);
      EXPECT_GE(part->query.columns.end, 1777);
      expect_exact(*part, source);
    }
  }
}

TEST(MapTiles, a_short_pan_and_a_coarser_picture_read_nothing_again) {
  Counted counted(2304, 2304);
  MapTiles maps(
      make_inline_executor(), [] {}, at_once());
  const Tensor& matrix = counted.source.matrix;
  ASSERT_TRUE(ask(maps, query_of_all({}, matrix, Pooling::max, {2, 2}), counted.source)->exact());
  const std::int64_t read = *counted.cells;
  MapTiles::Options options;
  EXPECT_LE(read, 2304 * 2304 + options.coarse_cells);
  ask(maps, query_of({}, matrix, Pooling::max, {2, 2}, {100, 900}, {50, 700}), counted.source);
  ask(maps, query_of({}, matrix, Pooling::max, {2, 2}, {101, 905}, {60, 720}), counted.source);
  EXPECT_EQ(*counted.cells, read);
  // Another head's pixels are not these.
  ask(maps, query_of({0, StageId::weights, 0, 1}, matrix, Pooling::max, {2, 2}, {100, 900}, {50, 700}), counted.source);
  EXPECT_GT(*counted.cells, read);
}

TEST(MapTiles, shows_something_coarse_of_every_map_before_any_exact_one) {
  Counted counted(20000, 600);
  ManualExecutor* executor = nullptr;
  auto own = std::make_unique<ManualExecutor>();
  executor = own.get();
  std::vector<std::string> seen;
  std::vector<MapQuery> queries;
  for (std::int64_t head = 0; head < 3; ++head) {
    queries.push_back(query_of_all({0, StageId::weights, 0, head}, counted.source.matrix, Pooling::max, {160, 10}));
  }
  MapTiles* maps = nullptr;
  const auto ask_all = [&] {
    std::string states;
    for (const MapQuery& query : queries) {
      const auto picture = maps->want(query, counted.source, static_cast<int>(query.key.slice));
      states += !picture ? '.' : picture->exact() ? 'E' : picture->done > 0 ? 'r' : 'c';
    }
    if (seen.empty() || seen.back() != states) seen.push_back(states);
  };
  MapTiles::Options options = at_once();
  options.coarse_cells = 600 * 800;
  MapTiles tiles(
      std::move(own), [&] { ask_all(); }, options);
  maps = &tiles;
  ask_all();
  tiles.end_frame();
  EXPECT_TRUE(tiles.busy());
  while (executor->step()) {
  }
  EXPECT_FALSE(tiles.busy());
  const std::vector<std::string> expected{"...", "c..", "cc.", "ccc", "rcc", "Ecc", "Erc", "EEc", "EEr", "EEE"};
  EXPECT_EQ(seen, expected);
  const auto picture = tiles.want(queries[0], counted.source, 0);
  EXPECT_EQ(picture->one_of_rows, 1);
}

TEST(MapTiles, a_coarse_picture_says_what_it_was_made_of) {
  Counted counted(20000, 600);
  const MapQuery query = query_of_all({}, counted.source.matrix, Pooling::max, {160, 10});
  std::vector<std::int64_t> said;
  MapTiles* maps = nullptr;
  MapTiles::Options options = at_once();
  options.coarse_cells = 600 * 800;
  auto own = std::make_unique<ManualExecutor>();
  ManualExecutor* executor = own.get();
  MapTiles tiles(
      std::move(own),
      [&] {
        const auto picture = maps->want(query, counted.source, 0);
        said.push_back(picture->exact() ? 0 : picture->one_of_rows);
        EXPECT_EQ(picture->matrix.shape(), (Shape{125, 60}));
        EXPECT_EQ(picture->rows, (Range{0, 20000}));
      },
      options);
  maps = &tiles;
  tiles.want(query, counted.source, 0);
  tiles.end_frame();
  while (executor->step()) {
  }
  ASSERT_GE(said.size(), 3U);
  EXPECT_EQ(said.front(), 25);
  EXPECT_EQ(said.back(), 0);
}

TEST(MapTiles, what_is_no_longer_looked_at_is_not_computed) {
  Counted counted(9000, 1000);
  Manual manual;
  const MapQuery first = query_of_all({0, StageId::weights, 0, 0}, counted.source.matrix, Pooling::max, {40, 4});
  const MapQuery second = query_of_all({0, StageId::weights, 0, 1}, counted.source.matrix, Pooling::max, {40, 4});
  manual.maps.want(first, counted.source, 0);
  manual.maps.end_frame();
  manual.maps.want(second, counted.source, 0);
  manual.maps.end_frame();
  while (manual.executor->step()) {
  }
  EXPECT_FALSE(manual.maps.want(first, counted.source, 0));
  const auto shown = manual.maps.want(second, counted.source, 0);
  ASSERT_TRUE(shown);
  EXPECT_TRUE(shown->exact());
  EXPECT_GT(manual.wakes, 0);
}

TEST(MapTiles, panning_on_while_it_computes_cancels_the_old_part) {
  // The query changes while the worker reads: the read that follows is of the new one.
  MapTiles* maps = nullptr;
  int reads = 0;
  bool moved = false;
  PyramidSource source;
  source.matrix =
      Tensor::computed({20000, 20000}, {Axis::query, Axis::key}, [&](const Region& region, std::span<float> out) {
        std::fill(out.begin(), out.end(), 0.0F);
        ++reads;
        if (moved) {
          EXPECT_GE(region[0].begin, 16000);
          return;
        }
        moved = true;
        maps->want(query_of({}, source.matrix, Pooling::max, {1, 1}, {16384, 16400}, {0, 9}), source, 0);
        maps->end_frame();
      });
  auto own = std::make_unique<ManualExecutor>();
  ManualExecutor* executor = own.get();
  MapTiles tiles(
      std::move(own), [] {}, at_once());
  maps = &tiles;
  tiles.want(query_of({}, source.matrix, Pooling::max, {8, 8}, {0, 10000}, {0, 10000}), source, 0);
  tiles.end_frame();
  while (executor->step()) {
  }
  EXPECT_LE(reads, 3);
  EXPECT_FALSE(tiles.busy());
}

TEST(MapTiles, keeps_tiles_within_its_budget) {
  Counted counted(4096, 4096);
  MapTiles::Options options = at_once();
  options.tile_bytes = 2 << 20;
  MapTiles maps(
      make_inline_executor(), [] {}, options);
  const auto picture = ask(maps, query_of_all({}, counted.source.matrix, Pooling::max, {2, 2}), counted.source);
  ASSERT_TRUE(picture);
  EXPECT_TRUE(picture->exact());
  EXPECT_LE(maps.tile_bytes(), 2 << 20);
  EXPECT_GT(maps.tile_bytes(), 0);
}

TEST(MapTiles, a_matrix_that_cannot_be_read_says_why_once) {
  int reads = 0;
  PyramidSource source;
  source.matrix = Tensor::computed({9000, 9000}, {Axis::query, Axis::key}, [&](const Region&, std::span<float>) {
    ++reads;
    throw Error("the disk is gone");
  });
  MapTiles maps(
      make_inline_executor(), [] {}, at_once());
  const MapQuery query = query_of_all({}, source.matrix, Pooling::max, {8, 8});
  const auto picture = ask(maps, query, source);
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->failure, "the disk is gone");
  EXPECT_FALSE(maps.busy());
  ask(maps, query, source);
  EXPECT_EQ(reads, 1);
  EXPECT_FALSE(maps.last_whole({}, source.matrix, Pooling::max));
}

TEST(MapTiles, the_last_whole_stays_until_a_newer_version_has_one) {
  Counted counted(3000, 3000);
  MapTiles maps(
      make_inline_executor(), [] {}, at_once());
  const Tensor& matrix = counted.source.matrix;
  ask(maps, query_of_all({1, StageId::weights, 0, 0}, matrix, Pooling::max, {16, 16}), counted.source);
  auto last = maps.last_whole({2, StageId::weights, 0, 0}, matrix, Pooling::max);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->query.key.version, 1U);
  EXPECT_FALSE(maps.last_whole({2, StageId::weights, 0, 0}, matrix, Pooling::mean));
  EXPECT_FALSE(maps.last_whole({2, StageId::weights, 0, 0}, Counted(3000, 3001).source.matrix, Pooling::max));
  ask(maps, query_of_all({2, StageId::weights, 0, 0}, matrix, Pooling::max, {8, 8}), counted.source);
  last = maps.last_whole({2, StageId::weights, 0, 0}, matrix, Pooling::max);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->query.key.version, 2U);
}

TEST(MapTiles, tells_which_cell_a_pixel_shows) {
  Counted counted(3000, 3000);
  MapTiles maps(
      make_inline_executor(), [] {}, at_once());
  const auto answer = maps.chosen({}, counted.source, {320, 336}, {640, 656});
  ASSERT_TRUE(answer.known);
  ASSERT_TRUE(answer.cell);
  const auto expected = chosen_cell(counted.source, {320, 336}, {640, 656}, {});
  EXPECT_EQ(answer.cell->row, expected->row);
  EXPECT_EQ(answer.cell->column, expected->column);
  const std::int64_t read = *counted.cells;
  EXPECT_TRUE(maps.chosen({}, counted.source, {320, 336}, {640, 656}).known);
  EXPECT_EQ(*counted.cells, read);
}

TEST(MapTiles, works_on_threads_and_ends_while_they_run) {
  Counted counted(20000, 20000);
  std::atomic<int> wakes = 0;
  {
    MapTiles maps(
        make_thread_executor(), [&] { ++wakes; }, at_once());
    const MapQuery query = query_of_all({}, counted.source.matrix, Pooling::max, {160, 160});
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::shared_ptr<const MapPicture> picture;
    while (!picture && std::chrono::steady_clock::now() < end) {
      picture = maps.want(query, counted.source, 0);
      maps.end_frame();
      maps.chosen({}, counted.source, {0, 160}, {160, 320});
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(picture);
  }
  EXPECT_GT(wakes, 0);
}

}  // namespace
}  // namespace headscope
