// A file's bytes in memory, read-only, mapped.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headscope {

class MappingGuard;

class MappedFile {
 public:
  // Error when the file is missing, is a folder or cannot be mapped. An empty file gives no bytes; one of /proc, whose
  // size is 0, gives what reading it gives, at most 64 MB (Error beyond). When the file becomes shorter later, its lost
  // pages read as zeros: see check_unchanged().
  static std::shared_ptr<const MappedFile> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }
  // Throws Error when the file changed since it was opened: what was read of bytes() must not be used. Every reader
  // calls it after its last look at the bytes; for bytes that stay in use, check_mapped_files() is called.
  void check_unchanged() const;
  // Where the first byte at or after `offset` lies that the file system has stored; what lies before is a hole of the
  // file and reads as zeros. `offset` itself where the file system cannot tell, the file's size when nothing follows.
  std::size_t next_stored(std::size_t offset) const;

 private:
  MappedFile() = default;
  // Takes the bytes of a file that says its size is 0.
  void read_without_size(int file);
  std::string path_;
  std::vector<std::byte> read_;  // what was read instead of mapped
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::unique_ptr<MappingGuard> guard_;
  int file_ = -1;  // the descriptor, which the guard closes; -1 without one
};

// What a file of an unexpected format seems to be, judged by its first bytes, for messages: "a Git LFS pointer (run git
// lfs pull)", "an HTML page", "a zip archive (a PyTorch .pt file?)", "a PNG picture", "empty", or "" when nothing is
// recognised.
std::string describe_bytes(std::span<const std::byte> head);

}  // namespace headscope
