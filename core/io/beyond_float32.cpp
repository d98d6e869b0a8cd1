#include "core/io/beyond_float32.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>

#include "core/io/bytes.h"
#include "core/io/mapped_file.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/io/torch_file.h"

namespace headscope {
namespace {

// The largest float32 and half of its last digit: from here on numbers are rounded to infinity.
constexpr double kBeyond = 0x1.ffffffp127;

std::optional<double> beyond(std::span<const std::byte> doubles, bool swapped) {
  std::optional<double> largest;
  for (std::size_t at = 0; at + sizeof(double) <= doubles.size(); at += sizeof(double)) {
    const auto value = load<double>(doubles.data() + at, swapped);
    const bool is_beyond = std::isfinite(value) && std::abs(value) >= kBeyond;
    if (is_beyond && (!largest || std::abs(value) > std::abs(*largest))) largest = value;
  }
  return largest;
}

}  // namespace

std::optional<double> beyond_float32_of_npy(std::span<const std::byte> bytes, const std::string& what) {
  const NpyHeader header = read_npy_header(bytes, what);
  if (!header.descr.ends_with("f8")) return std::nullopt;
  return beyond(bytes.subspan(header.data_offset), header.descr.starts_with('>'));
}

std::optional<double> beyond_float32_of_npy_file(const std::string& path) {
  const std::shared_ptr<const MappedFile> mapped = MappedFile::open(path);
  return beyond_float32_of_npy(mapped->bytes(), path);
}

std::optional<double> beyond_float32_of_tensor(const TensorFile& file, const TensorEntry& entry) {
  if (entry.dtype != "F64") return std::nullopt;
  const std::shared_ptr<const MappedFile> mapped = MappedFile::open(file.path);
  const auto is_it = [&](const auto& each) { return each.name == entry.name; };
  if (std::string_view(file.format) == "safetensors") {
    const SafetensorsHeader header = parse_safetensors_header(mapped->bytes(), file.path);
    const auto found = std::find_if(header.entries.begin(), header.entries.end(), is_it);
    if (found == header.entries.end()) return std::nullopt;
    return beyond(mapped->bytes().subspan(header.data_begin + found->begin, found->end - found->begin), false);
  }
  if (!begins_like_torch(mapped->bytes())) return std::nullopt;
  const TorchContents contents = parse_torch(mapped->bytes(), file.path);
  const auto found = std::find_if(contents.tensors.begin(), contents.tensors.end(), is_it);
  if (found == contents.tensors.end()) return std::nullopt;
  const auto k = static_cast<std::size_t>(found - contents.tensors.begin());
  const TorchStoragePlace& place = contents.storages[contents.storage_of[k]];
  return beyond(mapped->bytes().subspan(place.begin, place.bytes), false);
}

}  // namespace headscope
