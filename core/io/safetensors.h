// safetensors files: https://github.com/huggingface/safetensors (format section of its README).
#pragma once

#include <map>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/io/mapped_file.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct SafetensorsEntry {
  std::string name;
  std::string dtype;                // "F32", "BF16", "I64", ...
  std::vector<std::int64_t> shape;  // any rank
  std::size_t begin = 0, end = 0;   // bytes within the data section
};

// The header, which stands in front of the values.
struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // sorted by name
  std::map<std::string, std::string> metadata;
  std::size_t data_begin = 0;  // of the data section within the file
};

// The header is not trusted. It must have at most 100,000,000 bytes, offsets inside the file, no overlap, no hole, the
// last tensor end at the end of the file, shape times dtype equal the byte count, and unique names. Error says which
// rule is broken. `bytes` is the whole file, `what` its name in errors.
SafetensorsHeader parse_safetensors_header(std::span<const std::byte> bytes, const std::string& what);

// The values of one tensor of `bytes`, a file whose header was parsed. See SafetensorsFile::tensor; without an `owner`,
// which keeps `bytes` alive, the values are always copied. With `two_bytes`, F16 and BF16 keep their two bytes a number
// (see SafetensorsFile::weight).
Tensor safetensors_tensor(std::span<const std::byte> bytes, const SafetensorsHeader& header,
                          const SafetensorsEntry& entry, const std::string& what,
                          const std::shared_ptr<const void>& owner = {}, bool two_bytes = false);

class SafetensorsFile {
 public:
  static SafetensorsFile open(const std::string& path);
  const std::vector<SafetensorsEntry>& entries() const { return header_.entries; }  // sorted by name
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  // The entry of that name; null when there is none.
  const SafetensorsEntry* find(const std::string& name) const;
  // As float32: F32 is a view of the mapped file (when aligned), F16 and BF16 are converted exactly, F64 rounded.
  // Integer and bool dtypes are converted too. A scalar reads as [1]. Error for other dtypes and for more than 5 axes.
  Tensor tensor(const SafetensorsEntry& entry) const;
  // The same, but F16 and BF16 stay two bytes a number (when aligned): for weights, whose kernels read two-byte
  // numbers.
  Tensor weight(const SafetensorsEntry& entry) const;
  const std::string& path() const { return file_->path(); }

 private:
  std::shared_ptr<const MappedFile> file_;
  SafetensorsHeader header_;
};

struct NamedTensorRef {
  std::string name;
  const Tensor* tensor;
};
// F32, in the order given, 8-byte aligned header. Streams.
void write_safetensors(std::ostream& out, const std::vector<NamedTensorRef>& tensors,
                       const std::map<std::string, std::string>& metadata, const CancelToken& cancel = {});

// The size in bytes of the file that write_safetensors writes for them.
std::int64_t safetensors_file_size(const std::vector<NamedTensorRef>& tensors,
                                   const std::map<std::string, std::string>& metadata);

}  // namespace headscope
