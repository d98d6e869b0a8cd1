// A file that holds tensors by name, whatever its format: all that readers of weights need to know of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"

namespace headscope {

struct TensorEntry {
  std::string name;
  std::string dtype;                // "F32", "BF16", "I64", ...: as safetensors calls it; other formats' own types else
  std::vector<std::int64_t> shape;  // any rank; a linear map is [out, in] unless its model says otherwise
  std::size_t bytes = 0;            // that its numbers take in the file
};

struct TensorFile {
  std::string path;
  const char* format = "";           // "safetensors", "PyTorch": for messages
  std::vector<TensorEntry> entries;  // sorted by name, every name once
  std::map<std::string, std::string> metadata;
  // The numbers of entries[k], read now or when they are looked at. float32; with `two_bytes`, F16 and BF16 keep their
  // two bytes a number where they can, for weights, whose kernels read them so. Safe from any thread. Throws Error for
  // dtypes that are not read.
  std::function<Tensor(std::size_t k, bool two_bytes)> read;

  // The entry of that name; null when there is none.
  const TensorEntry* find(const std::string& name) const;
  // As float32, or as weights are used; `entry` is one of `entries`.
  Tensor tensor(const TensorEntry& entry) const { return read(place_of(entry), false); }
  Tensor weight(const TensorEntry& entry) const { return read(place_of(entry), true); }

 private:
  std::size_t place_of(const TensorEntry& entry) const;
};

// A safetensors file, mapped. Throws Error.
TensorFile open_safetensors(const std::string& path);

}  // namespace headscope
