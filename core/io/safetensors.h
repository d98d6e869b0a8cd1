// safetensors files: https://github.com/huggingface/safetensors (format section of its README).
#pragma once

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "core/cancel.h"
#include "core/io/mapped_file.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct SafetensorsEntry {
  std::string name;
  std::string dtype;                // "F32", "BF16", "I64", ...
  std::vector<std::int64_t> shape;  // any rank
  std::size_t begin = 0, end = 0;   // bytes within the data section
};

// The header is hostile: at most 100,000,000 bytes, offsets inside the file, no overlap, no hole, the end of the last
// tensor is the end of the file, shape times dtype equals the byte count, names unique. Error says which rule broke.
class SafetensorsFile {
 public:
  static SafetensorsFile open(const std::string& path);
  const std::vector<SafetensorsEntry>& entries() const { return entries_; }  // sorted by name
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const SafetensorsEntry* find(const std::string& name) const;
  // As float32: F32 is a view of the mapped file (when aligned), F16 and BF16 are converted exactly, F64 rounded.
  // Integer and bool dtypes are converted too. Error for other dtypes and for more than 5 axes.
  Tensor tensor(const SafetensorsEntry& entry) const;
  const std::string& path() const;

 private:
  std::shared_ptr<const MappedFile> file_;
  std::size_t data_begin_ = 0;
  std::vector<SafetensorsEntry> entries_;
  std::map<std::string, std::string> metadata_;
};

struct NamedTensorRef {
  std::string name;
  const Tensor* tensor;
};
// F32, in the order given, 8-byte aligned header. Streams.
void write_safetensors(std::ostream& out, const std::vector<NamedTensorRef>& tensors,
                       const std::map<std::string, std::string>& metadata, const CancelToken& cancel = {});

}  // namespace headscope
