#include "core/io/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/io/bytes.h"
#include "core/io/mapped_file.h"
#include "core/io/npy_header.h"
#include "core/io/tensor_blocks.h"

namespace headscope {

namespace {

constexpr std::size_t kLargestCopy = std::size_t{256} << 20;

// One number as the file stores it.
struct NpyNumber {
  char kind = 'f';  // f float, i signed, u unsigned, b bool
  int bytes = 4;
  bool swapped = false;
};

[[noreturn]] void refuse_type(const std::string& what, const std::string& descr, const char* name) {
  throw Error(
      fmt::format("{}: holds {} ('{}'); expected float16, float32, float64, bool or integers "
                  "(convert it: numpy.save(path, a.astype('float32')))",
                  what, name, descr));
}

NpyNumber number_type(const std::string& descr, const std::string& what) {
  std::string_view rest = descr;
  NpyNumber type;
  if (!rest.empty() && std::string_view("<>|=").find(rest[0]) != std::string_view::npos) {
    type.swapped = rest[0] == '>';
    rest.remove_prefix(1);
  }
  if (rest == "?") rest = "b1";
  if (rest.empty()) refuse_type(what, descr, "an unnamed type");
  type.kind = rest[0];
  const std::string_view digits = rest.substr(1);
  switch (type.kind) {
    case 'O':
      refuse_type(what, descr, "Python objects");
    case 'V':
      refuse_type(what, descr, "raw records");
    case 'S':
    case 'a':
    case 'U':
      refuse_type(what, descr, "strings");
    case 'c':
      refuse_type(what, descr, "complex numbers");
    case 'M':
    case 'm':
      refuse_type(what, descr, "dates or durations");
    default:
      break;
  }
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), type.bytes);
  const bool whole_text = error == std::errc() && end == digits.data() + digits.size();
  const std::string_view known_types = "f2f4f8b1i1i2i4i8u1u2u4u8";
  const bool known = whole_text && rest.size() == 2 && known_types.find(rest) != known_types.npos;
  if (!known) refuse_type(what, descr, "a type that is not read");
  return type;
}

template <typename T>
void convert_as(const std::byte* from, std::span<float> to, bool swapped) {
  for (float& value : to) {
    value = static_cast<float>(load<T>(from, swapped));
    from += sizeof(T);
  }
}

void convert(const std::byte* from, std::span<float> to, const NpyNumber& type) {
  switch (type.kind) {
    case 'f':
      if (type.bytes == 8) return convert_as<double>(from, to, type.swapped);
      if (type.bytes == 4) return convert_as<float>(from, to, type.swapped);
      for (float& value : to) {
        value = float_from_half(load<std::uint16_t>(from, type.swapped));
        from += 2;
      }
      return;
    case 'b':
      for (float& value : to) value = *from++ == std::byte{0} ? 0.0f : 1.0f;
      return;
    case 'i':
      if (type.bytes == 1) return convert_as<std::int8_t>(from, to, false);
      if (type.bytes == 2) return convert_as<std::int16_t>(from, to, type.swapped);
      if (type.bytes == 4) return convert_as<std::int32_t>(from, to, type.swapped);
      return convert_as<std::int64_t>(from, to, type.swapped);
    default:
      if (type.bytes == 1) return convert_as<std::uint8_t>(from, to, false);
      if (type.bytes == 2) return convert_as<std::uint16_t>(from, to, type.swapped);
      if (type.bytes == 4) return convert_as<std::uint32_t>(from, to, type.swapped);
      return convert_as<std::uint64_t>(from, to, type.swapped);
  }
}

Strides column_major_strides(const Shape& shape) {
  Strides strides;
  std::int64_t step = 1;
  for (const std::int64_t size : shape) {
    strides.push_back(step);
    step *= std::max<std::int64_t>(size, 1);
  }
  return strides;
}

struct ParsedHeader {
  NpyHeader header;
  NpyNumber type;
  std::size_t count = 0;
};

ParsedHeader parse_header(std::span<const std::byte> bytes, const std::string& what) {
  std::size_t data_offset = 0;
  const NpyDict dict = read_npy_dict(bytes, what, data_offset);
  ParsedHeader parsed;
  parsed.type = number_type(dict.descr, what);
  if (dict.shape.size() > kMaxRank) {
    throw Error(fmt::format("{}: {} axes; at most {} are read", what, dict.shape.size(), kMaxRank));
  }
  parsed.header = {dict.descr, dict.fortran_order, {}, data_offset};
  for (const long long size : dict.shape) parsed.header.shape.push_back(size);
  const auto count = checked_count(parsed.header.shape);
  const auto needed = count ? checked_product(*count, parsed.type.bytes) : std::nullopt;
  const std::size_t there = bytes.size() - parsed.header.data_offset;
  if (!needed) throw Error(fmt::format("{}: shape {} is too large", what, to_string(parsed.header.shape)));
  if (static_cast<std::size_t>(*needed) != there) {
    throw Error(fmt::format("{}: shape {} of '{}' needs {} bytes of values, the file has {}{}", what,
                            to_string(parsed.header.shape), dict.descr, *needed, there,
                            there < static_cast<std::size_t>(*needed) ? " (a download cut short?)" : ""));
  }
  parsed.count = static_cast<std::size_t>(*count);
  return parsed;
}

}  // namespace

