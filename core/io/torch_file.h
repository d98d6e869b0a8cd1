// Files of torch.save: a zip archive of a pickle and of storages (PyTorch from 1.6 on), or pickles with the storages
// behind them (before). Tensors are views of the mapped file where their numbers lie as they are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/io/tensor_file.h"
#include "core/io/torch_pickle.h"
#include "core/io/zip_archive.h"

namespace headscope {

// Where the numbers of a storage lie in the file.
struct TorchStoragePlace {
  std::size_t begin = 0, bytes = 0;
  std::optional<ZipMember> member;  // in an archive: it has a checksum
};

struct TorchContents {
  std::vector<TorchTensor> tensors;     // sorted by name
  bool named = true;                    // false: one tensor or a list of them (unnamed_torch_tensors)
  std::vector<std::size_t> storage_of;  // of every tensor: its place in `storages`
  std::vector<TorchStoragePlace> storages;
  std::map<std::string, std::string> settings;  // what else the file says, as JSON (settings_of_pickle)
};

// The file is not trusted. An archive has one folder with all members in it, none compressed, and data.pkl; every
// storage lies in the file whole, and every tensor in its storage. Throws Error that names what is wrong, for anything
// else, and for big-endian files and those of torch.jit.save. `what` is the file's name in errors.
TorchContents parse_torch(std::span<const std::byte> bytes, const std::string& what);

// Whether a file that begins so is for this reader: a zip archive or a Python pickle.
bool begins_like_torch(std::span<const std::byte> bytes);

// Whether a zip archive is one of torch.save, judged by the name of its first member.
bool is_torch_archive(std::span<const std::byte> bytes);

// The numbers of one tensor; as TensorFile::read. Numbers that do not lie row by row without gaps are copied. Without
// an `owner`, which keeps `bytes` alive, all are.
Tensor torch_tensor(std::span<const std::byte> bytes, const TorchContents& contents, std::size_t k,
                    const std::string& what, const std::shared_ptr<const void>& owner = {}, bool two_bytes = false);

// The same of a file, which is mapped. The checksum of a storage of at most 256 MiB is verified when the first of its
// tensors is read; larger ones are not, so that a look at a few rows of a table does not read all of it.
TensorFile open_torch(const std::string& path);

// Whether the tensors of an open file, in whatever format, have names of their own. False of a file of torch.save that
// is one tensor, which is called kOnlyTensor, or a list, whose tensors are called by their places.
bool has_names(const TensorFile& file);

}  // namespace headscope
