// Files of torch.save without names: one tensor, or a list or tuple of tensors.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/io/io_helpers.h"
#include "tests/core/io/pickle_files.h"

namespace headscope::test {

struct SavedTensor {
  std::vector<std::int64_t> shape;
  std::vector<float> values;  // row by row
};

// A tensor of storage `key`, and its bytes there.
inline std::string pickled_saved(const SavedTensor& tensor, const std::string& key, PickledStorages& storages) {
  std::vector<std::int64_t> strides(tensor.shape.size(), 1);
  for (std::size_t axis = tensor.shape.size(); axis > 1; --axis) {
    strides[axis - 2] = strides[axis - 1] * tensor.shape[axis - 1];
  }
  std::string bytes;
  for (const float value : tensor.values) put_number(bytes, value);
  storages.emplace_back(key, bytes);
  return pickled_tensor({.shape = tensor.shape,
                         .strides = strides,
                         .numbers = static_cast<std::int64_t>(tensor.values.size()),
                         .key = key});
}

inline std::string saved_tensor(const SavedTensor& tensor) {
  PickledStorages storages;
  const std::string pickle = pickled_saved(tensor, "0", storages);
  return torch_archive(pickled(pickle), storages);
}

inline std::string saved_list(const std::vector<SavedTensor>& tensors, bool as_tuple = false) {
  PickledStorages storages;
  std::vector<std::string> items;
  for (const SavedTensor& each : tensors) {
    items.push_back(pickled_saved(each, std::to_string(items.size()), storages));
  }
  std::string list = "](";
  for (const std::string& item : items) list += item;
  return torch_archive(pickled(as_tuple ? pickled_tuple(items) : list + "e"), storages);
}

inline std::string saved_dict(const std::vector<std::pair<std::string, SavedTensor>>& tensors) {
  PickledStorages storages;
  std::vector<std::pair<std::string, std::string>> items;
  for (const auto& [name, tensor] : tensors) {
    items.emplace_back(name, pickled_saved(tensor, std::to_string(items.size()), storages));
  }
  return torch_archive(pickled(pickled_dict(items)), storages);
}

}  // namespace headscope::test
