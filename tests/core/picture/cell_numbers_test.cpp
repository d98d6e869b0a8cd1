// Numbers in cells: the same digits on both sides of zero, nothing that is wrong by more than half a unit.
#include "core/picture/cell_numbers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "core/base/minus_sign.h"

namespace headscope {
namespace {

std::string written(double value, double low, double high, CellRoom room) {
  return cell_number(cell_numbers({low, high}, room), value);
}

// The number that a text says.
double number_of(std::string text) {
  for (std::size_t at = text.find(kMinusSign); at != std::string::npos; at = text.find(kMinusSign)) {
    text.replace(at, std::string(kMinusSign).size(), "-");
  }
  return std::stod(text);
}

TEST(CellNumbers, both_sides_of_zero_have_the_same_digits) {
  const CellRoom room{4, 4};
  EXPECT_EQ(written(-0.0962, -0.3, 0.3, room), "\u2212.10");
  EXPECT_EQ(written(-0.0546, -0.3, 0.3, room), "\u2212.05");
  EXPECT_EQ(written(0.01, -0.3, 0.3, room), ".01");
  EXPECT_EQ(written(-4.55, -5, 5, room), "\u22124.5");
  EXPECT_EQ(written(4.55, -5, 5, room), "4.5");
  EXPECT_EQ(written(-4.55, -5, 5, {5, 5}), "\u22124.55");
  EXPECT_EQ(written(-0.5, -0.6, 0.1, {3, 3}), "\u2212.5");
  EXPECT_EQ(written(0.1, -0.6, 0.1, {3, 3}), ".1") << "not .10, which would have other digits than what is below zero";
}

TEST(CellNumbers, random_numbers_are_right_within_half_a_unit_and_mirrored) {
  std::mt19937_64 random(41);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  int written_numbers = 0, blank = 0, nowhere = 0;
  for (int step = 0; step < 20000; ++step) {
    const double size = std::pow(10.0, between(-12, 12));
    const NumberLook look = step % 5 == 0 ? NumberLook::terminal : NumberLook::picture;
    const int letters = static_cast<int>(between(1, 12));
    const CellRoom room{letters, letters + static_cast<int>(between(0, 2)), look};
    CellValues values{step % 3 == 0 ? 0.0 : -size * between(0, 1), size * between(0, 1), step % 7 == 0};
    const CellNumbers numbers = cell_numbers(values, room);
    const int most = numbers.small ? room.small_letters : room.letters;
    ASSERT_LE(numbers.letters, most);
    for (int k = 0; k < 6; ++k) {
      const double value = k == 0 ? values.low : k == 1 ? values.high : between(values.low, values.high);
      const std::string text = cell_number(numbers, value);
      ASSERT_LE(letters_of(text), numbers.letters);
      if (numbers.letters == 0) {
        ASSERT_EQ(text, "");
        ++nowhere;
        continue;
      }
      const double unit = numbers.unit();
      if (text.empty()) {
        ASSERT_LT(std::fabs(value), unit / 2) << value;
        ++blank;
        continue;
      }
      ASSERT_LE(std::fabs(number_of(text) - value), unit / 2 * (1 + 1e-6) + 1e-9 * std::fabs(value)) << text;
      ++written_numbers;
      // The mirrored number in a picture that holds it too.
      CellValues both = values;
      both.add(-values.low);
      both.add(-values.high);
      const CellNumbers mirrored = cell_numbers(both, {40, 40, look});
      const std::string minus = look == NumberLook::terminal ? "-" : kMinusSign;
      const double above = std::fabs(value);
      const std::string positive = cell_number(mirrored, above);
      ASSERT_EQ(cell_number(mirrored, -above), positive.empty() ? "" : minus + positive);
    }
  }
  EXPECT_GT(written_numbers, 50000);
  EXPECT_GT(blank, 1000);
  EXPECT_GT(nowhere, 100);
}

TEST(CellNumbers, blank_means_below_half_a_unit_of_the_last_digit) {
  EXPECT_EQ(written(0.00499, -0.3, 0.3, {4, 4}), "");
  EXPECT_EQ(written(0.00501, -0.3, 0.3, {4, 4}), ".01");
  EXPECT_EQ(written(-0.0499, -5, 5, {4, 4}), "");
  EXPECT_EQ(written(-0.0501, -5, 5, {4, 4}), "\u2212.1");
  EXPECT_EQ(written(0, -5, 5, {4, 4}), "");
  EXPECT_EQ(written(-0.0, -5, 5, {4, 4}), "");
  EXPECT_EQ(written(0.5, -200, 200, {4, 4}), "1") << "half a unit is not below it, though 0 is the even digit";
  EXPECT_EQ(written(std::nan(""), -5, 5, {4, 4}), "");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity(), -5, 5, {4, 4}), "");
}

