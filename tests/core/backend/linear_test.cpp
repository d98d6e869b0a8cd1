// Projections of the cpu backend against the oracle and against themselves, on every kind of vectors that runs here.
#include <gtest/gtest.h>

#include <bit>

#include "core/backend/kernels/targets.h"
#include "core/tensor/two_byte_floats.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

const std::int64_t kSizes[] = {1, 2, 3, 15, 17, 31, 33, 63, 65, 127, 129};

class LinearOnTarget : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { choose_kernel_target(GetParam()); }
  void TearDown() override { choose_kernel_target(""); }

  Tensor product(const Tensor& x, const Tensor& weight, const Tensor& bias, int threads = 2) const {
    const auto backend = make_cpu_backend(threads);
    const Tensor first = backend->linear(x, weight, bias, cancel);
    // The first use reads the weight as it lies, the second packs it, the third finds it packed.
    for (int use = 2; use <= 3; ++use) {
      EXPECT_TRUE(same_bits(backend->linear(x, weight, bias, cancel), first)) << use;
    }
    return first;
  }

  CancelToken cancel;
};

// Two-byte numbers made from the upper half of every value's bits, or from a pattern that meets every exponent.
Tensor two_byte_tensor(const Shape& shape, NumberType type, std::uint32_t seed) {
  const Tensor values = random_tensor(shape, seed);
  const auto numbers = std::make_shared<std::vector<std::uint16_t>>();
  for (std::int64_t i = 0; i < values.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(values.data()[i]);
    const auto half = static_cast<std::uint16_t>((bits >> 16 & 0x8000U) | (bits & 0x3FFU) | (0x0400U * (bits % 16)));
    numbers->push_back(type == NumberType::bfloat16 ? static_cast<std::uint16_t>(bits >> 16) : half);
  }
  return Tensor::two_byte_view_of(numbers, numbers->data(), type, shape, row_major_strides(shape),
                                  axes_of_rank(shape.count));
}

TEST_P(LinearOnTarget, AgreesWithTheOracleAtOddSizes) {
  const auto reference = make_reference_backend();
  for (std::int64_t rows : kSizes) {
    for (std::int64_t in : kSizes) {
      const std::int64_t out = kSizes[(rows * 5 + in) % std::size(kSizes)];
      const Tensor x = random_tensor({1, rows, in}, 1);
      const Tensor weight = random_tensor({out, in}, 2);
      const Tensor bias = (rows + in) % 3 == 0 ? Tensor() : random_tensor({out}, 3);
      const Tensor expected = reference->linear(x, weight, bias, cancel);
      EXPECT_TRUE(largest_difference(product(x, weight, bias), expected) <= 2e-5) << rows << " " << in << " " << out;
    }
  }
}

TEST_P(LinearOnTarget, EveryOutputCountEndsItsPanelWhereItShould) {
  const auto reference = make_reference_backend();
  for (std::int64_t out = 1; out <= 70; ++out) {
    for (std::int64_t rows : {5, 20}) {
      const Tensor x = random_tensor({1, rows, 7}, 1);
      const Tensor weight = random_tensor({out, 7}, 2);
      const Tensor bias = random_tensor({out}, 3);
      // Rows of y lie further apart than they are long: what is between them is not touched.
      Tensor wide = Tensor::zeros({1, rows, out + 9}, axes_of_rank(3));
      std::fill_n(wide.mutable_data(), wide.size(), 77.0F);
      Tensor y = wide.writable_sliced(2, 4, 4 + out);
      Linear layer;
      layer.weight = weight;
      layer.bias = bias;
      make_cpu_backend(1)->linear_into(x, layer, y, cancel);
      EXPECT_TRUE(largest_difference(y, reference->linear(x, weight, bias, cancel)) <= 1e-5) << out;
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t o : {std::int64_t{0}, std::int64_t{3}, out + 4, out + 8}) {
          EXPECT_EQ(wide.at({0, i, o}), 77.0F) << out << " " << i << " " << o;
        }
      }
    }
  }
}

