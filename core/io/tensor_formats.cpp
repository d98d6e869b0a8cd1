#include "core/io/tensor_formats.h"

#include <cstddef>
#include <span>

#include "core/base/error.h"
#include "core/base/file_name.h"
#include "core/io/mapped_file.h"
#include "core/io/torch_file.h"

namespace headscope {
namespace {

// Formats other than safetensors: what their files begin with, and what opens one.
struct TensorFormat {
  bool (*begins_like)(std::span<const std::byte> bytes);
  TensorFile (*open)(const std::string& path);
};

constexpr TensorFormat kFormats[] = {
    {begins_like_torch, open_torch},
};

}  // namespace

std::string unread_format(const std::string& path) {
  if (!has_ending(path, ".onnx")) return "";
  return "an ONNX model, whose weights are not read; open the model that it was exported from, saved by "
         "save_pretrained, "
         "safetensors or torch.save";
}

TensorFile open_tensor_file(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (const std::string unread = unread_format(path); !unread.empty()) throw Error(path + ": " + unread);
  for (const TensorFormat& format : kFormats) {
    if (format.begins_like(file->bytes())) return format.open(path);
  }
  return open_safetensors(path);
}

}  // namespace headscope
