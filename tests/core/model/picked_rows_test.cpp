// Rows of a fused projection in the file's order and as heads use them.
#include "core/model/picked_rows.h"

#include <gtest/gtest.h>

namespace headscope {
namespace {

Linear rows_counted(std::int64_t rows, std::int64_t columns) {
  std::vector<float> values, bias;
  for (std::int64_t r = 0; r < rows; ++r) {
    bias.push_back(static_cast<float>(-r));
    for (std::int64_t c = 0; c < columns; ++c) values.push_back(static_cast<float>(10 * r + c));
  }
  return {Tensor::of({rows, columns}, {Axis::position, Axis::feature}, values),
          Tensor::of({rows}, {Axis::feature}, bias), "w", "b"};
}

TEST(PickedRows, HaveTheNumbersOfTheirRows) {
  const Linear picked = picked_rows(rows_counted(4, 2), 3, "some", [](std::int64_t row) { return 3 - row; });
  EXPECT_EQ(picked.weight.values(), (std::vector<float>{30, 31, 20, 21, 10, 11}));
  EXPECT_EQ(picked.bias.values(), (std::vector<float>{-3, -2, -1}));
  EXPECT_EQ(picked.weight_name, "w (some)");
  EXPECT_EQ(picked.weight.at({2, 1}), 11.0F);
  EXPECT_TRUE(picked_rows({}, 3, "some", nullptr).empty());
}

// Two groups of two heads of two features: rows q0 q0 q1 q1 k k v v of each.
TEST(PickedRows, GroupsAreTakenApart) {
  const UngroupedRows rows = ungrouped_rows(rows_counted(16, 1), 2, 2);
  EXPECT_EQ(rows.query.weight.values(), (std::vector<float>{0, 10, 20, 30, 80, 90, 100, 110}));
  EXPECT_EQ(rows.key.weight.values(), (std::vector<float>{40, 50, 120, 130}));
  EXPECT_EQ(rows.value.weight.values(), (std::vector<float>{60, 70, 140, 150}));
  EXPECT_EQ(rows.value.bias.values(), (std::vector<float>{-6, -7, -14, -15}));
}

}  // namespace
}  // namespace headscope