TEST_P(LinearOnTarget, GivesTheSameBitsForAnyNumberOfThreads) {
  for (std::int64_t rows : {3, 16, 17, 150}) {
    const Tensor x = random_tensor({1, rows, 1500}, 1);
    const Tensor weight = random_tensor({300, 1500}, 2);
    const Tensor bias = random_tensor({300}, 3);
    const Tensor alone = product(x, weight, bias, 1);
    for (int threads : {2, 3, 7}) EXPECT_TRUE(same_bits(product(x, weight, bias, threads), alone)) << rows;
  }
}

TEST_P(LinearOnTarget, ARowHasTheSameBitsAloneAndAmongOthers) {
  const Tensor weight = random_tensor({70, 1100}, 2);
  const Tensor bias = random_tensor({70}, 3);
  const Tensor x = random_tensor({1, 200, 1100}, 1);
  const Tensor all = product(x, weight, bias);
  for (std::int64_t rows : {1, 2, 5, 12, 13, 16, 17, 64, 97}) {
    const std::int64_t first = 200 - rows;
    EXPECT_TRUE(same_bits(product(x.sliced(1, first, 200), weight, bias), all.sliced(1, first, 200))) << rows;
  }
}

TEST_P(LinearOnTarget, ManyRowsInSeveralRounds) {
  // More rows than one packing of the weight serves, in batches that do not follow one another.
  const Tensor weight = random_tensor({45, 70}, 2);
  const Tensor x = random_tensor({2, 1100, 72}, 1).sliced(2, 1, 71);
  const Tensor apart = random_tensor({3, 520, 72}, 1).sliced(1, 0, 511).sliced(2, 1, 71);
  for (const Tensor& rows : {x, apart}) {
    const Tensor y = product(rows, weight, {});
    EXPECT_TRUE(largest_difference(y, make_reference_backend()->linear(rows, weight, {}, cancel)) <= 2e-5);
    for (std::int64_t row : {0, 95, 96, 500, 510}) {
      EXPECT_TRUE(same_bits(product(rows.sliced(1, row, row + 1), weight, {}), y.sliced(1, row, row + 1))) << row;
    }
  }
}

TEST_P(LinearOnTarget, ABatchHasTheBitsOfItsElements) {
  const Tensor weight = random_tensor({40, 33}, 2);
  for (std::int64_t len : {1, 5, 30}) {
    const Tensor x = random_tensor({6, len, 33}, 1);
    const Tensor all = product(x, weight, {});
    // The same rows where the batches do not follow one another.
    const Tensor apart = random_tensor({6, len + 2, 40}, 9).sliced(1, 0, len).sliced(2, 0, 33);
    const Tensor of_apart = product(apart, weight, {});
    for (std::int64_t b = 0; b < 6; ++b) {
      EXPECT_TRUE(same_bits(product(x.sliced(0, b, b + 1), weight, {}), all.sliced(0, b, b + 1))) << len;
      EXPECT_TRUE(same_bits(product(apart.sliced(0, b, b + 1).dense_copy(), weight, {}), of_apart.sliced(0, b, b + 1)));
    }
  }
}

TEST_P(LinearOnTarget, AWeightMayLieInAnyWay) {
  for (std::int64_t rows : {4, 40}) {
    const Tensor x = random_tensor({1, rows, 37}, 1);
    const Tensor weight = random_tensor({75, 37}, 2);
    const Tensor expected = product(x, weight, {});
    const Tensor columns = weight.permuted({1, 0}).dense_copy().permuted({1, 0});
    EXPECT_TRUE(same_bits(product(x, columns, {}), expected));
    EXPECT_TRUE(same_bits(product(x, weight.sliced(0, 30, 71), {}), expected.sliced(2, 30, 71)));
    Tensor sparse = Tensor::zeros({75, 37, 3}, axes_of_rank(3));
    for (std::int64_t i = 0; i < weight.size(); ++i) sparse.mutable_data()[3 * i + 1] = weight.data()[i];
    EXPECT_TRUE(same_bits(product(x, sparse.sliced(2, 1, 2).reshaped({75, 37}, axes_of_rank(2)), {}), expected));
  }
}