NpyHeader read_npy_header(std::span<const std::byte> bytes, const std::string& what) {
  return parse_header(bytes, what).header;
}

NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& what,
                   const std::shared_ptr<const void>& owner) {
  ParsedHeader parsed = parse_header(bytes, what);
  NpyArray array;
  array.header = parsed.header;
  array.is_boolean = parsed.type.kind == 'b';
  array.is_integer = parsed.type.kind == 'i' || parsed.type.kind == 'u';
  Shape shape = parsed.header.shape;
  if (shape.count == 0) shape.push_back(1);
  if (parsed.count == 0) {
    array.tensor = tensor_of_values(shape, {});
    return array;
  }
  Axes axes;
  for (int axis = 0; axis < shape.count; ++axis) axes.push_back(Axis::feature);
  const Strides strides = parsed.header.fortran_order ? column_major_strides(shape) : row_major_strides(shape);
  const std::byte* data = bytes.data() + parsed.header.data_offset;
  const bool as_stored = parsed.type.kind == 'f' && parsed.type.bytes == 4 && !parsed.type.swapped &&
                         reinterpret_cast<std::uintptr_t>(data) % alignof(float) == 0;
  if (owner != nullptr && as_stored) {
    array.tensor = Tensor::view_of(owner, reinterpret_cast<const float*>(data), shape, strides, axes);
    return array;
  }
  auto values = std::make_shared<std::vector<float>>(parsed.count);
  convert(data, *values, parsed.type);
  array.tensor = Tensor::view_of(values, values->data(), shape, strides, axes);
  return array;
}

NpyArray read_npy(const std::string& path) {
  const auto file = MappedFile::open(path);
  const bool keep_mapped = file->bytes().size() > kLargestCopy;
  NpyArray array = parse_npy(file->bytes(), path, keep_mapped ? file : nullptr);
  file->check_unchanged();
  return array;
}

NpyHeader visit_npy(const std::string& path, const NpyVisitor& visitor, const CancelToken& cancel) {
  constexpr std::int64_t kPiece = std::int64_t{1} << 16;
  const auto file = MappedFile::open(path);
  const ParsedHeader parsed = parse_header(file->bytes(), path);
  const std::byte* const data = file->bytes().data() + parsed.header.data_offset;
  const auto count = static_cast<std::int64_t>(parsed.count), bytes = static_cast<std::int64_t>(parsed.type.bytes);
  std::vector<float> piece(static_cast<std::size_t>(std::min(count, kPiece)));
  for (std::int64_t first = 0; first < count;) {
    cancel.check();
    if (visitor.progress) visitor.progress(static_cast<double>(first) / static_cast<double>(count));
    const std::size_t at = parsed.header.data_offset + static_cast<std::size_t>(first * bytes);
    const auto hole = static_cast<std::int64_t>(file->next_stored(at) - at);
    if (const std::int64_t zeros = std::min(hole / bytes, count - first); zeros > 0) {
      visitor.zeros(zeros);
      first += zeros;
      continue;
    }
    const std::int64_t size = std::min(kPiece, count - first);
    const std::span<float> values = std::span(piece).first(static_cast<std::size_t>(size));
    convert(data + first * bytes, values, parsed.type);
    visitor.values(values);
    first += size;
  }
  file->check_unchanged();
  return parsed.header;
}

namespace {

std::string npy_header_text(const Shape& shape, const char* type = "<f4") {
  std::string sizes;
  for (int axis = 0; axis < shape.count; ++axis) sizes += fmt::format("{}{}", axis == 0 ? "" : ", ", shape[axis]);
  if (shape.count == 1) sizes += ",";
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, sizes);
  // The values begin at a multiple of 64 bytes, as NumPy aligns them.
  const std::size_t unpadded = kNpyMagic.size() + 4 + text.size() + 1;
  text.append((64 - unpadded % 64) % 64, ' ');
  text += '\n';
  return text;
}

}  // namespace

namespace {

void write_npy_header(std::ostream& out, const std::string& text) {
  out << kNpyMagic << '\x01' << '\0';
  out.put(static_cast<char>(text.size() & 0xFF)).put(static_cast<char>(text.size() >> 8));
  out << text;
}

}  // namespace

void write_boolean_npy(std::ostream& out, const Tensor& tensor) {
  write_npy_header(out, npy_header_text(tensor.shape(), "|b1"));
  for_each_block(tensor, {}, [&out](std::span<const float> values) {
    for (const float value : values) out.put(value != 0.0F ? '\x01' : '\0');
  });
}

void write_npy(std::ostream& out, const Tensor& tensor, const CancelToken& cancel) {
  write_npy_header(out, npy_header_text(tensor.shape()));
  for_each_block(tensor, cancel, [&out](std::span<const float> values) {
    out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
  });
}

std::int64_t npy_file_size(const Shape& shape) {
  return static_cast<std::int64_t>(kNpyMagic.size() + 4 + npy_header_text(shape).size()) + 4 * element_count(shape);
}

}  // namespace headscope
