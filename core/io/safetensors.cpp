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
#include "core/io/stored_numbers.h"
#include "core/io/tensor_blocks.h"

namespace headscope {

Tensor safetensors_tensor(std::span<const std::byte> bytes, const SafetensorsHeader& header,
                          const SafetensorsEntry& entry, const std::string& what,
                          const std::shared_ptr<const void>& owner, bool two_bytes) {
  const std::byte* data = bytes.data() + header.data_begin + entry.begin;
  return tensor_of_stored({entry.name, entry.dtype, entry.shape, data, owner}, what, two_bytes);
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
