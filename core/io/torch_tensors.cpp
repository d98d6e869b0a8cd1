// The tensors of a file of torch.save, as they are read.
#include <cstring>
#include <mutex>
#include <utility>

#include "core/io/mapped_file.h"
#include "core/io/stored_numbers.h"
#include "core/io/torch_file.h"

namespace headscope {
namespace {

constexpr std::uint64_t kLargestChecked = std::uint64_t{256} << 20;

bool is_contiguous(const TorchTensor& tensor) {
  std::int64_t step = 1;
  for (std::size_t axis = tensor.shape.size(); axis > 0; --axis) {
    const std::int64_t size = tensor.shape[axis - 1];
    if (size != 1 && tensor.strides[axis - 1] != step) return false;
    step *= size;
  }
  return true;
}

// The numbers of a tensor row by row, `width` bytes each.
std::vector<std::byte> gathered(const std::byte* first, const TorchTensor& tensor, std::size_t width) {
  const std::size_t axes = tensor.shape.size();
  std::int64_t count = 1;
  for (const std::int64_t size : tensor.shape) count *= size;
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * width);
  std::vector<std::int64_t> index(axes, 0);
  std::int64_t from = 0;
  for (std::byte* to = bytes.data(); to != bytes.data() + bytes.size(); to += width) {
    std::memcpy(to, first + from * static_cast<std::int64_t>(width), width);
    for (std::size_t axis = axes; axis > 0; --axis) {
      from += tensor.strides[axis - 1];
      if (++index[axis - 1] < tensor.shape[axis - 1]) break;
      from -= tensor.strides[axis - 1] * tensor.shape[axis - 1];
      index[axis - 1] = 0;
    }
  }
  return bytes;
}

// What the tensors of an open file share.
struct OpenTorchFile {
  std::shared_ptr<const MappedFile> file;
  TorchContents contents;
  std::mutex mutex;
  std::vector<bool> checked;  // storages whose checksum was verified

  void check(std::size_t storage) {
    const TorchStoragePlace& place = contents.storages[storage];
    if (!place.member || place.bytes > kLargestChecked) return;
    {
      const std::lock_guard lock(mutex);
      if (checked[storage]) return;
    }
    stored_member(file->bytes(), *place.member, file->path());
    const std::lock_guard lock(mutex);
    checked[storage] = true;
  }
};

constexpr const char* kTorchFormat = "PyTorch";
// The entry of TensorFile::metadata that a file without names has here.
constexpr const char* kContainer = "container";

}  // namespace

bool has_names(const TensorFile& file) {
  return file.format != std::string_view(kTorchFormat) || !file.metadata.contains(kContainer);
}

Tensor torch_tensor(std::span<const std::byte> bytes, const TorchContents& contents, std::size_t k,
                    const std::string& what, const std::shared_ptr<const void>& owner, bool two_bytes) {
  const TorchTensor& tensor = contents.tensors[k];
  const auto width = static_cast<std::size_t>(dtype_bits(tensor.dtype) / 8);
  const std::size_t begin = contents.storages[contents.storage_of[k]].begin;
  const std::byte* const first = bytes.data() + begin + static_cast<std::size_t>(tensor.offset) * width;
  if (is_contiguous(tensor)) {
    return tensor_of_stored({tensor.name, tensor.dtype, tensor.shape, first, owner}, what, two_bytes);
  }
  const auto copy = std::make_shared<const std::vector<std::byte>>(gathered(first, tensor, width));
  return tensor_of_stored({tensor.name, tensor.dtype, tensor.shape, copy->data(), copy}, what, two_bytes);
}

TensorFile open_torch(const std::string& path) {
  const auto open = std::make_shared<OpenTorchFile>();
  open->file = MappedFile::open(path);
  open->contents = parse_torch(open->file->bytes(), path);
  open->file->check_unchanged();
  open->checked.resize(open->contents.storages.size());
  TensorFile tensors;
  tensors.path = path;
  tensors.format = kTorchFormat;
  tensors.metadata = std::move(open->contents.settings);
  tensors.metadata.erase(kContainer);
  if (!open->contents.named) {
    const bool only = open->contents.tensors.front().name == kOnlyTensor;
    tensors.metadata[kContainer] = only ? "one tensor without a name" : "a list of tensors without names";
  }
  for (const TorchTensor& tensor : open->contents.tensors) {
    std::int64_t bytes = dtype_bits(tensor.dtype) / 8;
    for (const std::int64_t size : tensor.shape) bytes *= size;
    tensors.entries.push_back({tensor.name, tensor.dtype, tensor.shape, static_cast<std::size_t>(bytes)});
  }
  tensors.read = [open](std::size_t k, bool two_bytes) {
    open->check(open->contents.storage_of[k]);
    Tensor tensor = torch_tensor(open->file->bytes(), open->contents, k, open->file->path(), open->file, two_bytes);
    open->file->check_unchanged();
    return tensor;
  };
  return tensors;
}

}  // namespace headscope
