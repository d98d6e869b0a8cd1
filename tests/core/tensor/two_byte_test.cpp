// Tensors of two-byte numbers read as the float32 tensor of the same values does, whatever view one takes.
#include <gtest/gtest.h>

#include "core/base/assert.h"
#include "core/tensor/tensor.h"
#include "core/tensor/two_byte_floats.h"

namespace headscope {
namespace {

const Axes kByteThree{Axis::batch, Axis::position, Axis::feature};

struct Both {
  Tensor two_byte, floats;
};

Both byte_counted(NumberType type) {
  const Shape shape{2, 3, 4};
  const auto numbers = std::make_shared<std::vector<std::uint16_t>>();
  std::vector<float> values;
  for (std::uint16_t i = 0; i < 24; ++i) {
    numbers->push_back(static_cast<std::uint16_t>(0x3C00 + 77 * i));
    values.push_back(type == NumberType::float16 ? float_from_half(numbers->back())
                                                 : float_from_bfloat16(numbers->back()));
  }
  return {Tensor::two_byte_view_of(numbers, numbers->data(), type, shape, row_major_strides(shape), kByteThree),
          Tensor::of(shape, kByteThree, values)};
}

class TwoByte : public testing::TestWithParam<NumberType> {};

TEST_P(TwoByte, ReadsAsItsValuesInEveryView) {
  const auto [two_byte, floats] = byte_counted(GetParam());
  EXPECT_FALSE(two_byte.stored());
  EXPECT_EQ(two_byte.number_type(), GetParam());
  EXPECT_EQ(two_byte.values(), floats.values());
  EXPECT_EQ(two_byte.at({1, 2, 3}), floats.at({1, 2, 3}));
  EXPECT_EQ(two_byte.permuted({2, 0, 1}).values(), floats.permuted({2, 0, 1}).values());
  EXPECT_EQ(two_byte.sliced(1, 1, 3).values(), floats.sliced(1, 1, 3).values());
  EXPECT_EQ(two_byte.sliced(1, 2, 2).values(), std::vector<float>());
  EXPECT_EQ(matrix_at(two_byte, 1, 0).values(), matrix_at(floats, 1, 0).values());
  const Axes two{Axis::position, Axis::feature};
  EXPECT_EQ(two_byte.reshaped({6, 4}, two).values(), floats.values());
  // No strides describe this one: it is copied, and keeps its two bytes.
  const Tensor copied = two_byte.permuted({0, 2, 1}).reshaped({6, 4}, two);
  EXPECT_EQ(copied.number_type(), GetParam());
  EXPECT_EQ(copied.values(), floats.permuted({0, 2, 1}).values());
}

TEST_P(TwoByte, CopiesAreFloatsOrStayAsTheyLie) {
  const auto [two_byte, floats] = byte_counted(GetParam());
  const Tensor turned = two_byte.permuted({1, 2, 0});
  const Tensor copy = turned.dense_copy_as_it_lies();
  EXPECT_EQ(copy.number_type(), GetParam());
  EXPECT_EQ(copy.strides(), row_major_strides(copy.shape()));
  EXPECT_NE(copy.two_byte_data(), turned.two_byte_data());
  EXPECT_EQ(copy.values(), floats.permuted({1, 2, 0}).values());
  EXPECT_TRUE(turned.dense_copy().stored());
  EXPECT_EQ(turned.dense_copy().values(), copy.values());
  EXPECT_TRUE(floats.permuted({1, 2, 0}).dense_copy_as_it_lies().dense());
}

TEST_P(TwoByte, HasAnIdentityAndALifetime) {
  auto [two_byte, floats] = byte_counted(GetParam());
  EXPECT_TRUE(same_storage(two_byte, two_byte.sliced(0, 0, 2)));
  EXPECT_FALSE(same_storage(two_byte, two_byte.sliced(0, 0, 1)));
  EXPECT_FALSE(same_storage(two_byte, byte_counted(GetParam()).two_byte));
  EXPECT_FALSE(same_storage(two_byte, floats));
  const std::weak_ptr<const void> memory = two_byte.permuted({1, 0, 2}).memory();
  EXPECT_FALSE(memory.expired());
  two_byte = {};
  EXPECT_TRUE(memory.expired());
}

TEST_P(TwoByte, HasNoFloatsToPointTo) {
  Tensor two_byte = byte_counted(GetParam()).two_byte;
  EXPECT_FALSE(two_byte.dense());
  EXPECT_THROW(two_byte.data(), Bug);
  EXPECT_THROW(two_byte.mutable_data(), Bug);
}

INSTANTIATE_TEST_SUITE_P(Types, TwoByte, testing::Values(NumberType::float16, NumberType::bfloat16),
                         [](const auto& tested) { return tested.param == NumberType::float16 ? "half" : "bfloat"; });

}  // namespace
}  // namespace headscope
