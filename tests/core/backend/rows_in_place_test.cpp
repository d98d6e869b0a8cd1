// A weight that is read as it lies gives the bits of the same weight packed.
#include "core/backend/kernels/rows_in_place.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "tests/core/backend/every_target.h"

namespace headscope {
namespace {

constexpr std::int64_t kGap = 3;  // numbers between the rows of the weight, and between those of y

std::vector<float> made(std::int64_t count, std::uint32_t state) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (float& number : numbers) {
    state = state * 1664525U + 1013904223U;
    number = static_cast<float>(state >> 8) / 8388608.0F - 1;
  }
  return numbers;
}

std::vector<std::uint16_t> upper_halves(const std::vector<float>& numbers) {
  std::vector<std::uint16_t> halves;
  for (const float number : numbers)
    halves.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(number) >> 16));
  return halves;
}

struct Size {
  std::int64_t out, in, rows;
};

// Both ways from the same start; what lies between the rows of y must stay.
void place_expect_same(const MatrixSource& weight, const Size& size, bool bias, bool goes_on) {
  const std::vector<float> x = made(size.rows * (size.in + 1), 5), offsets = made(size.out, 6);
  const std::int64_t stride = size.out + kGap;
  std::vector<float> in_place = made(size.rows * stride, 7), packed = in_place;
  FewRows product{.x = x.data(),
                  .x_stride = size.in + 1,
                  .rows = size.rows,
                  .bias = bias ? offsets.data() : nullptr,
                  .y = in_place.data(),
                  .y_stride = stride,
                  .goes_on = goes_on};
  multiply_in_place(weight, size.out, size.in, product);
  PackedMatrix panels(size.out, size.in, weight.type);
  panels.pack(0, panels.panels(), weight);
  product.y = packed.data();
  multiply_few_rows(panels, 0, panels.panels(), product);
  EXPECT_EQ(in_place, packed) << size.out << " outputs, " << size.in << " inputs, " << size.rows << " rows, bias "
                              << bias << ", goes on " << goes_on;
}

TEST(RowsInPlace, GiveTheBitsOfPackedOnesOnEveryTarget) {
  on_every_target([](bool) {
    for (const std::int64_t out : {1, 15, 16, 17, 31, 47, 48, 64, 100, 511, 600}) {
      for (const std::int64_t in : {0, 1, 3, 4, 7, 8, 9, 16, 37, 130}) {
        const std::vector<float> numbers = made((out + kGap) * (in + kGap), 1);
        const std::vector<std::uint16_t> halves = upper_halves(numbers);
        for (std::int64_t rows = 1; rows <= 8; ++rows) {
          const bool bias = (out + in) % 2 == 0, goes_on = (in + rows) % 3 == 0;
          const auto expect = [&](const void* data, PanelType type) {
            for (const MatrixSource& weight :
                 {MatrixSource{data, type, in + kGap, 1}, MatrixSource{data, type, 1, out + kGap}}) {
              if (rows <= most_rows_in_place(weight)) place_expect_same(weight, {out, in, rows}, bias, goes_on);
            }
          };
          expect(numbers.data(), PanelType::float32);
          expect(halves.data(), PanelType::bfloat16);
          expect(halves.data(), PanelType::float16);
        }
      }
    }
  });
}

TEST(RowsInPlace, AreForWeightsThatLieRowByRowOrInputByInput) {
  for (const PanelType type : {PanelType::float32, PanelType::bfloat16}) {
    EXPECT_GE(most_rows_in_place({nullptr, type, 8, 1}), 4);
    EXPECT_EQ(most_rows_in_place({nullptr, type, 1, 8}), 4);
    EXPECT_EQ(most_rows_in_place({nullptr, type, 8, 2}), 0);
  }
  EXPECT_EQ(most_rows_in_place({nullptr, PanelType::float16, 8, 1}), 0) << "it is packed strip by strip";
  EXPECT_EQ(most_rows_in_place({nullptr, PanelType::float16, 1, 8}), 4);
}

}  // namespace
}  // namespace headscope
