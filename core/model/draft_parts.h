// Which tensors of a folder's files seem to be which parts of a model: what the draft of a map says of tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/model/family.h"
#include "core/model/weight_files.h"

namespace headscope {

struct DraftParts {
  struct Found {
    std::string pattern;                 // the tensor's name, with {layer}
    const TensorEntry* entry = nullptr;  // of the first layer
  };
  std::string layer_prefix;
  long num_layers = 0;
  std::map<std::string, Found> found;  // by the map's key: "query.weight"
  std::vector<std::string> left;       // tensors without a part, as a sentence names them
  bool experts = false;                // there is a mixture of experts
  const Family* like = nullptr;        // the family whose names these are; null: no one's
  std::vector<const Family*> others;   // that have the same names

  bool has(const std::string& key) const { return found.contains(key); }
  std::int64_t dim(const std::string& key, std::size_t axis) const;  // 0 where there is none
  // Whether matrices of layers are [in, out].
  bool in_out() const;
};

// `asked`: the family to go by, null for the one whose layers have all of the files' names.
DraftParts draft_parts(const WeightFiles& files, const Family* asked);

}  // namespace headscope
