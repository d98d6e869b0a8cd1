// Numbers that lie half a step away, and parts of a model that are compared with that in mind.
#include "core/diagnose/drift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/base/error.h"
#include "core/diagnose/number_format.h"
#include "core/diagnose/part_comparison.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

TEST(Drift, MovesEachNumberByHalfAStepOfTheFormat) {
  const Tensor numbers = random_tensor({1, 5, 16}, 3);
  const auto bfloat16 = format_named("bf16", numbers.values());
  const std::vector<float> before = numbers.values(), after = drifted(numbers, *bfloat16).values();
  int up = 0;
  for (std::size_t k = 0; k < before.size(); ++k) {
    EXPECT_NEAR(std::abs(after[k] - before[k]), std::abs(before[k]) / 256, 1e-6);
    up += after[k] > before[k] ? 1 : 0;
  }
  EXPECT_GT(up, 20);
  EXPECT_LT(up, 60);
}

TEST(Drift, LeavesWhatIsNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor numbers = tensor_of({1, 1, 3}, {1, -infinity, 3.4e38F});
  const std::vector<float> after = drifted(numbers, NumberFormat(), false).values();
  EXPECT_NEAR(after[0], 1, 2e-6);  // not moved by the large number beside it
  EXPECT_EQ(after[1], -infinity);
}

TEST(PartComparison, AllowsWhatTheDriftMoves) {
  const Tensor ours = random_tensor({1, 4, 8}, 5);
  std::vector<float> values = ours.values();
  values[9] += 0.01F;
  const Tensor theirs = Tensor::of(ours.shape(), ours.axes(), values);
  const PartComparison exact = compared_part(DumpPart::mlp_out, {ours, ours, theirs, 2, {}}, {});
  EXPECT_FALSE(exact.equal);
  EXPECT_EQ(exact.where.cells, 1);
  EXPECT_EQ(exact.where.first, (Index{0, 3, 1}));  // the rows are those from 2 on
  EXPECT_NE(exact.where.sentence.find("mlp_out[0,3,1]"), std::string::npos) << exact.where.sentence;
  std::vector<float> moved = ours.values();
  for (float& value : moved) value += 0.01F;
  const Tensor near = Tensor::of(ours.shape(), ours.axes(), moved);
  EXPECT_TRUE(compared_part(DumpPart::mlp_out, {ours, near, theirs, 0, {}}, {}).equal);
  DiagnoseOptions unknown;
  unknown.format = "f7";
  EXPECT_THROW(compared_part(DumpPart::mlp_out, {ours, ours, theirs, 0, {}}, unknown), UsageError);
}

}  // namespace
}  // namespace headscope
