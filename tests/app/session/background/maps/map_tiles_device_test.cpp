// Maps whose pixels stay on a device.
#include "app/session/background/maps/map_tiles.h"
#include "tests/app/session/background/maps/asked_maps.h"
#include "tests/app/session/background/maps/keeping_device.h"

namespace headscope {
namespace {

// The same numbers, once to be read here and once on the device.
struct OnDevice {
  std::shared_ptr<std::atomic<std::int64_t>> read = std::make_shared<std::atomic<std::int64_t>>(0);
  std::shared_ptr<KeepingDevice> device;
  PyramidSource source;

  OnDevice(std::int64_t rows, std::int64_t columns) {
    device = std::make_shared<KeepingDevice>(counted_matrix(rows, columns, nullptr));
    source.matrix = counted_matrix(rows, columns, read);
    source.device = device;
    auto mask = std::make_shared<Mask>();
    MaskRule rule;
    rule.open = 0;
    mask->hidden = HiddenCells(1, 1, rows, columns, rule);
    source.mask = mask;
  }
  PyramidSource without_device() const {
    PyramidSource same = source;
    same.device = nullptr;
    return same;
  }
};

void expect_same(const MapPicture& a, const MapPicture& b) {
  EXPECT_EQ(a.query, b.query);
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.done, b.done);
  EXPECT_EQ(a.one_of_rows, b.one_of_rows);
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
  ASSERT_EQ(a.matrix.shape(), b.matrix.shape());
  const Range rows{0, a.matrix.dim(0)}, columns{0, a.matrix.dim(1)};
  const PooledPixels ours = a.read(rows, columns), theirs = b.read(rows, columns);
  for (std::int64_t y = 0; y < ours.rows; ++y) {
    for (std::int64_t x = 0; x < ours.columns; ++x) {
      const auto at = static_cast<std::size_t>(y * ours.columns + x);
      ASSERT_EQ(ours.values[at], theirs.values[at]) << y << ", " << x;
      ASSERT_EQ(ours.hidden(y, x), theirs.hidden(y, x)) << y << ", " << x;
    }
  }
}

TEST(MapTilesDevice, pictures_are_those_that_are_made_here) {
  const OnDevice on(2600, 2101);
  for (const Pooling pooling : {Pooling::max, Pooling::mean}) {
    std::vector<MapQuery> queries;
    for (const PixelCells cells : {PixelCells{12, 12}, {4, 2}, {8, 6}, {52, 50}}) {
      queries.push_back(query_of_all({}, on.source.matrix, pooling, cells));
    }
    for (const PixelCells cells : {PixelCells{1, 1}, {2, 2}, {4, 4}, {1, 8}}) {
      queries.push_back(query_of({}, on.source.matrix, pooling, cells, {1100, 1500}, {1500, 1777}));
    }
    for (const MapQuery& query : queries) {
      MapTiles there(
          make_inline_executor(), [] {}, at_once());
      MapTiles here(
          make_inline_executor(), [] {}, at_once());
      *on.read = 0;
      const auto shared = ask(there, query, on.source);
      EXPECT_EQ(*on.read, 0) << "cells came from where they are not";
      const auto own = ask(here, query, on.without_device());
      ASSERT_TRUE(shared && own);
      EXPECT_TRUE(shared->device);
      EXPECT_FALSE(own->device);
      EXPECT_EQ(there.counts().read, 0);
      EXPECT_GT(there.counts().on_device, 0);
      EXPECT_EQ(here.counts().on_device, 0);
      EXPECT_GT(here.counts().read, 0);
      expect_same(*shared, *own);
    }
  }
}

TEST(MapTilesDevice, every_picture_on_the_way_is_the_same_too) {
  const OnDevice on(20000, 600);
  const MapQuery query = query_of_all({}, on.source.matrix, Pooling::mean, {160, 10});
  const auto published = [&](const PyramidSource& source) {
    std::vector<std::shared_ptr<const MapPicture>> seen;
    MapTiles* maps = nullptr;
    MapTiles::Options options = at_once();
    options.coarse_cells = 600 * 800;
    auto own = std::make_unique<ManualExecutor>();
    ManualExecutor* executor = own.get();
    MapTiles tiles(
        std::move(own), [&] { seen.push_back(maps->want(query, source, 0)); }, options);
    maps = &tiles;
    tiles.want(query, source, 0);
    tiles.end_frame();
    while (executor->step()) {
    }
    return seen;
  };
  const auto there = published(on.source), here = published(on.without_device());
  ASSERT_EQ(there.size(), here.size());
  ASSERT_GE(there.size(), 3U);
  for (std::size_t i = 0; i < there.size(); ++i) expect_same(*there[i], *here[i]);
}

TEST(MapTilesDevice, a_part_grows_from_above_as_it_does_here) {
  const OnDevice on(9000, 1000);
  const MapQuery query = query_of({}, on.source.matrix, Pooling::max, {1, 1}, {300, 1500}, {0, 900});
  std::vector<Range> rows;
  MapTiles* maps = nullptr;
  MapTiles tiles(
      make_inline_executor(), [&] { rows.push_back(maps->want(query, on.source, 0)->rows); }, at_once());
  maps = &tiles;
  ask(tiles, query, on.source);
  ASSERT_GE(rows.size(), 3U);
  EXPECT_EQ(rows.front(), (Range{256, 512}));
  EXPECT_EQ(rows.back(), (Range{256, 1536}));
}

TEST(MapTilesDevice, tiles_are_kept_within_the_budget_and_used_again) {
  const OnDevice on(4096, 4096);
  MapTiles::Options options = at_once();
  options.tile_bytes = 2 << 20;
  MapTiles few(
      make_inline_executor(), [] {}, options);
  ASSERT_TRUE(ask(few, query_of_all({}, on.source.matrix, Pooling::max, {2, 2}), on.source)->exact());
  EXPECT_LE(few.tile_bytes(), 2 << 20);
  EXPECT_GT(few.tile_bytes(), 0);

  MapTiles all(
      make_inline_executor(), [] {}, at_once());
  ask(all, query_of_all({}, on.source.matrix, Pooling::max, {2, 2}), on.source);
  const int pooled = on.device->pooled;
  ask(all, query_of({}, on.source.matrix, Pooling::max, {2, 2}, {100, 900}, {50, 700}), on.source);
  EXPECT_EQ(on.device->pooled, pooled);
}

TEST(MapTilesDevice, what_is_no_longer_looked_at_is_cancelled) {
  OnDevice on(20000, 20000);
  MapTiles* maps = nullptr;
  bool moved = false;
  const MapQuery second = query_of({}, on.source.matrix, Pooling::max, {1, 1}, {16384, 16400}, {0, 9});
  on.device->before_pooling = [&] {
    if (std::exchange(moved, true)) return;
    maps->want(second, on.source, 0);
    maps->end_frame();
  };
  auto own = std::make_unique<ManualExecutor>();
  ManualExecutor* executor = own.get();
  MapTiles tiles(
      std::move(own), [] {}, at_once());
  maps = &tiles;
  const MapQuery first = query_of({}, on.source.matrix, Pooling::max, {8, 8}, {0, 10000}, {0, 10000});
  tiles.want(first, on.source, 0);
  tiles.end_frame();
  while (executor->step()) {
  }
  EXPECT_EQ(on.device->pooled, 1) << "of the second wish; the first was cancelled at its first tile";
  EXPECT_FALSE(tiles.want(first, on.source, 0));
  EXPECT_TRUE(tiles.want(second, on.source, 0));
  EXPECT_EQ(tiles.counts().device_failure, "");
}

TEST(MapTilesDevice, a_device_that_fails_leaves_the_rest_to_the_cells) {
  for (const int fails_at : {0, 1, 5}) {
    OnDevice on(20000, 600);
    on.device->fails_at = fails_at;
    MapTiles::Options options = at_once();
    options.coarse_cells = 1;
    MapTiles tiles(
        make_inline_executor(), [] {}, options);
    MapTiles here(
        make_inline_executor(), [] {}, options);
    const MapQuery query = query_of_all({}, on.source.matrix, Pooling::max, {160, 10});
    const auto picture = ask(tiles, query, on.source);
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->failure, "");
    expect_same(*picture, *ask(here, query, on.without_device()));
    EXPECT_EQ(tiles.counts().device_failure, "the device was lost");
    EXPECT_GT(tiles.counts().read, 0);
    const int asked = on.device->pooled;
    ask(tiles, query_of_all({0, StageId::weights, 0, 1}, on.source.matrix, Pooling::max, {160, 10}), on.source);
    EXPECT_EQ(on.device->pooled, asked) << "a device that failed is asked again";
    // Another one may do.
    OnDevice other(600, 600);
    EXPECT_TRUE(
        ask(tiles, query_of_all({1, StageId::weights, 0, 0}, other.source.matrix, Pooling::max, {8, 8}), other.source)
            ->device);
    EXPECT_EQ(tiles.counts().device_failure, "");
  }
}

TEST(MapTilesDevice, a_picture_too_large_for_the_device_is_made_here) {
  const OnDevice on(2000, 2000);
  on.device->most = 400;
  MapTiles tiles(
      make_inline_executor(), [] {}, at_once());
  EXPECT_FALSE(ask(tiles, query_of_all({}, on.source.matrix, Pooling::max, {4, 4}), on.source)->device);
  EXPECT_TRUE(ask(tiles, query_of_all({}, on.source.matrix, Pooling::max, {8, 8}), on.source)->device);
}

}  // namespace
}  // namespace headscope
