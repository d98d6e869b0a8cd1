// The metadata that a GGUF file has of its architecture: keys are named without the architecture and the dot in front.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/io/gguf.h"
#include "core/model/gguf_names.h"

namespace headscope {

class GgufMetadata {
 public:
  // Both must outlive it.
  GgufMetadata(const GgufFile& file, const GgufArchitecture& row) : file_(file), row_(row) {}

  const GgufFile& file() const { return file_; }
  const GgufArchitecture& row() const { return row_; }
  std::string key(std::string_view name) const;  // "llama.block_count"

  // As those of GgufFile.
  std::optional<std::int64_t> whole(std::string_view name) const { return file_.whole(key(name)); }
  std::optional<double> number(std::string_view name) const { return file_.number(key(name)); }
  std::optional<bool> truth(std::string_view name) const { return file_.truth(key(name)); }
  std::optional<std::string_view> text(std::string_view name) const { return file_.text(key(name)); }
  // A whole number; a list of one a layer counts where all are the same. Error where they differ.
  std::optional<std::int64_t> size(std::string_view name) const;

  // Null where the file has no tensor of that name.
  const GgufTensor* tensor(std::string_view name) const;
  bool has_tensor(std::string_view name) const { return tensor(name) != nullptr; }

  // Throws Error: "PATH: the key KEY SENTENCE".
  [[noreturn]] void refuse(std::string_view name, const std::string& sentence) const;

 private:
  const GgufFile& file_;
  const GgufArchitecture& row_;
};

}  // namespace headscope
