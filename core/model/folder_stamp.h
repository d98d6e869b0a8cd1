// Whether files on disk are still those that were read: by size and time of change.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

struct FileStamp {
  std::uintmax_t size = 0;
  std::filesystem::file_time_type changed;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// Of a file that cannot be asked: one of its own kind, the same every time.
FileStamp file_stamp(const std::string& path);

// Of the files of a checkpoint: configuration, tokenizer, and all that ends like weights.
class FolderStamp {
 public:
  // A folder, or demo:NAME; UsageError for a demo that is not there.
  explicit FolderStamp(const std::string& path_or_demo);
  bool unchanged() const;

 private:
  std::string folder_;
  std::vector<std::pair<std::string, FileStamp>> files_;
};

}  // namespace headscope
