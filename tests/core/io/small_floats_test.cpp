#include "core/io/small_floats.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/io/float8_tensor.h"
#include "tests/core/attention/made_inputs.h"
#include "tests/core/model/model_files.h"

namespace headscope {
namespace {

// The number of a sign, an exponent and a fraction by the tables of the OCP specification, in double.
double number_of(unsigned bits, int fraction_bits, int bias) {
  const unsigned fraction = bits & ((1U << fraction_bits) - 1), exponent = (bits & 0x7F) >> fraction_bits;
  const double part = fraction / std::pow(2.0, fraction_bits);
  const double size =
      exponent == 0 ? part * std::pow(2.0, 1 - bias) : (1 + part) * std::pow(2.0, static_cast<int>(exponent) - bias);
  return bits >= 128 ? -size : size;
}

TEST(SmallFloats, EveryNumberOfEightBits) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const float four = float_from_e4m3(static_cast<std::uint8_t>(bits));
    const float five = float_from_e5m2(static_cast<std::uint8_t>(bits));
    if ((bits & 0x7F) == 0x7F) {
      EXPECT_TRUE(std::isnan(four)) << bits;
    } else {
      EXPECT_EQ(four, number_of(bits, 3, 7)) << bits;
    }
    if ((bits & 0x7F) > 0x7C) {
      EXPECT_TRUE(std::isnan(five)) << bits;
    } else if ((bits & 0x7F) == 0x7C) {
      EXPECT_EQ(five, bits < 128 ? INFINITY : -INFINITY);
    } else {
      EXPECT_EQ(five, number_of(bits, 2, 15)) << bits;
    }
  }
  EXPECT_EQ(float_from_e4m3(0x7E), 448.0F);
  EXPECT_EQ(float_from_e4m3(0x01), 0x1p-9F);
  EXPECT_EQ(float_from_e5m2(0x7B), 57344.0F);
  EXPECT_EQ(float_from_e5m2(0x01), 0x1p-16F);
  EXPECT_TRUE(std::signbit(float_from_e4m3(0x80)));
}

Tensor bits_of_bfloat16(const std::vector<float>& numbers) {
  std::vector<float> bits;
  for (const float number : numbers) bits.push_back(static_cast<float>(std::bit_cast<std::uint32_t>(number) >> 16));
  return tensor_of({static_cast<std::int64_t>(bits.size())}, bits);
}

TEST(SmallFloats, BitsOfBfloat16AreToldFromWholeNumbers) {
  std::vector<float> numbers = random_values(500, 5);
  for (std::size_t k = 0; k < numbers.size(); k += 7) numbers[k] = 0.0F;
  const Tensor bits = bits_of_bfloat16(numbers);
  EXPECT_TRUE(looks_like_bfloat16(bits));
  const Tensor read = from_bits(bits, *small_float("bf16"));
  for (std::int64_t k = 0; k < 500; ++k) {
    EXPECT_NEAR(read.at({k}), numbers[static_cast<std::size_t>(k)],
                std::abs(numbers[static_cast<std::size_t>(k)]) / 128);
  }
  std::vector<float> ids, pixels, any;
  for (int k = 0; k < 500; ++k) {
    ids.push_back(static_cast<float>(k * 7 % 3000));
    pixels.push_back(static_cast<float>(k % 256));
    any.push_back(static_cast<float>(k * 131));
  }
  for (const std::vector<float>& whole : {ids, pixels, any, std::vector<float>(20, 0.0F)}) {
    EXPECT_FALSE(looks_like_bfloat16(tensor_of({static_cast<std::int64_t>(whole.size())}, whole)));
  }
  EXPECT_EQ(small_float("f32"), nullptr);
  EXPECT_EQ(from_bits(tensor_of({2}, {0x3C00, 0xC000}), *small_float("f16")).values(), (std::vector<float>{1, -2}));
  EXPECT_EQ(from_bits(tensor_of({1}, {0x38}), *small_float("f8e4m3")).values(), (std::vector<float>{1}));
}

class Float8Tensor : public FilesTest {};

// 8 bytes of length, the header, the numbers.
TEST_F(Float8Tensor, OfSafetensorsIsReadWithoutItsFactor) {
  std::string header =
      R"({"a":{"dtype":"F8_E4M3","shape":[2,2],"data_offsets":[0,4]},"b":{"dtype":"F8_E5M2","shape":[2],)"
      R"("data_offsets":[4,6]}})";
  while (header.size() % 8 != 0) header += ' ';
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  bytes += header + std::string("\x38\xB8\x40\x01\x3C\xC0", 6);
  write_text("f8.safetensors", bytes);
  const TensorFile file = open_safetensors(path("f8.safetensors"));
  EXPECT_EQ(float8_or_other(file, *file.find("a")).values(), (std::vector<float>{1, -1, 2, 0x1p-9F}));
  EXPECT_EQ(float8_or_other(file, *file.find("a")).shape(), (Shape{2, 2}));
  EXPECT_EQ(float8_or_other(file, *file.find("b")).values(), (std::vector<float>{1, -2}));
  EXPECT_ANY_THROW(file.tensor(*file.find("a"))) << "weights have factors beside them";
}

}  // namespace
}  // namespace headscope
