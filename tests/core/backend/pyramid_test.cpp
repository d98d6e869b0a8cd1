#include "core/backend/pyramid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "core/base/error.h"
#include "tests/core/picture/small_maps.h"

namespace headscope {
namespace {

Tensor random_matrix(std::int64_t rows, std::int64_t columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  for (float& value : values) value = normal(random);
  return matrix_of(rows, columns, std::move(values));
}

std::shared_ptr<const Mask> causal_mask(std::int64_t rows, std::int64_t columns) {
  auto mask = std::make_shared<Mask>();
  MaskRule rule;
  rule.open = 0;
  mask->hidden = HiddenCells(1, 1, rows, columns, rule);
  return mask;
}

// One pixel by its definition, cell by cell.
struct Expected {
  bool hidden = true;
  double value = 0;
};
Expected pixel_of(const PyramidSource& source, Range rows, Range columns, Pooling pooling) {
  bool nan = false, finite_seen = false, seen = false;
  double sum = 0, count = 0;
  float largest = 0;
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    for (std::int64_t j = columns.begin; j < columns.end; ++j) {
      const float v = source.matrix.at({i, j});
      nan = nan || std::isnan(v);
      if (source.mask && source.mask->hidden.hidden(source.batch, source.head, i, j)) continue;
      const bool larger = std::fabs(v) > std::fabs(largest) || (std::fabs(v) == std::fabs(largest) && v > largest);
      if (!seen || larger) largest = v;
      seen = true;
      if (!std::isfinite(v)) continue;
      finite_seen = true;
      sum += static_cast<double>(v);
      ++count;
    }
  }
  if (nan) return {false, std::nan("")};
  if (!seen) return {};
  if (pooling == Pooling::mean && finite_seen) return {false, sum / count};
  return {false, static_cast<double>(largest)};
}

void expect_pooled(const PooledPixels& pixels, const PyramidSource& source, Range rows, Range columns, PixelCells cells,
                   Pooling pooling) {
  ASSERT_EQ(pixels.rows, (rows.size() + cells.rows - 1) / cells.rows);
  ASSERT_EQ(pixels.columns, (columns.size() + cells.columns - 1) / cells.columns);
  for (std::int64_t y = 0; y < pixels.rows; ++y) {
    for (std::int64_t x = 0; x < pixels.columns; ++x) {
      const Range r{rows.begin + y * cells.rows, std::min(rows.begin + (y + 1) * cells.rows, rows.end)};
      const Range c{columns.begin + x * cells.columns, std::min(columns.begin + (x + 1) * cells.columns, columns.end)};
      const Expected expected = pixel_of(source, r, c, pooling);
      const auto value = static_cast<double>(pixels.values[static_cast<std::size_t>(y * pixels.columns + x)]);
      SCOPED_TRACE("pixel " + std::to_string(y) + ", " + std::to_string(x));
      ASSERT_EQ(pixels.hidden(y, x), expected.hidden);
      if (expected.hidden) {
        ASSERT_EQ(value, 0);
      } else if (std::isnan(expected.value)) {
        ASSERT_TRUE(std::isnan(value));
      } else if (pooling == Pooling::max || std::isinf(expected.value)) {
        ASSERT_EQ(value, expected.value);
      } else {
        ASSERT_NEAR(value, expected.value, 1e-6);
      }
    }
  }
}

TEST(Pyramid, pools_any_block_of_any_part_exactly) {
  const PyramidSource source{random_matrix(67, 131, 1), nullptr, 0, 0};
  for (const Pooling pooling : {Pooling::max, Pooling::mean}) {
    for (const PixelCells cells : {PixelCells{1, 1}, {2, 2}, {8, 8}, {5, 3}, {67, 131}, {100, 1000}}) {
      expect_pooled(pool_cells(source, {0, 67}, {0, 131}, cells, pooling, {}), source, {0, 67}, {0, 131}, cells,
                    pooling);
      expect_pooled(pool_cells(source, {10, 51}, {7, 120}, cells, pooling, {}), source, {10, 51}, {7, 120}, cells,
                    pooling);
    }
  }
}

TEST(Pyramid, hidden_cells_count_for_nothing) {
  auto mask = std::make_shared<Mask>();
  mask->hidden = HiddenCells(1, 1, 40, 33);
  std::mt19937 random(7);
  for (std::int64_t i = 0; i < 40; ++i) {
    for (std::int64_t j = 0; j < 33; ++j) mask->hidden.mutable_row(0, 0, i)[j] = i < 4 || random() % 3 != 0;
  }
  mask->hidden.refresh_any();
  for (const auto& hides : {std::shared_ptr<const Mask>(mask), causal_mask(40, 33)}) {
    const PyramidSource source{random_matrix(40, 33, 2), hides, 0, 0};
    for (const Pooling pooling : {Pooling::max, Pooling::mean}) {
      for (const PixelCells cells : {PixelCells{1, 1}, {4, 4}, {7, 5}}) {
        expect_pooled(pool_cells(source, {0, 40}, {0, 33}, cells, pooling, {}), source, {0, 40}, {0, 33}, cells,
                      pooling);
        expect_pooled(pool_cells(source, {3, 20}, {12, 33}, cells, pooling, {}), source, {3, 20}, {12, 33}, cells,
                      pooling);
      }
    }
  }
}

TEST(Pyramid, broken_numbers_are_seen_from_any_distance) {
  std::vector<float> values = random_matrix(32, 32, 3).values();
  for (std::size_t j = 0; j < 32; ++j) values[20 * 32 + j] = kNan;  // a row of NaN, hidden part and all
  values[5 * 32 + 2] = kInf;
  values[9 * 32 + 9] = -kInf;
  for (const auto& hides : {std::shared_ptr<const Mask>(), causal_mask(32, 32)}) {
    const PyramidSource source{matrix_of(32, 32, values), hides, 0, 0};
    for (const Pooling pooling : {Pooling::max, Pooling::mean}) {
      for (const PixelCells cells : {PixelCells{1, 1}, {8, 8}, {4, 2}}) {
        expect_pooled(pool_cells(source, {0, 32}, {0, 32}, cells, pooling, {}), source, {0, 32}, {0, 32}, cells,
                      pooling);
        // Only hidden cells of the NaN row lie in this part.
        expect_pooled(pool_cells(source, {16, 24}, {24, 32}, cells, pooling, {}), source, {16, 24}, {24, 32}, cells,
                      pooling);
      }
    }
  }
}

TEST(Pyramid, hidden_pixels_are_a_mask) {
  PooledPixels pixels(3, 2);
  pixels.values = {1, 0, std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity(), 0, 5};
  pixels.counts = {1, 0, 0, 0, 0, 7};
  const auto mask = hidden_pixels(pixels);
  ASSERT_TRUE(mask);
  EXPECT_TRUE(mask->hidden.any());
  for (std::int64_t y = 0; y < 3; ++y) {
    for (std::int64_t x = 0; x < 2; ++x) {
      EXPECT_EQ(mask->hidden.hidden(0, 0, y, x), (y == 0 && x == 1) || (y == 2 && x == 0)) << y << ", " << x;
    }
  }
  pixels.counts = {1, 1, 0, 0, 1, 7};
  EXPECT_FALSE(hidden_pixels(pixels)) << "NaN and infinity are seen";
}

TEST(Pyramid, rows_that_see_nothing_are_hidden_or_nan) {
  auto mask = std::make_shared<Mask>();
  MaskRule rule;
  rule.open = 0;
  rule.diagonal = -3;  // the first rows see no key
  mask->hidden = HiddenCells(1, 1, 12, 12, rule);
  std::vector<float> values(144, 0.25F);
  for (std::size_t j = 0; j < 12; ++j) values[12 + j] = kNan;
  const PyramidSource source{matrix_of(12, 12, values), mask, 0, 0};
  for (const Pooling pooling : {Pooling::max, Pooling::mean}) {
    expect_pooled(pool_cells(source, {0, 12}, {0, 12}, {1, 1}, pooling, {}), source, {0, 12}, {0, 12}, {1, 1}, pooling);
    expect_pooled(pool_cells(source, {0, 12}, {0, 12}, {2, 2}, pooling, {}), source, {0, 12}, {0, 12}, {2, 2}, pooling);
  }
}

TEST(Pyramid, pixels_pool_like_their_cells) {
  std::vector<float> values = random_matrix(50, 70, 4).values();
  for (std::size_t j = 0; j < 70; ++j) values[4 * 70 + j] = kNan;
  values[40 * 70 + 8] = kInf;
  for (const auto& hides : {std::shared_ptr<const Mask>(), causal_mask(50, 70)}) {
    const PyramidSource source{matrix_of(50, 70, values), hides, 0, 0};
    for (const Pooling pooling : {Pooling::max, Pooling::mean}) {
      const PooledPixels fine = pool_cells(source, {0, 50}, {0, 70}, {2, 4}, pooling, {});
      expect_pooled(pool_pixels(fine, {3, 2}, pooling), source, {0, 50}, {0, 70}, {6, 8}, pooling);
    }
  }
}

TEST(Pyramid, never_reads_more_than_a_strip_nor_what_a_causal_mask_hides) {
  std::int64_t largest = 0, cells = 0;
  const Tensor matrix =
      Tensor::computed({3000, 3000}, {Axis::query, Axis::key}, [&](const Region& region, std::span<float> out) {
        largest = std::max(largest, element_count(region));
        cells += element_count(region);
        std::fill(out.begin(), out.end(), 0.5F);
      });
  const PyramidSource source{matrix, causal_mask(3000, 3000), 0, 0};
  const PooledPixels pixels = pool_cells(source, {0, 3000}, {0, 3000}, {8, 8}, Pooling::max, {});
  EXPECT_LE(largest, std::int64_t{1} << 19);
  EXPECT_LE(cells, 3000 * 3000 * 6 / 10);
  EXPECT_EQ(pixels.values[0], 0.5F);
  EXPECT_TRUE(pixels.hidden(0, 374));
}

// Rows that are pooled together, columns that are pooled by vectors, pixels that begin within a row's visible cells.
// Rows that are pooled together, columns that are pooled by vectors, pixels that begin within a row's visible cells.
TEST(Pyramid, wide_pixels_of_rows_together_are_exact) {
  Tensor cells = random_matrix(61, 700, 5);
  cells.mutable_data()[20 * 700 + 3] = std::numeric_limits<float>::quiet_NaN();
  cells.mutable_data()[33 * 700 + 650] = std::numeric_limits<float>::infinity();
  for (const auto& hides : {std::shared_ptr<const Mask>(), causal_mask(61, 700)}) {
    const PyramidSource source{cells, hides, 0, 0};
    for (const PixelCells each : {PixelCells{1, 15}, {4, 16}, {7, 17}, {16, 64}, {5, 100}, {61, 700}}) {
      const PooledPixels pixels = pool_cells(source, {2, 60}, {13, 689}, each, Pooling::max, {});
      expect_pooled(pixels, source, {2, 60}, {13, 689}, each, Pooling::max);
    }
  }
}

TEST(Pyramid, stops_at_the_next_strip_when_it_is_cancelled) {
  CancelToken cancel;
  int reads = 0;
  const Tensor matrix =
      Tensor::computed({4000, 4000}, {Axis::query, Axis::key}, [&](const Region&, std::span<float> out) {
        std::fill(out.begin(), out.end(), 0.0F);
        if (++reads == 3) cancel.cancel();
      });
  EXPECT_THROW(pool_cells({matrix, nullptr, 0, 0}, {0, 4000}, {0, 4000}, {16, 16}, Pooling::max, cancel), Cancelled);
  EXPECT_EQ(reads, 3);
}

TEST(Pyramid, cells_a_pixel_are_powers_of_two_up_to_the_base_and_multiples_of_it_beyond) {
  EXPECT_EQ(base_level(2048), 0);
  EXPECT_EQ(base_level(2049), 1);
  EXPECT_EQ(base_level(32768), 4);
  EXPECT_EQ(base_level(100000), 6);
  EXPECT_EQ(cells_a_pixel(32768, 40000), 1);
  EXPECT_EQ(cells_a_pixel(32768, 32768), 1);
  EXPECT_EQ(cells_a_pixel(32768, 20000), 2);
  EXPECT_EQ(cells_a_pixel(32768, 5000), 8);
  EXPECT_EQ(cells_a_pixel(32768, 700), 48);
  EXPECT_EQ(cells_a_pixel(32768, 200), 176);
  EXPECT_EQ(cells_a_pixel(1000, 300), 4);
  for (const std::int64_t count : {1, 7, 300, 2049, 5000, 32768, 100000}) {
    for (const double pixels : {1.0, 90.5, 256.0, 700.0, 1999.0, 1e6}) {
      const std::int64_t cells = cells_a_pixel(count, pixels);
      EXPECT_LE((count + cells - 1) / cells, static_cast<std::int64_t>(pixels));
      EXPECT_EQ(cells % (std::int64_t{1} << level_of(count, cells)), 0);
      EXPECT_TRUE(level_of(count, cells) == base_level(count) || cells == std::int64_t{1} << level_of(count, cells) ||
                  base_level(count) == 0);
    }
  }
  EXPECT_EQ(finer_cells_a_pixel(48), 32);
  EXPECT_EQ(finer_cells_a_pixel(32), 16);
  EXPECT_EQ(finer_cells_a_pixel(1), 1);
  EXPECT_EQ(coarser_cells_a_pixel(1, 48), 2);
  EXPECT_EQ(coarser_cells_a_pixel(32, 48), 48);
}

TEST(Pyramid, a_coarse_picture_reads_a_sample_of_rows_and_says_how_many) {
  std::int64_t cells = 0;
  const Tensor matrix =
      Tensor::computed({4096, 1024}, {Axis::query, Axis::key}, [&](const Region& region, std::span<float> out) {
        cells += element_count(region);
        std::size_t at = 0;
        for (std::int64_t i = region[0].begin; i < region[0].end; ++i) {
          for (std::int64_t j = region[1].begin; j < region[1].end; ++j) {
            out[at++] = static_cast<float>(i);
          }
        }
      });
  const PyramidSource source{matrix, nullptr, 0, 0};
  const CoarsePixels coarse = coarse_pixels(source, {16, 16}, Pooling::max, 1024 * 256, {});
  EXPECT_LE(cells, 1024 * 256);
  EXPECT_EQ(coarse.one_of_rows, 16);
  ASSERT_EQ(coarse.pixels.rows, 256);
  ASSERT_EQ(coarse.pixels.columns, 64);
  for (std::int64_t y = 0; y < 256; ++y) {
    // Every pixel shows rows from its own neighbourhood: a group stands for 128 rows.
    const float value = coarse.pixels.values[static_cast<std::size_t>(y * 64)];
    EXPECT_NEAR(value, static_cast<float>(y * 16 + 8), 128);
  }
  // Enough cells for all of it: every pixel row has rows of its own.
  EXPECT_EQ(coarse_pixels(source, {16, 16}, Pooling::max, 1 << 30, {}).one_of_rows, 2);
}

TEST(Pyramid, the_cell_that_a_pixel_shows) {
  std::vector<float> values(64, 0.1F);
  values[3 * 8 + 5] = -0.9F;
  values[6 * 8 + 1] = 0.8F;
  PyramidSource source{matrix_of(8, 8, values), nullptr, 0, 0};
  auto cell = chosen_cell(source, {0, 8}, {0, 8}, {});
  ASSERT_TRUE(cell);
  EXPECT_EQ(cell->row, 3);
  EXPECT_EQ(cell->column, 5);
  EXPECT_EQ(cell->value, -0.9F);
  source.mask = causal_mask(8, 8);
  cell = chosen_cell(source, {0, 8}, {0, 8}, {});
  ASSERT_TRUE(cell);
  EXPECT_EQ(cell->row, 6);
  EXPECT_EQ(cell->column, 1);
  EXPECT_FALSE(chosen_cell(source, {0, 4}, {4, 8}, {}));
}

}  // namespace
}  // namespace headscope
