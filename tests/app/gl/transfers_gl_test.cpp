// What goes to the device and comes back: staged, by the driver, kept on the device. The same numbers each way.
#include <limits>
#include <memory>
#include <vector>

#include "app/gl/compute_buffer.h"
#include "app/gl/compute_staging.h"
#include "app/gl/device_weights.h"
#include "tests/app/gl/compute_fixture.h"
#include "tests/app/gl/gl_fixture.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

class TransfersGlTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (!ComputeStaging::is_possible()) GTEST_SKIP() << "the driver has no memory that both see";
  }
};

// More than a slot of staging holds, odd, and read as strides have it.
TEST_F(TransfersGlTest, ManyNumbersArriveInOrderAndComeBackToWhereRunsSay) {
  ThreadPool threads(3);
  ComputeStaging staging(threads);
  ComputeBuffer buffer;
  buffer.stage_by(&staging);
  const Tensor wide = random_tensor({3, 1999, 1003}, 5).permuted({0, 2, 1});
  const Region region{{0, 3}, {2, 1001}, {1, 1998}};
  buffer.upload(wide, region);
  std::vector<float> expected(static_cast<std::size_t>(element_count(region)));
  wide.read(region, expected);
  std::vector<float> all(expected.size());
  buffer.read(0, all);
  EXPECT_EQ(all, expected);
  // Every row of 1,997 numbers to another place, with a gap behind it.
  constexpr std::int64_t kRow = 1997, kPlace = 2003, kFirst = 40 * kRow;
  const std::int64_t rows = element_count(region) / kRow - 40;
  std::vector<float> apart(static_cast<std::size_t>(rows * kPlace), -5.0F);
  std::vector<BufferRun> runs;
  for (std::int64_t row = 0; row < rows; ++row) {
    runs.push_back({kFirst + row * kRow, kRow, apart.data() + (rows - 1 - row) * kPlace});
  }
  buffer.read(runs);
  std::int64_t wrong = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t j = 0; j < kPlace; ++j) {
      const float there = apart[static_cast<std::size_t>((rows - 1 - row) * kPlace + j)];
      const float was = j < kRow ? expected[static_cast<std::size_t>(kFirst + row * kRow + j)] : -5.0F;
      wrong += there == was ? 0 : 1;
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(TransfersGlTest, AWeightIsUploadedOnceAndAnotherOneInItsPlaceIsNotTakenForIt) {
  DeviceWeights weights;
  const auto numbers_of = [](const ComputeBuffer& buffer, std::int64_t count) {
    std::vector<float> numbers(static_cast<std::size_t>(count));
    buffer.read(0, numbers);
    return numbers;
  };
  std::vector<float> memory(12, 1.0F);
  auto owner = std::make_shared<int>(0);
  const Axes axes{Axis::feature, Axis::feature};
  const ComputeBuffer* first = nullptr;
  {
    const Tensor weight = Tensor::view_of(owner, memory.data(), {3, 4}, {4, 1}, axes);
    first = weights.find(weight);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(weights.find(weight), first);
    EXPECT_NE(weights.find(Tensor::view_of(owner, memory.data(), {4, 3}, {1, 4}, axes)), first) << "seen otherwise";
    EXPECT_EQ(numbers_of(*weights.find(weight), 12), memory);
  }
  owner = std::make_shared<int>(1);
  std::fill(memory.begin(), memory.end(), 2.0F);
  EXPECT_EQ(numbers_of(*weights.find(Tensor::view_of(owner, memory.data(), {3, 4}, {4, 1}, axes)), 12), memory);
}

TEST_F(TransfersGlTest, TheWeightThatWasNotUsedForLongestMakesRoom) {
  DeviceWeights weights(4 * 100);
  const Tensor a = random_tensor({5, 5}, 1), b = random_tensor({5, 5}, 2), c = random_tensor({5, 5}, 3),
               d = random_tensor({5, 5}, 4), e = random_tensor({5, 5}, 5);
  for (const Tensor* weight : {&a, &b, &c, &d, &a}) ASSERT_NE(weights.find(*weight), nullptr);
  const ComputeBuffer* kept = weights.find(a);
  weights.find(e);  // b goes
  EXPECT_EQ(weights.find(a), kept);
  EXPECT_EQ(weights.find(random_tensor({6, 6}, 6)), nullptr) << "more than a quarter of the room";
}

class WaysOfBackendGlTest : public ComputeTest {};

TEST_F(WaysOfBackendGlTest, NeitherStagingNorKeptWeightsChangeABit) {
  GpuOptions plain, kept;
  plain.stages_copies = false;
  kept.weight_bytes = 1 << 24;
  const Tensor x = random_tensor({1, 301, 129}, 1), weight = random_tensor({257, 129}, 2);
  const std::vector<float> expected = gpu().linear(x, weight, {}, cancel_).values();
  EXPECT_EQ(make_gpu_backend(plain)->linear(x, weight, {}, cancel_).values(), expected);
  const auto keeps = make_gpu_backend(kept);
  for (int time = 0; time < 2; ++time) EXPECT_EQ(keeps->linear(x, weight, {}, cancel_).values(), expected);
}

}  // namespace
}  // namespace headscope
