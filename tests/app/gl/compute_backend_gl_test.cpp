// The GPU backend's four steps against the reference, on odd sizes.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>

#include "app/gl/framebuffer.h"
#include "app/gl/offscreen.h"
#include "core/backend/backend_factory.h"
#include "tests/app/gl/compute_fixture.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

class ComputeBackendGlTest : public ComputeTest {};

constexpr float kBackendInfinity = std::numeric_limits<float>::infinity();
constexpr float kBackendNan = std::numeric_limits<float>::quiet_NaN();

TEST_F(ComputeBackendGlTest, NamesItselfAndTheDevice) {
  EXPECT_EQ(gpu().name(), "gpu");
  EXPECT_EQ(gpu().description().substr(0, 5), "GPU, ");
  EXPECT_GT(gpu().description().size(), 8U);
}

TEST_F(ComputeBackendGlTest, LinearOfOddSizes) {
  for (const std::int64_t rows : {1, 2, 3, 15, 63, 65}) {
    for (const std::int64_t in : {1, 3, 17, 127}) {
      for (const std::int64_t out : {1, 2, 64, 67}) {
        const Tensor x = random_tensor({2, rows, in}, 1), weight = random_tensor({out, in}, 2);
        const Tensor bias = random_tensor({out}, 3);
        const std::string what = to_string(Shape{rows, in, out});
        expect_near(gpu().linear(x, weight, bias, cancel_), reference_->linear(x, weight, bias, cancel_),
                    size_of_sum(in), what);
        expect_near(gpu().linear(x, weight, {}, cancel_), reference_->linear(x, weight, {}, cancel_), size_of_sum(in),
                    what);
      }
    }
  }
}

TEST_F(ComputeBackendGlTest, QueryKeyProductsOfGroupedHeadsAndRegions) {
  for (const std::int64_t head_dim : {1, 5, 64, 65}) {
    const Tensor query = random_tensor({2, 6, 67, head_dim}, 4), key = random_tensor({2, 3, 131, head_dim}, 5);
    for (const Region& region :
         {whole({2, 6, 67, 131}), Region{{1, 2}, {3, 6}, {60, 67}, {7, 71}},
          Region{{0, 1}, {1, 2}, {66, 67}, {130, 131}}, Region{{0, 2}, {0, 6}, {3, 3}, {0, 131}}}) {
      expect_near(gpu().query_key_products(query, key, region, cancel_),
                  reference_->query_key_products(query, key, region, cancel_), 0.1,
                  "head_dim " + std::to_string(head_dim));
    }
  }
}

TEST_F(ComputeBackendGlTest, AProductHasTheSameBitsInAnyRegion) {
  const Tensor query = random_tensor({1, 2, 130, 33}, 4), key = random_tensor({1, 2, 130, 33}, 5);
  const Tensor all = gpu().query_key_products(query, key, whole({1, 2, 130, 130}), cancel_);
  const Region region{{0, 1}, {1, 2}, {61, 129}, {3, 100}};
  const Tensor part = gpu().query_key_products(query, key, region, cancel_);
  std::vector<float> same(static_cast<std::size_t>(element_count(region)));
  all.read(region, same);
  EXPECT_EQ(part.values(), same);
}

TEST_F(ComputeBackendGlTest, SoftmaxAndStatisticsOfOddRows) {
  for (const std::int64_t keys : {1, 2, 3, 63, 65, 127, 129, 256, 379, 640, 700, 1021}) {
    for (const float spread : {1.0F, 30.0F, 200.0F}) {
      std::vector<float> values = random_values(2 * 3 * 5 * keys, 6);
      for (float& value : values) value *= spread;
      for (std::size_t i = 0; i < values.size(); i += 7) values[i] = -kBackendInfinity;
      const Tensor scores = Tensor::of({2, 3, 5, keys}, {Axis::batch, Axis::head, Axis::query, Axis::key}, values);
      RowStatistics actual, expected;
      const Tensor weights = gpu().softmax_rows(scores, &actual, cancel_);
      expect_near(weights, reference_->softmax_rows(scores, &expected, cancel_), 1e-30, std::to_string(keys));
      expect_near(actual.max, expected.max, 1e-30, "max");
      expect_near(actual.sum, expected.sum, 1e-30, "sum");
      for (std::size_t i = 0; i < values.size(); i += 7) {
        const float weight = weights.values()[i];
        EXPECT_TRUE(weight == 0.0F || std::isnan(weight)) << i;
      }
    }
  }
}

