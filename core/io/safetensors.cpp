#include "core/io/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/bytes.h"
#include "core/io/json_text.h"
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

Tensor safetensors_tensor(std::span<const std::byte> bytes, const SafetensorsHeader& header,
                          const SafetensorsEntry& entry, const std::string& what,
                          const std::shared_ptr<const void>& owner, bool two_bytes) {
  const Converter convert = converter_of(entry.dtype);
  if (convert == nullptr) {
    throw Error(fmt::format("{}: tensor {} has dtype {}; expected F32, F16, BF16, F64, BOOL or integers", what,
                            in_quotes(entry.name), entry.dtype));
  }
  if (entry.shape.size() > kMaxRank) {
    throw Error(fmt::format("{}: tensor {} has {} axes; at most {} are read", what, in_quotes(entry.name),
                            entry.shape.size(), kMaxRank));
  }
  Shape shape;
  for (const std::int64_t size : entry.shape) shape.push_back(size);
  if (shape.count == 0) shape.push_back(1);
  if (entry.begin == entry.end) return tensor_of_values(shape, {});
  const std::byte* data = bytes.data() + header.data_begin + entry.begin;
  Axes axes;
  for (int axis = 0; axis < shape.count; ++axis) axes.push_back(Axis::feature);
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  if (owner != nullptr && entry.dtype == "F32" && address % alignof(float) == 0) {
    return Tensor::view_of(owner, reinterpret_cast<const float*>(data), shape, row_major_strides(shape), axes);
  }
  const bool half = entry.dtype == "F16";
  if (owner != nullptr && two_bytes && (half || entry.dtype == "BF16") && address % alignof(std::uint16_t) == 0) {
    return Tensor::two_byte_view_of(owner, reinterpret_cast<const std::uint16_t*>(data),
                                    half ? NumberType::float16 : NumberType::bfloat16, shape, row_major_strides(shape),
                                    axes);
  }
  std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
  convert(data, values);
  return tensor_of_values(shape, std::move(values));
}

SafetensorsFile SafetensorsFile::open(const std::string& path) {
  SafetensorsFile file;
  file.file_ = MappedFile::open(path);
  file.header_ = parse_safetensors_header(file.file_->bytes(), path);
  file.file_->check_unchanged();
  return file;
}

const SafetensorsEntry* SafetensorsFile::find(const std::string& name) const {
  const auto& all = header_.entries;
  const auto at =
      std::lower_bound(all.begin(), all.end(), name,
                       [](const SafetensorsEntry& entry, const std::string& wanted) { return entry.name < wanted; });
  return at != all.end() && at->name == name ? &*at : nullptr;
}

Tensor SafetensorsFile::tensor(const SafetensorsEntry& entry) const {
  Tensor values = safetensors_tensor(file_->bytes(), header_, entry, path(), file_);
  file_->check_unchanged();
  return values;
}

Tensor SafetensorsFile::weight(const SafetensorsEntry& entry) const {
  Tensor values = safetensors_tensor(file_->bytes(), header_, entry, path(), file_, true);
  file_->check_unchanged();
  return values;
}

namespace {

std::string header_text(const std::vector<NamedTensorRef>& tensors,
                        const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::int64_t offset = 0;
  for (const NamedTensorRef& each : tensors) {
    HEADSCOPE_ASSERT(!header.contains(each.name) && each.name != "__metadata__", "the name '" + each.name + "' twice");
    nlohmann::ordered_json shape = nlohmann::ordered_json::array();
    for (const std::int64_t size : each.tensor->shape()) shape.push_back(size);
    const std::int64_t end = offset + 4 * each.tensor->size();
    header[each.name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = json_dump(header);
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

}  // namespace

void write_safetensors(std::ostream& out, const std::vector<NamedTensorRef>& tensors,
                       const std::map<std::string, std::string>& metadata, const CancelToken& cancel) {
  const std::string text = header_text(tensors, metadata);
  const std::uint64_t length = text.size();
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out << text;
  for (const NamedTensorRef& each : tensors) {
    for_each_block(*each.tensor, cancel, [&out](std::span<const float> values) {
      out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
    });
  }
}

std::int64_t safetensors_file_size(const std::vector<NamedTensorRef>& tensors,
                                   const std::map<std::string, std::string>& metadata) {
  auto size = static_cast<std::int64_t>(sizeof(std::uint64_t) + header_text(tensors, metadata).size());
  for (const NamedTensorRef& each : tensors) size += 4 * each.tensor->size();
  return size;
}

}  // namespace headscope
