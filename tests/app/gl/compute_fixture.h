// The GPU backend beside the reference, and what counts as equal.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "app/gl/compute_backend.h"
#include "core/base/error.h"

namespace headscope {

// One for all tests; a second one costs as long again.
class ComputeTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    try {
      gpu_ = make_gpu_backend();
    } catch (const Error& error) {
      reason_ = error.what();
    }
  }
  static void TearDownTestSuite() { gpu_.reset(); }
  void SetUp() override {
    if (gpu_ != nullptr) return;
    if (std::getenv("HEADSCOPE_REQUIRE_GL") != nullptr) FAIL() << reason_;
    GTEST_SKIP() << reason_;
  }

  static const Backend& gpu() { return *gpu_; }
  const std::shared_ptr<const Backend> reference_ = make_reference_backend();
  const CancelToken cancel_;

 private:
  static inline std::shared_ptr<const Backend> gpu_;
  static inline std::string reason_;
};

// What a sum of that many products of random_values comes to.
inline double size_of_sum(std::int64_t count) {
  return std::sqrt(static_cast<double>(count)) / 3;
}

// Within 2e-5 of `size` or of the number itself, whichever is larger; NaN where NaN is.
inline void expect_near(const Tensor& actual, const Tensor& expected, double size, const std::string& what) {
  ASSERT_EQ(actual.shape(), expected.shape()) << what;
  ASSERT_EQ(actual.axes(), expected.axes()) << what;
  const std::vector<float> a = actual.values(), e = expected.values();
  int wrong = 0;
  for (std::size_t i = 0; i < a.size() && wrong < 5; ++i) {
    const bool same = std::isnan(e[i]) ? std::isnan(a[i])
                      : std::isinf(e[i])
                          ? a[i] == e[i]
                          : std::abs(static_cast<double>(a[i]) - e[i]) <= 2e-5 * std::max<double>(size, std::abs(e[i]));
    if (same) continue;
    ++wrong;
    ADD_FAILURE() << what << ", cell " << i << ": " << a[i] << ", expected " << e[i];
  }
}

}  // namespace headscope
