#include "core/io/gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/base/utf8.h"
#include "core/io/bytes.h"
#include "core/io/changed_file.h"

namespace headscope {

namespace {

namespace fs = std::filesystem;
using Kind = GgufField::Kind;

Axes feature_axes(const Shape& shape) {
  Axes axes;
  for (int axis = 0; axis < shape.count; ++axis) axes.push_back(Axis::feature);
  return axes;
}

// Unpacks the numbers [begin, end) of a row that begins at `row`: whole blocks into place, others over a copy.
void unpack_part(const GgufType& type, const std::byte* row, Range part, float* out) {
  std::array<float, 256> whole;
  for (std::int64_t at = part.begin; at < part.end;) {
    const std::int64_t block = at / type.block_values, first = block * type.block_values;
    const std::int64_t end = std::min(part.end, first + type.block_values);
    const std::byte* bytes = row + block * type.block_bytes;
    if (at == first && end == first + type.block_values) {
      type.unpack(bytes, out);
    } else {
      type.unpack(bytes, whole.data());
      std::copy(whole.begin() + (at - first), whole.begin() + (end - first), out);
    }
    out += end - at;
    at = end;
  }
}

void unpack_region(const GgufType& type, const std::byte* data, const Shape& shape, const Region& region, float* out) {
  const int last = shape.count - 1;
  const std::int64_t row_bytes = shape[last] / type.block_values * type.block_bytes;
  const Range part = region[last];
  Index at;
  for (const Range& range : region) {
    if (range.size() == 0) return;
    at.push_back(range.begin);
  }
  while (true) {
    std::int64_t row = 0;
    for (int axis = 0; axis < last; ++axis) row = row * shape[axis] + at[axis];
    unpack_part(type, data + row * row_bytes, part, out);
    out += part.size();
    int axis = last - 1;
    while (axis >= 0 && ++at[axis] == region[axis].end) {
      at[axis] = region[axis].begin;
      --axis;
    }
    if (axis < 0) return;
  }
}

// The number at `at`, of a kind that is one.
double number_at(Kind kind, const std::byte* at) {
  switch (kind) {
    case Kind::u8:
      return load<std::uint8_t>(at);
    case Kind::i8:
      return load<std::int8_t>(at);
    case Kind::u16:
      return load<std::uint16_t>(at);
    case Kind::i16:
      return load<std::int16_t>(at);
    case Kind::u32:
      return load<std::uint32_t>(at);
    case Kind::i32:
      return load<std::int32_t>(at);
    case Kind::f32:
      return load<float>(at);
    case Kind::truth:
      return load<std::uint8_t>(at) != 0 ? 1 : 0;
    case Kind::u64:
      return static_cast<double>(load<std::uint64_t>(at));
    case Kind::i64:
      return static_cast<double>(load<std::int64_t>(at));
    case Kind::f64:
      return load<double>(at);
    case Kind::text:
    case Kind::list:
      break;
  }
  return std::nan("");
}

std::int64_t bytes_of(Kind kind) {
  switch (kind) {
    case Kind::u8:
    case Kind::i8:
    case Kind::truth:
      return 1;
    case Kind::u16:
    case Kind::i16:
      return 2;
    case Kind::u32:
    case Kind::i32:
    case Kind::f32:
      return 4;
    default:
      return 8;
  }
}

// The text whose length stands at `at`. The lengths were checked when the file was opened, and may be others by now.
std::string_view text_at(std::span<const std::byte> bytes, std::size_t at, const std::string& path) {
  const std::uint64_t length = at + 8 <= bytes.size() ? load<std::uint64_t>(bytes.data() + at) : bytes.size();
  if (at + 8 > bytes.size() || length > bytes.size() - at - 8) throw changed_file_error(path);
  return {reinterpret_cast<const char*>(bytes.data()) + at + 8, static_cast<std::size_t>(length)};
}

bool begins_like_gguf(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  std::array<char, 4> magic{};
  std::ifstream(std::filesystem::path(path), std::ios::binary).read(magic.data(), magic.size());
  return std::string_view(magic.data(), magic.size()) == "GGUF";
}

bool is_whole(Kind kind) {
  return kind != Kind::f32 && kind != Kind::f64 && kind != Kind::truth && kind != Kind::text && kind != Kind::list;
}

}  // namespace

Tensor gguf_tensor(std::span<const std::byte> bytes, const GgufTensor& tensor, const std::string& what,
                   const std::shared_ptr<const void>& owner) {
  const GgufType& type = *tensor.type;
  if (type.unpack == nullptr) {
    throw Error(
        fmt::format("{}: tensor {} is {}; expected {}", what, in_quotes(tensor.name), type.name, read_gguf_types()));
  }
  Shape shape;
  for (const std::int64_t size : tensor.shape) shape.push_back(size);
  const Axes axes = feature_axes(shape);
  const std::byte* data = bytes.data() + tensor.begin;
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::string_view name = type.name;
  if (name == "F32" && address % alignof(float) == 0) {
    return Tensor::view_of(owner, reinterpret_cast<const float*>(data), shape, row_major_strides(shape), axes);
  }
  if ((name == "F16" || name == "BF16") && address % alignof(std::uint16_t) == 0) {
    const NumberType numbers = name == "F16" ? NumberType::float16 : NumberType::bfloat16;
    return Tensor::two_byte_view_of(owner, reinterpret_cast<const std::uint16_t*>(data), numbers, shape,
                                    row_major_strides(shape), axes);
  }
  return Tensor::computed(shape, axes, [owner, data, shape, &type](const Region& region, std::span<float> out) {
    unpack_region(type, data, shape, region, out.data());
  });
}

std::shared_ptr<const GgufFile> GgufFile::open(const std::string& path) {
  const auto file = std::make_shared<GgufFile>();
  file->file_ = MappedFile::open(path);
  file->header_ = parse_gguf(file->bytes(), path);
  file->check_unchanged();
  return file;
}

Tensor GgufFile::tensor(const GgufTensor& tensor) const {
  return gguf_tensor(bytes(), tensor, path(), shared_from_this());
}

void GgufFile::refuse(std::string_view key, const std::string& sentence) const {
  throw Error(fmt::format("{}: the key {} {}", path(), in_quotes(key), sentence));
}

std::optional<double> GgufFile::number(std::string_view key) const {
  const GgufField* field = header_.find(key);
  if (field == nullptr) return std::nullopt;
  if (field->kind != Kind::f32 && field->kind != Kind::f64 && !is_whole(field->kind)) {
    refuse(key, "holds " + kind_name(*field) + "; expected a number");
  }
  const double value = number_at(field->kind, bytes().data() + field->begin);
  if (!std::isfinite(value)) refuse(key, fmt::format("is {}; expected a finite number", value));
  if (field->kind != Kind::f32) return value;
  const std::string shortest = fmt::format("{}", static_cast<float>(value));
  double decimal = 0;
  std::from_chars(shortest.data(), shortest.data() + shortest.size(), decimal);
  return decimal;
}

std::optional<std::int64_t> GgufFile::whole(std::string_view key) const {
  const GgufField* field = header_.find(key);
  if (field == nullptr) return std::nullopt;
  if (!is_whole(field->kind)) refuse(key, "holds " + kind_name(*field) + "; expected a whole number");
  const double value = number_at(field->kind, bytes().data() + field->begin);
  if (!(value >= 0 && value <= 0x1p62)) refuse(key, fmt::format("is {}; expected 0 to 2^62", value));
  return static_cast<std::int64_t>(value);
}

std::optional<bool> GgufFile::truth(std::string_view key) const {
  const GgufField* field = header_.find(key);
  if (field == nullptr) return std::nullopt;
  if (field->kind != Kind::truth) refuse(key, "holds " + kind_name(*field) + "; expected a truth");
  return number_at(field->kind, bytes().data() + field->begin) != 0;
}

std::optional<std::string_view> GgufFile::text(std::string_view key) const {
  const GgufField* field = header_.find(key);
  if (field == nullptr) return std::nullopt;
  if (field->kind != Kind::text) refuse(key, "holds " + kind_name(*field) + "; expected a text");
  const std::string_view found = text_at(bytes(), field->begin, path());
  if (first_invalid_byte(found) != found.npos) refuse(key, "is no UTF-8; expected a text");
  return found;
}

bool GgufFile::each_text(std::string_view key, const std::function<void(std::string_view)>& visit) const {
  const GgufField* field = header_.find(key);
  if (field == nullptr) return false;
  if (field->kind != Kind::list || field->item_kind != Kind::text) {
    refuse(key, "holds " + kind_name(*field) + "; expected a list of texts");
  }
  std::size_t at = field->begin;
  for (std::uint64_t k = 0; k < field->count; ++k) {
    const std::string_view found = text_at(bytes(), at, path());
    visit(found);
    at += 8 + found.size();
  }
  return true;
}

std::optional<std::vector<double>> GgufFile::numbers(std::string_view key) const {
  const GgufField* field = header_.find(key);
  if (field == nullptr) return std::nullopt;
  if (field->kind != Kind::list || field->item_kind == Kind::text) {
    refuse(key, "holds " + kind_name(*field) + "; expected a list of numbers");
  }
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(field->count));
  const std::byte* at = bytes().data() + field->begin;
  for (std::uint64_t k = 0; k < field->count; ++k, at += bytes_of(field->item_kind)) {
    values.push_back(number_at(field->item_kind, at));
  }
  return values;
}

