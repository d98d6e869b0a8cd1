// Pickles and files of torch.save by hand, right and wrong.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/io/npz_files.h"

namespace headscope::test {

inline std::string pickled_text(const std::string& text) {
  std::string bytes = "X";
  put_number(bytes, static_cast<std::uint32_t>(text.size()));
  return bytes + text;
}

inline std::string pickled_whole(std::int64_t value) {
  std::string bytes = "\x8a\x08";
  put_number(bytes, value);
  return bytes;
}

inline std::string pickled_tuple(const std::vector<std::string>& items) {
  std::string bytes = "(";
  for (const std::string& item : items) bytes += item;
  return bytes + "t";
}

inline std::string pickled_wholes(const std::vector<std::int64_t>& values) {
  std::vector<std::string> items;
  for (const std::int64_t value : values) items.push_back(pickled_whole(value));
  return pickled_tuple(items);
}

inline std::string pickled_name(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}

inline std::string pickled_call(const std::string& name, const std::vector<std::string>& arguments) {
  return name + pickled_tuple(arguments) + "R";
}

inline std::string pickled_dict(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string bytes = "}(";
  for (const auto& [key, value] : items) bytes += pickled_text(key) + value;
  return bytes + "u";
}

inline std::string pickled(const std::string& value) {
  return "\x80\x02" + value + ".";
}

struct PickledTensor {
  std::vector<std::int64_t> shape, strides;
  std::int64_t offset = 0;
  std::int64_t numbers = 0;  // of its storage
  std::string key = "0";
  std::string type = "FloatStorage";
  std::string view = {};  // what stands behind these in the storage's id
};

inline std::string pickled_storage(const PickledTensor& tensor) {
  std::vector<std::string> id = {pickled_text("storage"), pickled_name("torch", tensor.type), pickled_text(tensor.key),
                                 pickled_text("cpu"), pickled_whole(tensor.numbers)};
  if (!tensor.view.empty()) id.push_back(tensor.view);
  return pickled_tuple(id) + "Q";
}

inline std::string pickled_tensor(const PickledTensor& tensor) {
  return pickled_call(pickled_name("torch._utils", "_rebuild_tensor_v2"),
                      {pickled_storage(tensor), pickled_whole(tensor.offset), pickled_wholes(tensor.shape),
                       pickled_wholes(tensor.strides), "\x89", pickled_name("collections", "OrderedDict") + ")R"});
}

using PickledStorages = std::vector<std::pair<std::string, std::string>>;  // key, bytes

// As PyTorch from 1.6 on.
inline std::string torch_archive(const std::string& pickle, const PickledStorages& storages) {
  std::vector<ZipFile> files = {{"archive/data.pkl", pickle}};
  for (const auto& [key, bytes] : storages) files.push_back({"archive/data/" + key, bytes});
  files.push_back({"archive/version", "3\n"});
  return zip_of(files);
}

// As before; `width` bytes a number.
inline std::string legacy_torch_file(const std::string& pickle, const PickledStorages& storages,
                                     std::size_t width = 4) {
  std::string bytes = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
  bytes += pickled("M\xe9\x03") + pickled(pickled_dict({{"little_endian", "\x88"}})) + pickle;
  std::string keys = "](";
  for (const auto& [key, content] : storages) keys += pickled_text(key);
  bytes += pickled(keys + "e");
  for (const auto& [key, content] : storages) {
    put_number(bytes, static_cast<std::int64_t>(content.size() / width));
    bytes += content;
  }
  return bytes;
}

}  // namespace headscope::test
