#include "core/io/stored_numbers.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/bytes.h"
#include "core/io/tensor_blocks.h"

namespace headscope {
namespace {

template <typename T>
void convert_as(const std::byte* from, std::vector<float>& to) {
  for (float& value : to) {
    value = static_cast<float>(load<T>(from));
    from += sizeof(T);
  }
}

template <float (*from_bits)(std::uint16_t)>
void convert_16_bits(const std::byte* from, std::vector<float>& to) {
  for (float& value : to) {
    value = from_bits(load<std::uint16_t>(from));
    from += 2;
  }
}

void convert_bool(const std::byte* from, std::vector<float>& to) {
  for (float& value : to) value = *from++ == std::byte{0} ? 0.0f : 1.0f;
}

using Converter = void (*)(const std::byte* from, std::vector<float>& to);

Converter converter_of(const std::string& dtype) {
  static const std::map<std::string, Converter> converters = {
      {"F64", convert_as<double>},
      {"F32", convert_as<float>},
      {"F16", convert_16_bits<float_from_half>},
      {"BF16", convert_16_bits<float_from_bfloat16>},
      {"I64", convert_as<std::int64_t>},
      {"I32", convert_as<std::int32_t>},
      {"I16", convert_as<std::int16_t>},
      {"I8", convert_as<std::int8_t>},
      {"U64", convert_as<std::uint64_t>},
      {"U32", convert_as<std::uint32_t>},
      {"U16", convert_as<std::uint16_t>},
      {"U8", convert_as<std::uint8_t>},
      {"BOOL", convert_bool},
  };
  const auto found = converters.find(dtype);
  return found == converters.end() ? nullptr : found->second;
}

}  // namespace

std::int64_t dtype_bits(std::string_view dtype) {
  struct Known {
    std::string_view name;
    std::int64_t bits;
  };
  static constexpr Known known[] = {
      {"BOOL", 8}, {"U8", 8},   {"I8", 8},    {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"I16", 16},
      {"U16", 16}, {"F16", 16}, {"BF16", 16}, {"I32", 32},    {"U32", 32},    {"F32", 32},    {"I64", 64},
      {"U64", 64}, {"F64", 64}, {"C64", 64},  {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},
  };
  for (const Known& each : known) {
    if (each.name == dtype) return each.bits;
  }
  return 0;
}

Tensor tensor_of_stored(const StoredNumbers& stored, const std::string& what, bool two_bytes) {
  const Converter convert = converter_of(stored.dtype);
  if (convert == nullptr) {
    throw Error(fmt::format("{}: tensor {} has dtype {}; expected F32, F16, BF16, F64, BOOL or integers", what,
                            in_quotes(stored.name), stored.dtype));
  }
  if (stored.shape.size() > kMaxRank) {
    throw Error(fmt::format("{}: tensor {} has {} axes; at most {} are read", what, in_quotes(stored.name),
                            stored.shape.size(), kMaxRank));
  }
  Shape shape;
  for (const std::int64_t size : stored.shape) shape.push_back(size);
  if (shape.count == 0) shape.push_back(1);
  if (element_count(shape) == 0) return tensor_of_values(shape, {});
  Axes axes;
  for (int axis = 0; axis < shape.count; ++axis) axes.push_back(Axis::feature);
  const auto address = reinterpret_cast<std::uintptr_t>(stored.data);
  if (stored.owner != nullptr && stored.dtype == "F32" && address % alignof(float) == 0) {
    return Tensor::view_of(stored.owner, reinterpret_cast<const float*>(stored.data), shape, row_major_strides(shape),
                           axes);
  }
  const bool half = stored.dtype == "F16";
  if (stored.owner != nullptr && two_bytes && (half || stored.dtype == "BF16") &&
      address % alignof(std::uint16_t) == 0) {
    return Tensor::two_byte_view_of(stored.owner, reinterpret_cast<const std::uint16_t*>(stored.data),
                                    half ? NumberType::float16 : NumberType::bfloat16, shape, row_major_strides(shape),
                                    axes);
  }
  std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
  convert(stored.data, values);
  return tensor_of_values(shape, std::move(values));
}

}  // namespace headscope
