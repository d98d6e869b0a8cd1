#include "core/io/npy.h"

#include <cmath>
#include <limits>
#include <sstream>

#include "core/io/bytes.h"
#include "tests/core/io/io_helpers.h"
#include "tests/core/io/numpy_files.h"

namespace headscope {
namespace {

using namespace test;

NpyArray npy_parsed(const char* hex) {
  return parse_npy(bytes_of(from_hex(hex)), "a.npy");
}

std::string npy_written(const Tensor& tensor) {
  std::ostringstream out;
  write_npy(out, tensor);
  return out.str();
}

TEST(Npy, ReadsFloat32AsNumpyWroteIt) {
  const NpyArray array = npy_parsed(kFloat32);
  EXPECT_EQ(array.header.descr, "<f4");
  EXPECT_EQ(array.tensor.shape(), (Shape{2, 2}));
  EXPECT_FALSE(array.is_boolean);
  EXPECT_FALSE(array.is_integer);
  const std::vector<float> values = array.tensor.values();
  EXPECT_EQ(values[0], 0.1f);
  EXPECT_EQ(values[1], -2.5f);
  EXPECT_EQ(values[2], std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(values[3]));
}

TEST(Npy, ReadsFloat16Exactly) {
  const std::vector<float> expected = {0x1p-24f,    -0x1.f78p-15f, 65504.0f, -std::numeric_limits<float>::infinity(),
                                       0x1.998p-4f, -0.0f};
  EXPECT_TRUE(same_bits(npy_parsed(kFloat16).tensor.values(), expected));
}

TEST(Npy, ReadsFortranOrderAsTheSameMatrix) {
  const NpyArray array = npy_parsed(kFloat64Fortran);
  EXPECT_TRUE(array.header.fortran_order);
  EXPECT_EQ(array.tensor.shape(), (Shape{2, 3}));
  std::vector<float> expected;
  for (int i = 0; i < 6; ++i) expected.push_back(static_cast<float>(i / 3.0));
  EXPECT_TRUE(same_bits(array.tensor.values(), expected));
}

TEST(Npy, ReadsBooleansAndSaysSo) {
  const NpyArray array = npy_parsed(kBool);
  EXPECT_TRUE(array.is_boolean);
  EXPECT_EQ(array.tensor.values(), (std::vector<float>{1, 0, 1}));
}

TEST(Npy, ReadsIntegersOfEitherByteOrder) {
  EXPECT_EQ(npy_parsed(kBigEndianInt16).tensor.values(), (std::vector<float>{1, -2, 300}));
  EXPECT_TRUE(npy_parsed(kBigEndianInt16).is_integer);
  EXPECT_EQ(npy_parsed(kInt64).tensor.values(), (std::vector<float>{9007199254740992.0f, -7}));
  EXPECT_EQ(npy_parsed(kUint8).tensor.values(), (std::vector<float>{0, 255}));
  EXPECT_EQ(npy_parsed(kUint8).tensor.shape(), (Shape{1, 2, 1}));
}

TEST(Npy, ReadsAScalarAsOneValue) {
  EXPECT_EQ(npy_parsed(kScalar).header.shape.count, 0);
  EXPECT_EQ(npy_parsed(kScalar).tensor.shape(), (Shape{1}));
  EXPECT_EQ(npy_parsed(kScalar).tensor.values(), (std::vector<float>{3.5f}));
}

TEST(Npy, ReadsAnArrayWithoutValues) {
  EXPECT_EQ(npy_parsed(kEmpty).tensor.shape(), (Shape{0, 3}));
  EXPECT_EQ(npy_parsed(kEmpty).tensor.size(), 0);
  EXPECT_FALSE(npy_parsed(kEmpty).tensor.empty());
}

TEST(Npy, ReadsVersions2And3) {
  EXPECT_EQ(npy_parsed(kVersion2).tensor.values(), (std::vector<float>{1, 2}));
  EXPECT_EQ(npy_parsed(kVersion3).tensor.values(), (std::vector<float>{1, 2}));
}

TEST(Npy, WritesWhatNumpyWrites) {
  EXPECT_EQ(npy_written(npy_parsed(kFloat32).tensor), from_hex(kFloat32));
  EXPECT_EQ(npy_written(npy_parsed(kEmpty).tensor), from_hex(kEmpty));
}

TEST(Npy, ARoundTripKeepsEveryBitOfEveryShape) {
  for (const Shape& shape :
       {Shape{1}, Shape{7}, Shape{2, 3}, Shape{3, 1, 5}, Shape{2, 2, 3, 4}, Shape{1, 2, 1, 3, 2}}) {
    std::vector<float> values;
    Axes axes;
    for (int axis = 0; axis < shape.count; ++axis) axes.push_back(Axis::feature);
    for (std::int64_t i = 0; i < element_count(shape); ++i) values.push_back(static_cast<float>(i) * 0.37f - 2.0f);
    values.back() = std::bit_cast<float>(0x7FC12345u);  // a NaN with a payload
    const std::string bytes = npy_written(Tensor::of(shape, axes, values));
    EXPECT_EQ(static_cast<std::int64_t>(bytes.size()), npy_file_size(shape));
    const NpyArray back = parse_npy(bytes_of(bytes), "back.npy");
    EXPECT_EQ(back.tensor.shape(), shape);
    EXPECT_TRUE(same_bits(back.tensor.values(), values));
    EXPECT_EQ((bytes.size() - values.size() * 4) % 64, 0u) << "the values are aligned as NumPy aligns them";
  }
}

TEST(Npy, WritesTransposedViewsAndComputedTensorsInRowMajorOrder) {
  const Tensor matrix = Tensor::of({2, 3}, {Axis::query, Axis::key}, {1, 2, 3, 4, 5, 6});
  const NpyArray transposed = parse_npy(bytes_of(npy_written(matrix.permuted({1, 0}))), "t.npy");
  EXPECT_EQ(transposed.tensor.values(), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  const Tensor computed =
      Tensor::computed({700, 900}, {Axis::query, Axis::key}, [](const Region& region, std::span<float> out) {
        std::size_t at = 0;
        for (std::int64_t i = region[0].begin; i < region[0].end; ++i) {
          for (std::int64_t j = region[1].begin; j < region[1].end; ++j) out[at++] = static_cast<float>(i + 10 * j);
        }
      });
  const NpyArray back = parse_npy(bytes_of(npy_written(computed)), "c.npy");
  EXPECT_EQ(back.tensor.at({699, 899}), 699.0f + 8990.0f);
  EXPECT_EQ(back.tensor.at({3, 7}), 73.0f);
}

TEST(Npy, WritingStopsWhenCancelled) {
  CancelToken cancel;
  cancel.cancel();
  std::ostringstream out;
  EXPECT_THROW(write_npy(out, npy_parsed(kFloat32).tensor, cancel), Cancelled);
}

TEST(Npy, AnUnalignedBufferIsReadAllTheSame) {
  const std::string shifted = "x" + from_hex(kVersion2);
  const auto owner = std::make_shared<int>(0);
  const NpyArray array = parse_npy(bytes_of(shifted).subspan(1), "u.npy", owner);
  EXPECT_EQ(array.tensor.values(), (std::vector<float>{1, 2}));
}

TEST(Npy, ValuesOutliveTheFileThatTheyCameFrom) {
  const IoFolder folder;
  write_bytes(folder.file("a.npy"), from_hex(kVersion2));
  const NpyArray array = read_npy(folder.file("a.npy"));
  write_bytes(folder.file("a.npy"), "");
  EXPECT_EQ(array.tensor.values(), (std::vector<float>{1, 2}));
}

TEST(HalfFloat, EveryBitPatternIsConvertedExactly) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = float_from_half(static_cast<std::uint16_t>(bits));
    const int exponent = static_cast<int>((bits >> 10) & 0x1F);
    const double fraction = bits & 0x3FF;
    const bool negative = (bits & 0x8000) != 0;
    EXPECT_EQ(std::signbit(value), negative);
    if (exponent == 31) {
      EXPECT_TRUE(fraction == 0 ? std::isinf(value) : std::isnan(value)) << bits;
      continue;
    }
    const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    EXPECT_EQ(static_cast<double>(value), negative ? -magnitude : magnitude) << bits;
  }
}

}  // namespace
}  // namespace headscope