TEST_P(LinearOnTarget, TwoByteWeightsGiveTheBitsOfTheirValues) {
  for (NumberType type : {NumberType::float16, NumberType::bfloat16}) {
    for (std::int64_t rows : {1, 4, 9, 16, 50}) {
      const Tensor x = random_tensor({1, rows, 67}, 1);
      const Tensor weight = two_byte_tensor({45, 67}, type, 2);
      const Tensor expected = product(x, weight.dense_copy(), {});
      EXPECT_TRUE(same_bits(product(x, weight, {}), expected)) << rows;
      EXPECT_TRUE(same_bits(product(x, weight.sliced(0, 7, 45), {}), expected.sliced(2, 7, 45)));
      const Tensor turned = two_byte_tensor({67, 45}, type, 2).permuted({1, 0});
      EXPECT_TRUE(same_bits(product(x, turned, {}), product(x, turned.dense_copy(), {})));
    }
  }
}

TEST_P(LinearOnTarget, EveryTwoByteNumberIsWidenedExactly) {
  // 1 x value: each of the 65,536 numbers comes out as it is, with subnormal ones, infinities and NaN.
  for (NumberType type : {NumberType::float16, NumberType::bfloat16}) {
    const auto numbers = std::make_shared<std::vector<std::uint16_t>>();
    for (std::uint32_t bits = 0; bits < 65536; ++bits) numbers->push_back(static_cast<std::uint16_t>(bits));
    const Tensor weight = Tensor::two_byte_view_of(numbers, numbers->data(), type, {65536, 1}, {1, 1}, axes_of_rank(2));
    const Tensor one = tensor_of({1, 1, 1}, {1.0F});
    EXPECT_EQ(
        largest_difference(product(one, weight, {}), weight.dense_copy().reshaped({1, 1, 65536}, axes_of_rank(3))),
        0.0);
  }
}

TEST_P(LinearOnTarget, NoInputsLeaveTheBias) {
  const Tensor bias = random_tensor({40}, 3);
  for (std::int64_t rows : {2, 20}) {
    const Tensor y =
        product(Tensor::zeros({1, rows, 0}, axes_of_rank(3)), Tensor::zeros({40, 0}, axes_of_rank(2)), bias);
    EXPECT_EQ(y.at({0, rows - 1, 39}), bias.at({39}));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, LinearOnTarget, testing::ValuesIn(kernel_targets()),
                         [](const auto& tested) { return tested.param; });

TEST(Linear, VectorsWithFusedMultiplyAddGiveTheSameBits) {
  const CancelToken cancel;
  const Tensor x = random_tensor({1, 100, 515}, 1);
  const Tensor weight = random_tensor({83, 515}, 2);
  const Tensor bias = random_tensor({83}, 3);
  std::vector<Tensor> results;
  for (const std::string& target : kernel_targets()) {
    if (target != "AVX3" && target != "AVX2" && target != "NEON") continue;
    choose_kernel_target(target);
    results.push_back(make_cpu_backend(2)->linear(x, weight, bias, cancel));
  }
  choose_kernel_target("");
  for (const Tensor& result : results) EXPECT_TRUE(same_bits(result, results[0]));
}

TEST(Linear, EveryCellIsOneChainOfFusedMultiplyAddsFromTheBias) {
  if (kernel_target() != "AVX3" && kernel_target() != "AVX2" && kernel_target() != "NEON") {
    GTEST_SKIP() << "kernels for " << kernel_target() << " fuse nothing";
  }
  const CancelToken cancel;
  const Tensor x = random_tensor({1, 30, 1201}, 1);
  const Tensor weight = random_tensor({35, 1201}, 2);
  const Tensor bias = random_tensor({35}, 3);
  const Tensor y = make_cpu_backend(2)->linear(x, weight, bias, cancel);
  for (std::int64_t i = 0; i < 30; ++i) {
    for (std::int64_t o = 0; o < 35; ++o) {
      float sum = bias.at({o});
      for (std::int64_t k = 0; k < 1201; ++k) sum = std::fma(x.at({0, i, k}), weight.at({o, k}), sum);
      EXPECT_EQ(std::bit_cast<std::uint32_t>(y.at({0, i, o})), std::bit_cast<std::uint32_t>(sum)) << i << " " << o;
    }
  }
}

}  // namespace
}  // namespace headscope
