// Whether files on disk have changed since they were read, judged by size and time of change.
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

// The stamp of a file. Of a file whose state cannot be read: a fixed value that no real file has.
FileStamp file_stamp(const std::string& path);

// The stamps of a checkpoint's files: configuration, tokenizer, and all files whose names end like weights; or of the
// one file that it is (GGUF).
class FolderStamp {
 public:
  // A folder, a file, or demo:NAME; UsageError for an unknown demo.
  explicit FolderStamp(const std::string& path_or_demo);
  bool unchanged() const;

 private:
  std::string folder_;
  std::vector<std::pair<std::string, FileStamp>> files_;
};

}  // namespace headscope
