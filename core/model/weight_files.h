// The files of weights of a checkpoint folder as one list of tensors.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/io/json_text.h"
#include "core/io/tensor_file.h"

namespace headscope {

class WeightFiles {
 public:
  struct Place {
    const TensorFile* file;
    const TensorEntry* entry;
  };

  // model.safetensors, or the shards that model.safetensors.index.json names, which all lie in the folder itself; or
  // else the same of pytorch_model.bin; or else the one .pt or .pth of the folder, what training keeps of its optimizer
  // aside. Maps them and reads their headers. Throws Error that says what the folder holds instead, which shard is
  // missing, or which tensors the index names that are not in their shard.
  static WeightFiles open(const std::string& folder);

  // The tensors of one file.
  static WeightFiles of(TensorFile file);

  // Makes a tensor known by another name as well, which all() does not list; false where no file holds `tensor`.
  bool name_also(const std::string& name, const std::string& tensor);

  // A tensor that no file holds as it is used: another shape or order of the numbers of others, or several in one.
  struct Made {
    TensorEntry entry;  // whose name none of the files has, unless it is one of `of`; `bytes` 0: no file holds numbers
    std::vector<std::string> of;                 // the tensors that it is made of
    std::function<Tensor(bool two_bytes)> read;  // as TensorFile::read
  };
  // Puts it in the place of the tensors that it is made of, which are no longer known; and under `known_as` as well,
  // where that is not "". What `of` names lies in these files.
  void put(Made made, const std::string& known_as = "");

  // Null when no file holds it.
  const Place* find(const std::string& name) const;
  const std::map<std::string, Place>& all() const { return places_; }
  const std::vector<std::string>& names() const { return names_; }  // of the files

 private:
  using Open = TensorFile (*)(const std::string& path);
  void add(const std::string& folder, const std::string& name, Open open_file);
  void add_shards(const std::string& folder, const std::string& index_name, Open open_file);
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<const TensorFile>> files_;
  std::map<std::string, Place> places_;
  std::map<std::string, Place> other_names_;
};

// Tensor and file name of every line of the weight_map of a model.safetensors.index.json, in its order. Throws Error
// when the text is no such index, names no tensor, or names a file outside of the folder.
std::vector<std::pair<std::string, std::string>> parse_weight_index(std::string_view json, const std::string& what);

// The text of a small JSON file in a checkpoint folder. Throws Error when it is missing or is no JSON; then it names
// what the file seems to be (a Git LFS pointer, an HTML page).
std::string read_json_text(const std::string& path);

// The value of a config.json, which may hold numbers as Python writes them (core/io/python_json.h).
JsonValue read_config_json(const std::string& path);

}  // namespace headscope
