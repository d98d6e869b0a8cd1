// Where the cells of a sweep stand.
#include "core/sweep/sweep_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headscope {
namespace {

SweepCell cell_of(std::int64_t layer, std::optional<std::int64_t> head, std::optional<std::int64_t> position,
                  const std::string& stage) {
  return {layer, head, position, stage, 0, {}, {}};
}

TEST(SweepMap, HeadsAndPositionsAreColumnsOfLayers) {
  Sweep sweep;
  for (std::int64_t l = 0; l < 2; ++l) {
    for (std::int64_t h = 0; h < 3; ++h) sweep.cells.push_back(cell_of(l, h, {}, "context"));
  }
  const SweepMap heads = sweep_map(sweep);
  EXPECT_EQ(heads.rows, 2);
  EXPECT_EQ(heads.columns, 3);
  EXPECT_EQ(heads.cell(1, 2), 5U);
  EXPECT_EQ(heads.row_names[1], "layer 1");
  EXPECT_EQ(heads.column_word, "head");
  sweep.patch = SweepPatch::positions;
  for (SweepCell& cell : sweep.cells) std::swap(cell.head, cell.position);
  EXPECT_EQ(sweep_map(sweep).cell(1, 0), 3U);
  EXPECT_EQ(sweep_map(sweep).column_word, "position");
}

TEST(SweepMap, StagesAreRowsOfTheirLayers) {
  Sweep sweep;
  sweep.patch = SweepPatch::stages;
  for (std::int64_t l = 0; l < 2; ++l) {
    for (const char* stage : {"query", "weights"}) sweep.cells.push_back(cell_of(l, {}, {}, stage));
  }
  const SweepMap map = sweep_map(sweep);
  EXPECT_EQ(map.cell(1, 0), 1U) << "weights of layer 0";
  EXPECT_EQ(map.cell(0, 1), 2U) << "query of layer 1";
  EXPECT_EQ(map.row_names[1], "weights");
}

TEST(SweepMap, PathsHaveNoCellWhereThereAreFewerKeys) {
  Sweep sweep;
  sweep.patch = SweepPatch::paths;
  for (const auto& [stage, heads] : {std::pair("query", 4), std::pair("key", 2), std::pair("value", 2)}) {
    for (std::int64_t h = 0; h < heads; ++h) {
      sweep.cells.push_back(cell_of(1, h, {}, stage));
      sweep.cells.back().from = LayerHead{0, 3};
    }
  }
  const SweepMap from = sweep_map(sweep);
  EXPECT_EQ(from.rows, 3);
  EXPECT_EQ(from.columns, 4);
  EXPECT_EQ(from.row_names[1], "layer 1 key");
  EXPECT_EQ(from.cell(1, 1), 5U);
  EXPECT_EQ(from.cell(1, 2), std::nullopt);
  EXPECT_EQ(sweep_cell_name(sweep.cells[5], {}), "layer 0, head 3, into key of layer 1, head 1");
  sweep.into = true;
  EXPECT_EQ(sweep_map(sweep).row_names[0], "layer 0 to query");
}

TEST(SweepMap, TheFarthestIsTheFirstOfTheLargestFiniteChanges) {
  Sweep sweep;
  sweep.unpatched = 1;
  for (const double value : {1.0, 3.0, -1.0, 9.0, std::numeric_limits<double>::quiet_NaN()}) {
    sweep.cells.push_back(cell_of(0, std::ssize(sweep.cells), {}, "context"));
    sweep.cells.back().value = value;
    sweep.cells.back().estimate = 1;
  }
  EXPECT_EQ(farthest_cell(sweep, 3, false), &sweep.cells[1]) << "9 is not known yet";
  EXPECT_EQ(farthest_cell(sweep, 5, false), &sweep.cells[3]);
  EXPECT_EQ(farthest_cell(sweep, 5, true), nullptr) << "no estimate moves";
}

}  // namespace
}  // namespace headscope