TEST_F(ComputeBackendGlTest, WeightedValuesOfGroupedHeads) {
  for (const std::int64_t features : {1, 3, 64, 70}) {
    const Tensor weights = random_tensor({2, 4, 65, 77}, 7), value = random_tensor({2, 2, 77, features}, 8);
    const HiddenCells hidden(1, 1, 65, 77);
    expect_near(gpu().weighted_values(weights, value, hidden, cancel_),
                reference_->weighted_values(weights, value, hidden, cancel_), size_of_sum(77),
                std::to_string(features));
  }
}

TEST_F(ComputeBackendGlTest, StridedOperandsAreReadAsTheyAre) {
  const Tensor query = random_tensor({2, 9, 4, 7}, 9).permuted({0, 2, 1, 3});
  const Tensor key = random_tensor({2, 7, 9, 4}, 10).permuted({0, 3, 2, 1});
  expect_near(gpu().query_key_products(query, key, whole({2, 4, 9, 9}), cancel_),
              reference_->query_key_products(query, key, whole({2, 4, 9, 9}), cancel_), 0.1, "products");
  const Tensor x = random_tensor({1, 6, 9}, 11).permuted({0, 2, 1});
  const Tensor weight = random_tensor({6, 5}, 12).permuted({1, 0});
  expect_near(gpu().linear(x, weight, {}, cancel_), reference_->linear(x, weight, {}, cancel_), 0.1, "linear");
}

TEST_F(ComputeBackendGlTest, SmallBuffersGiveTheSameBits) {
  GpuOptions options;
  options.numbers_per_buffer = 1000;
  const auto small = make_gpu_backend(options);
  const Tensor x = random_tensor({3, 41, 37}, 13), weight = random_tensor({129, 37}, 14),
               bias = random_tensor({129}, 15);
  EXPECT_EQ(small->linear(x, weight, bias, cancel_).values(), gpu().linear(x, weight, bias, cancel_).values());
  const Tensor query = random_tensor({3, 6, 41, 8}, 16), key = random_tensor({3, 3, 43, 8}, 17);
  const Region region{{1, 3}, {1, 6}, {2, 41}, {5, 43}};
  EXPECT_EQ(small->query_key_products(query, key, region, cancel_).values(),
            gpu().query_key_products(query, key, region, cancel_).values());
  const Tensor scores = random_tensor({3, 6, 41, 43}, 18);
  RowStatistics some, all;
  EXPECT_EQ(small->softmax_rows(scores, &some, cancel_).values(), gpu().softmax_rows(scores, &all, cancel_).values());
  EXPECT_EQ(some.max.values(), all.max.values());
  EXPECT_EQ(some.sum.values(), all.sum.values());
  std::vector<float> values = random_values(3 * 3 * 43 * 8, 19);
  values[100] = kBackendNan;
  HiddenCells hidden(3, 6, 41, 43);
  for (std::int64_t b = 0; b < 3; ++b) {
    for (std::int64_t h = 0; h < 6; ++h) {
      for (std::int64_t i = 0; i < 41; ++i) hidden.mutable_row(b, h, i)[(i * 7 + h + b) % 43] = 1;
    }
  }
  hidden.refresh_any();
  const Tensor value = tensor_of({3, 3, 43, 8}, values);
  Tensor weights = small->softmax_rows(scores, nullptr, cancel_);
  EXPECT_TRUE(
      std::equal_to<>()(small->weighted_values(weights, random_tensor({3, 3, 43, 8}, 20), hidden, cancel_).values(),
                        gpu().weighted_values(weights, random_tensor({3, 3, 43, 8}, 20), hidden, cancel_).values()));
  expect_near(small->weighted_values(weights, value, hidden, cancel_),
              reference_->weighted_values(weights, value, hidden, cancel_), 0.1, "with a NaN");
}

