// The safetensors files of a checkpoint folder as one list of tensors.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/io/safetensors.h"

namespace headscope {

class WeightFiles {
 public:
  struct Place {
    const SafetensorsFile* file;
    const SafetensorsEntry* entry;
  };

  // model.safetensors, or else the shards that model.safetensors.index.json names, which all lie in the folder itself.
  // Maps them and reads their headers. Throws Error that says what the folder holds instead, which shard is missing, or
  // which tensors the index names that are not in their shard.
  static WeightFiles open(const std::string& folder);

  // Null when no file holds it.
  const Place* find(const std::string& name) const;
  const std::map<std::string, Place>& all() const { return places_; }
  const std::vector<std::string>& names() const { return names_; }  // of the files

 private:
  void add(const std::string& folder, const std::string& name);
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<const SafetensorsFile>> files_;
  std::map<std::string, Place> places_;
};

// Tensor and file name of every line of a model.safetensors.index.json's weight_map, in its order. Throws Error when
// the text is no such index, names no tensor, or names a file outside of the folder.
std::vector<std::pair<std::string, std::string>> parse_weight_index(std::string_view json, const std::string& what);

// The text of a small JSON file in a checkpoint folder. Throws Error when it is missing or is no JSON; then it names
// what the file seems to be (a Git LFS pointer, an HTML page).
std::string read_json_text(const std::string& path);

}  // namespace headscope
