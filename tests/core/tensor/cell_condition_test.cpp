// Conditions as people type them, and the cells of a row that meet them.
#include "core/tensor/cell_condition.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace headscope {
namespace {

using Kind = CellCondition::Kind;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

std::vector<std::int64_t> found(const std::string& text, const std::vector<float>& row,
                                const std::vector<std::uint8_t>& hidden = {}) {
  return matching_columns(cell_condition_of(text).value(), row, hidden);
}

TEST(CellCondition, IsReadAsItIsTyped) {
  EXPECT_EQ(cell_condition_of("> 0.9"), (CellCondition{Kind::above, 0.9}));
  EXPECT_EQ(cell_condition_of(">=1e-3"), (CellCondition{Kind::at_least, 1e-3}));
  EXPECT_EQ(cell_condition_of(" < \u22120.5 "), (CellCondition{Kind::below, -0.5}));
  EXPECT_EQ(cell_condition_of("\u2264 2"), (CellCondition{Kind::at_most, 2}));
  EXPECT_EQ(cell_condition_of("== .5"), (CellCondition{Kind::equal, 0.5}));
  EXPECT_EQ(cell_condition_of("0.5"), (CellCondition{Kind::equal, 0.5}));
  EXPECT_EQ(cell_condition_of("NaN")->kind, Kind::nan);
  EXPECT_EQ(cell_condition_of("inf")->kind, Kind::infinite);
  EXPECT_EQ(cell_condition_of("-inf")->kind, Kind::minus_infinity);
  EXPECT_EQ(cell_condition_of("Row max")->kind, Kind::row_max);
}

TEST(CellCondition, RefusesWhatIsNone) {
  for (const char* text : {"", ">", "> x", "0.5 >", "> 1 2x", "> inf", "row", "nano", "> nan", "--1"}) {
    EXPECT_EQ(cell_condition_of(text), std::nullopt) << text;
  }
}

TEST(CellCondition, FindsTheCellsOfARow) {
  const std::vector<float> row = {0.25F, -1, 0.9F, kNotANumber, kInfinity, -kInfinity, 0.9F};
  EXPECT_EQ(found("> 0.25", row), (std::vector<std::int64_t>{2, 4, 6}));
  EXPECT_EQ(found(">= 0.25", row), (std::vector<std::int64_t>{0, 2, 4, 6}));
  EXPECT_EQ(found("< 0", row), (std::vector<std::int64_t>{1, 5}));
  EXPECT_EQ(found("= 0.9", row), (std::vector<std::int64_t>{2, 6})) << "as float32 has it";
  EXPECT_EQ(found("nan", row), (std::vector<std::int64_t>{3}));
  EXPECT_EQ(found("inf", row), (std::vector<std::int64_t>{4, 5}));
  EXPECT_EQ(found("-inf", row), (std::vector<std::int64_t>{5}));
  EXPECT_EQ(found("row max", row), (std::vector<std::int64_t>{2, 6}));
  EXPECT_TRUE(found("row max", {kNotANumber}).empty());
}

TEST(CellCondition, LeavesHiddenCellsOutButShowsTheirNaN) {
  const std::vector<float> row = {5, 1, kNotANumber, 3};
  const std::vector<std::uint8_t> hidden = {1, 0, 1, 0};
  EXPECT_EQ(found("row max", row, hidden), (std::vector<std::int64_t>{3}));
  EXPECT_EQ(found("> 0", row, hidden), (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(found("nan", row, hidden), (std::vector<std::int64_t>{2}));
}

}  // namespace
}  // namespace headscope
