// Products of rows of doubles on every target, against plain loops.
#include "core/backend/kernels/wide_products.h"

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "tests/core/attention/made_inputs.h"
#include "tests/core/backend/every_target.h"

namespace headscope {
namespace {

constexpr double kUntouched = 7.5;
constexpr std::int64_t kGap = 3;  // between the end of a row and the next one

std::vector<double> wide_values(std::int64_t count, std::uint32_t seed) {
  const std::vector<float> values = random_values(count, seed);
  return {values.begin(), values.end()};
}

struct Sizes {
  std::int64_t rows, others, width;
};
constexpr Sizes kSizes[] = {{1, 1, 1},   {0, 3, 4},  {3, 0, 5},   {2, 7, 0},    {1, 5, 17},  {4, 24, 64},
                            {5, 25, 63}, {7, 31, 9}, {8, 49, 16}, {13, 50, 33}, {4, 3, 100}, {9, 100, 7}};

// The cell is near where the terms that are summed have that size together.
void expect_near(double made, double wanted, double size) {
  if (std::isnan(wanted)) {
    EXPECT_TRUE(std::isnan(made)) << made;
  } else if (std::isinf(wanted)) {
    EXPECT_EQ(made, wanted);
  } else {
    EXPECT_NEAR(made, wanted, 1e-15 * size);
  }
}

// Compares every cell of `out`, rows x columns, with the plain sum of `terms` of term(r, c, k), and the gaps with what
// they held.
void expect_sums(const std::vector<double>& out, std::int64_t rows, std::int64_t columns, std::int64_t terms,
                 const std::function<double(std::int64_t, std::int64_t, std::int64_t)>& term) {
  const std::int64_t stride = columns + kGap;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < stride; ++c) {
      const double made = out[static_cast<std::size_t>(r * stride + c)];
      if (c >= columns) {
        EXPECT_EQ(made, kUntouched) << "behind row " << r;
        continue;
      }
      SCOPED_TRACE(testing::Message() << "row " << r << ", column " << c);
      double sum = 0, size = 0;
      for (std::int64_t k = 0; k < terms; ++k) {
        sum += term(r, c, k);
        size += std::abs(term(r, c, k));
      }
      expect_near(made, sum, size);
    }
  }
}

std::vector<double> made_out(std::int64_t rows, std::int64_t columns) {
  return std::vector<double>(static_cast<std::size_t>(rows * (columns + kGap)), kUntouched);
}

void expect_products(const Sizes& sizes, const std::vector<double>& x, const std::vector<double>& others) {
  SCOPED_TRACE(testing::Message() << sizes.rows << " x " << sizes.others << " x " << sizes.width);
  const std::int64_t x_stride = sizes.width + kGap, stride = sizes.width + 1;
  std::vector<double> out = made_out(sizes.rows, sizes.others);
  multiply_wide_rows({x.data(), x_stride, sizes.rows}, {others.data(), stride, sizes.others}, sizes.width, out.data(),
                     sizes.others + kGap);
  expect_sums(out, sizes.rows, sizes.others, sizes.width, [&](std::int64_t r, std::int64_t n, std::int64_t k) {
    return x[static_cast<std::size_t>(r * x_stride + k)] * others[static_cast<std::size_t>(n * stride + k)];
  });
}

void expect_mixed(const Sizes& sizes, const std::vector<double>& x, const std::vector<double>& others) {
  SCOPED_TRACE(testing::Message() << sizes.rows << " x " << sizes.others << " x " << sizes.width);
  const std::int64_t x_stride = sizes.others + kGap, stride = sizes.width + 1;
  std::vector<double> out = made_out(sizes.rows, sizes.width);
  mix_wide_rows({x.data(), x_stride, sizes.rows}, {others.data(), stride, sizes.others}, sizes.width, out.data(),
                sizes.width + kGap);
  expect_sums(out, sizes.rows, sizes.width, sizes.others, [&](std::int64_t r, std::int64_t d, std::int64_t j) {
    return x[static_cast<std::size_t>(r * x_stride + j)] * others[static_cast<std::size_t>(j * stride + d)];
  });
}

TEST(WideProducts, AreThePlainSumsOnEveryTarget) {
  on_every_target([](bool) {
    for (const Sizes& sizes : kSizes) {
      const std::vector<double> others = wide_values(sizes.others * (sizes.width + 1), 2);
      expect_products(sizes, wide_values(sizes.rows * (sizes.width + kGap), 1), others);
      expect_mixed(sizes, wide_values(sizes.rows * (sizes.others + kGap), 3), others);
    }
  });
}

TEST(WideProducts, NanAndInfinityReachTheCellsThatThePlainSumsGiveThemTo) {
  on_every_target([](bool) {
    for (const double odd : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()}) {
      for (const std::size_t place : {0U, 13U, 36U, 148U}) {
        const Sizes sizes{6, 29, 17};
        std::vector<double> others = wide_values(sizes.others * (sizes.width + 1), 2);
        others[place] = odd;
        std::vector<double> x = wide_values(sizes.rows * (sizes.width + kGap), 1);
        std::vector<double> weights = wide_values(sizes.rows * (sizes.others + kGap), 3);
        for (std::size_t k = 0; k < weights.size(); k += 3) weights[k] = 0;
        for (std::size_t k = 0; k < x.size(); k += 3) x[k] = 0;
        expect_products(sizes, x, others);
        expect_mixed(sizes, weights, others);
      }
    }
  });
}

// A few rows of a long text are judged as all of them are.
TEST(WideProducts, ARowHasTheSameBitsAloneAndAmongOthers) {
  constexpr std::int64_t kRows = 11, kOthers = 50, kWidth = 37;
  const std::vector<double> x = wide_values(kRows * kOthers, 5), others = wide_values(kOthers * kOthers, 6);
  on_every_target([&](bool) {
    std::vector<double> together(kRows * kOthers), alone(kRows * kOthers), mixed(kRows * kWidth), one(kRows * kWidth);
    multiply_wide_rows({x.data(), kOthers, kRows}, {others.data(), kOthers, kOthers}, kWidth, together.data(), kOthers);
    mix_wide_rows({x.data(), kOthers, kRows}, {others.data(), kOthers, kOthers}, kWidth, mixed.data(), kWidth);
    for (std::int64_t r = 0; r < kRows; ++r) {
      const WideRows row{x.data() + r * kOthers, kOthers, 1};
      multiply_wide_rows(row, {others.data(), kOthers, kOthers}, kWidth, alone.data() + r * kOthers, kOthers);
      mix_wide_rows(row, {others.data(), kOthers, kOthers}, kWidth, one.data() + r * kWidth, kWidth);
    }
    EXPECT_EQ(together, alone);
    EXPECT_EQ(mixed, one);
  });
}

}  // namespace
}  // namespace headscope
