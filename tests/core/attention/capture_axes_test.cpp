#include "core/attention/capture_axes.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

// Every row adds up to 1.
Tensor rows_of_shares(const Shape& shape) {
  std::vector<float> values = random_values(element_count(shape), 3);
  const auto keys = static_cast<std::size_t>(shape[3]);
  for (std::size_t row = 0; row < values.size(); row += keys) {
    float sum = 0;
    for (std::size_t j = 0; j < keys; ++j) sum += values[row + j] += 1.5F;
    for (std::size_t j = 0; j < keys; ++j) values[row + j] /= sum;
  }
  return tensor_of(shape, values);
}

TEST(CaptureAxes, ColumnsOrTheSecondAxisMayAddUpInstead) {
  const Tensor weights = rows_of_shares({2, 3, 4, 5});
  EXPECT_NE(other_softmax_axis(weights.permuted({0, 1, 3, 2}).dense_copy(), {}).find("columns"), std::string::npos);
  EXPECT_NE(other_softmax_axis(weights.permuted({0, 3, 2, 1}).dense_copy(), {}).find("second axis"), std::string::npos);
  EXPECT_EQ(other_softmax_axis(random_tensor({2, 3, 4, 5}, 1), {}), "");
}

}  // namespace
}  // namespace headscope
