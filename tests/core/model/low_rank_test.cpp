#include "core/model/low_rank.h"

#include <gtest/gtest.h>

#include "tests/core/model/adapter_files.h"

namespace headscope {
namespace {

constexpr std::int64_t kRows = 5, kColumns = 7, kRank = 3;

LowRankChange change(bool columns_are_outputs, bool dora) {
  LowRankChange change;
  change.rows = kRows;
  change.rank = kRank;
  change.columns = kColumns;
  change.left = adapter_numbers(kRows, kRank, 2).values();
  change.right = adapter_numbers(kRank, kColumns, 3).values();
  change.scale = -1.25;
  change.outputs_are_columns = columns_are_outputs;
  if (dora) change.magnitudes = adapter_numbers(columns_are_outputs ? kColumns : kRows, 0, 4).values();
  return change;
}

std::vector<float> expected(const Tensor& base, bool columns_are_outputs, bool dora) {
  const Tensor left = adapter_numbers(kRows, kRank, 2), right = adapter_numbers(kRank, kColumns, 3);
  const Tensor m = dora ? adapter_numbers(columns_are_outputs ? kColumns : kRows, 0, 4) : Tensor();
  PlainMatrix made;
  if (columns_are_outputs) {
    // The file holds the transposed: W^T + s (left right)^T is [columns, rows].
    const PlainMatrix turned_left = transposed(plain(right)), turned_right = transposed(plain(left));
    const auto tensor = [](const PlainMatrix& of) {
      return Tensor::of({of.rows, of.columns}, {Axis::position, Axis::feature},
                        std::vector<float>(of.x.begin(), of.x.end()));
    };
    made = transposed(merged(transposed(plain(base)), tensor(turned_left), tensor(turned_right), -1.25, m));
  } else {
    made = merged(plain(base), left, right, -1.25, m);
  }
  return {made.x.begin(), made.x.end()};
}

TEST(LowRank, MergesInFloat64AndRoundsOnce) {
  const Tensor base = adapter_numbers(kRows, kColumns, 1);
  for (const bool columns : {false, true}) {
    for (const bool dora : {false, true}) {
      MergedMemory room, none;
      none.left = 0;
      const Tensor kept = merged_matrix(base, change(columns, dora), room);
      const Tensor computed = merged_matrix(base, change(columns, dora), none);
      EXPECT_TRUE(kept.stored());
      EXPECT_FALSE(computed.stored());
      EXPECT_EQ(room.left.load(), MergedMemory::kMostBytes - kRows * kColumns * 4);
      EXPECT_EQ(none.left.load(), 0);
      EXPECT_EQ(kept.values(), expected(base, columns, dora)) << columns << dora;
      EXPECT_EQ(computed.values(), kept.values()) << columns << dora;
    }
  }
}

TEST(LowRank, APartIsThatPartOfTheWhole) {
  MergedMemory none;
  none.left = 0;
  for (const bool columns : {false, true}) {
    const Tensor made = merged_matrix(adapter_numbers(kRows, kColumns, 1), change(columns, true), none);
    const std::vector<float> whole = made.values();
    for (std::int64_t row = 0; row < kRows; ++row) {
      std::vector<float> part(3);
      made.read({{row, row + 1}, {2, 5}}, part);
      for (std::int64_t j = 2; j < 5; ++j) {
        EXPECT_EQ(part[static_cast<std::size_t>(j - 2)], whole[static_cast<std::size_t>(row * kColumns + j)]);
      }
    }
  }
}

}  // namespace
}  // namespace headscope