TensorFile tensors_of(const std::shared_ptr<const GgufFile>& file) {
  TensorFile tensors;
  tensors.path = file->path();
  tensors.format = "GGUF";
  for (const GgufTensor& tensor : file->header().tensors) {
    tensors.entries.push_back({tensor.name, tensor.type->name, tensor.shape, tensor.end - tensor.begin});
  }
  tensors.read = [file](std::size_t k, bool as_stored) {
    const Tensor numbers = file->tensor(file->header().tensors[k]);
    const Tensor read = as_stored || numbers.stored() ? numbers : numbers.dense_copy();
    file->check_unchanged();
    return read;
  };
  return tensors;
}

std::string gguf_path_of(const std::string& path) {
  std::error_code error;
  const fs::path given(path);
  if (!fs::is_directory(given, error)) {
    return given.extension() == ".gguf" || begins_like_gguf(given) ? path : std::string();
  }
  for (const char* other :
       {"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json"}) {
    if (fs::exists(fs::symlink_status(given / other, error))) return {};
  }
  std::vector<std::string> found;
  for (fs::directory_iterator at(given, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".gguf") found.push_back(at->path().filename().string());
  }
  if (found.empty()) return {};
  if (found.size() == 1) return (given / found.front()).string();
  std::sort(found.begin(), found.end());
  std::string names;
  constexpr std::size_t kShown = 6;
  for (std::size_t k = 0; k < std::min(kShown, found.size()); ++k) names += (k ? ", " : "") + shortened(found[k]);
  if (found.size() > kShown) names += fmt::format(" and {} more", found.size() - kShown);
  throw Error(
      fmt::format("{}: holds {} GGUF models: {}; expected one, or the path of one of them", path, found.size(), names));
}

}  // namespace headscope