TEST(CellNumbers, have_as_many_digits_as_fit_and_are_of_use) {
  EXPECT_EQ(written(-4.1677, -5, 5, {5, 5}), "\u22124.17");
  EXPECT_EQ(written(-4.1677, -5, 5, {9, 9}), "\u22124.17") << "two decimals at most";
  EXPECT_EQ(written(-4.1677, -5, 5, {2, 2}), "\u22124");
  EXPECT_EQ(written(4.1677, -5, 5, {1, 1}), "") << "the numbers below zero would not fit";
  EXPECT_EQ(written(4.1677, 0, 5, {1, 1}), "4");
  EXPECT_EQ(written(243.04, 0, 250, {3, 3}), "243");
  EXPECT_EQ(written(15.41, -20, 20, {5, 5}), "15.4");
  EXPECT_EQ(written(0.0123, -0.02, 0.02, {5, 5}), ".012") << "two digits of a small range";
  EXPECT_EQ(written(0.02, -0.02, 0.02, {2, 2}), "") << "never .0";
  EXPECT_EQ(written(0.04, 0, 0.04, {2, 2}), "");
}

TEST(CellNumbers, are_counts_of_one_unit_where_zeros_would_take_the_room) {
  EXPECT_EQ(written(5.28e-4, -6e-4, 6e-4, {5, 5}), "5e\u22124");
  EXPECT_EQ(written(-5.28e-4, -6e-4, 6e-4, {5, 5}), "\u22125e\u22124");
  EXPECT_EQ(written(0.6e-4, -6e-4, 6e-4, {5, 5}), "1e\u22124") << "the same unit in all cells";
  EXPECT_EQ(written(0.4e-4, -6e-4, 6e-4, {5, 5}), "");
  EXPECT_EQ(written(5.28e-4, -6e-4, 6e-4, {4, 4}), "");
  EXPECT_EQ(written(5.28e-4, 0, 6e-4, {4, 4}), "5e\u22124");
  EXPECT_EQ(written(123456, 0, 2e5, {4, 4}), "12e4");
  EXPECT_EQ(written(-1e20, -1e20, 1e20, {5, 5}), "\u22121e20");
}

TEST(CellNumbers, take_small_letters_before_they_lose_a_digit) {
  const CellNumbers wide = cell_numbers({-0.3, 0.3}, {4, 5}), narrow = cell_numbers({-0.3, 0.3}, {3, 4});
  EXPECT_FALSE(wide.small);
  EXPECT_TRUE(narrow.small);
  EXPECT_EQ(narrow.decimals, 2);
  EXPECT_EQ(narrow.letters, 4);
}

TEST(CellNumbers, weights_have_two_decimals_and_1_is_short) {
  const CellNumbers numbers = cell_numbers({0, 0.03, true}, {3, 3});
  EXPECT_EQ(cell_number(numbers, 0.0312), ".03");
  EXPECT_EQ(cell_number(numbers, 0.8965), ".90");
  EXPECT_EQ(cell_number(numbers, 1), "1");
  EXPECT_EQ(cell_number(numbers, 0.996), "1");
  EXPECT_EQ(cell_number(numbers, 0.0049), "");
  EXPECT_EQ(cell_number(cell_numbers({0, 1.25, true}, {4, 4}), 1.25), "1.25") << "after dropout";
  EXPECT_EQ(cell_number(cell_numbers({-0.5, 1, true}, {4, 4}), -0.5), "\u2212.50") << "set by hand";
}

TEST(CellNumbers, on_the_terminal_have_a_zero_before_the_point_and_four_decimals) {
  const CellRoom room{12, 12, NumberLook::terminal};
  EXPECT_EQ(written(-4.5512, -5, 5, room), "-4.5512");
  EXPECT_EQ(written(0.01234567, 0, 0.02, room), "0.01235");
  EXPECT_EQ(written(-0.01234567, -0.02, 0.02, room), "-0.01235");
  EXPECT_EQ(written(12345.678, 0, 20000, room), "12345.6780");
}

}  // namespace
}  // namespace headscope