TEST_F(ComputeBackendGlTest, ARowLargerThanABufferIsRefusedInASentence) {
  GpuOptions options;
  options.numbers_per_buffer = 100;
  const auto small = make_gpu_backend(options);
  EXPECT_THROW(small->linear(random_tensor({1, 2, 101}, 1), random_tensor({2, 101}, 2), {}, cancel_), BackendError);
  EXPECT_NO_THROW(small->linear(random_tensor({1, 2, 100}, 1), random_tensor({2, 100}, 2), {}, cancel_));
}

TEST_F(ComputeBackendGlTest, ACancelledStepStopsAndTheNextOneRuns) {
  CancelToken cancelled;
  cancelled.cancel();
  const Tensor x = random_tensor({1, 2, 3}, 1), weight = random_tensor({2, 3}, 2);
  EXPECT_THROW(gpu().linear(x, weight, {}, cancelled), Cancelled);
  expect_near(gpu().linear(x, weight, {}, cancel_), reference_->linear(x, weight, {}, cancel_), 0.1, "after it");
}

TEST_F(ComputeBackendGlTest, AContextThatIsRefusedIsABackendError) {
  GpuOptions options;
  options.make_context = []() -> std::unique_ptr<OffscreenContext> { throw Error("EGL is on holiday."); };
  try {
    make_gpu_backend(options);
    FAIL() << "made without a context";
  } catch (const BackendError& error) {
    EXPECT_STREQ(error.what(), "EGL is on holiday.");
  }
}

TEST_F(ComputeBackendGlTest, ADriverThatComputesOnTheCpuIsNoCard) {
  if (!is_software_renderer(gpu().description())) GTEST_SKIP() << "there is a card";
  GpuOptions options;
  options.card_only = true;
  EXPECT_THROW(make_gpu_backend(options), BackendError);
  for (const char* name : {"llvmpipe (LLVM 15.0.6, 256 bits)", "softpipe", "Google SwiftShader"}) {
    EXPECT_TRUE(is_software_renderer(name)) << name;
  }
  EXPECT_FALSE(is_software_renderer("NVIDIA H200/PCIe/SSE2"));
}

// The context of a window, or of another backend, stays current and whole.
TEST_F(ComputeBackendGlTest, AContextOfTheCallerIsLeftAlone) {
  const auto window = make_offscreen_context();
  const auto target = make_offscreen_target(4, 4);
  const std::string renderer = renderer_name();
  { make_gpu_backend()->linear(random_tensor({1, 2, 3}, 1), random_tensor({2, 3}, 2), {}, cancel_); }
  gpu().linear(random_tensor({1, 2, 3}, 1), random_tensor({2, 3}, 2), {}, cancel_);
  EXPECT_EQ(renderer_name(), renderer);
  clear_framebuffer(4, 4, Rgba{10, 20, 30, 255});
  EXPECT_EQ(read_framebuffer(4, 4).at(2, 1), (Rgba{10, 20, 30, 255}));
}

TEST_F(ComputeBackendGlTest, SeveralThreadsMayAskAtOnce) {
  const Tensor x = random_tensor({1, 9, 7}, 1), weight = random_tensor({5, 7}, 2);
  const std::vector<float> expected = gpu().linear(x, weight, {}, cancel_).values();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) wrong += gpu().linear(x, weight, {}, cancel_).values() == expected ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace headscope
