#include "core/io/tensor_file.h"

#include <algorithm>
#include <memory>

#include "core/base/assert.h"
#include "core/io/safetensors.h"

namespace headscope {
const TensorEntry* TensorFile::find(const std::string& name) const {
  const auto at =
      std::lower_bound(entries.begin(), entries.end(), name,
                       [](const TensorEntry& entry, const std::string& wanted) { return entry.name < wanted; });
  return at != entries.end() && at->name == name ? &*at : nullptr;
}

std::size_t TensorFile::place_of(const TensorEntry& entry) const {
  const auto place = static_cast<std::size_t>(&entry - entries.data());
  HEADSCOPE_ASSERT(place < entries.size(), "an entry of another file: " + entry.name);
  return place;
}

TensorFile open_safetensors(const std::string& path) {
  const auto file = std::make_shared<const SafetensorsFile>(SafetensorsFile::open(path));
  TensorFile tensors;
  tensors.path = path;
  tensors.format = "safetensors";
  tensors.metadata = file->metadata();
  for (const SafetensorsEntry& entry : file->entries()) {
    tensors.entries.push_back({entry.name, entry.dtype, entry.shape, entry.end - entry.begin});
  }
  tensors.read = [file](std::size_t k, bool two_bytes) {
    const SafetensorsEntry& entry = file->entries()[k];
    return two_bytes ? file->weight(entry) : file->tensor(entry);
  };
  return tensors;
}

}  // namespace headscope
