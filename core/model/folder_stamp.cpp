#include "core/model/folder_stamp.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "core/model/demo_checkpoints.h"
#include "core/request/model_text.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 4096;  // a folder with more of them is not looked through to its end

bool belongs_to_checkpoint(const fs::path& path) {
  constexpr std::array<std::string_view, 7> endings = {".json", ".safetensors", ".txt", ".bin", ".pt", ".pth", ".gguf"};
  return std::find(endings.begin(), endings.end(), path.extension().string()) != endings.end();
}

void add_stamps(const std::string& folder, std::vector<std::pair<std::string, FileStamp>>& to) {
  std::vector<std::pair<std::string, FileStamp>> files;
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    to.emplace_back(folder, file_stamp(folder));
    return;
  }
  for (fs::directory_iterator entry(folder, ignored), end; entry != end && files.size() < kMostFiles;
       entry.increment(ignored)) {
    if (belongs_to_checkpoint(entry->path())) {
      files.emplace_back(entry->path().string(), file_stamp(entry->path().string()));
    }
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  to.insert(to.end(), files.begin(), files.end());
}

// Of a model and its adapters.
std::vector<std::pair<std::string, FileStamp>> stamps_of(const std::string& model) {
  std::vector<std::pair<std::string, FileStamp>> files;
  const std::string base = base_of_model(model);
  add_stamps(base.starts_with("demo:") ? demo_folder(base.substr(5)) : base, files);
  for (const AdapterUse& adapter : acting_adapters(model)) add_stamps(adapter.folder, files);
  return files;
}

}  // namespace

FileStamp file_stamp(const std::string& path) {
  // A file that cannot be asked is left to its reader, which says what is wrong with it.
  std::error_code ignored;
  FileStamp stamp;
  stamp.size = fs::file_size(path, ignored);
  stamp.changed = fs::last_write_time(path, ignored);
  return stamp;
}

FolderStamp::FolderStamp(const std::string& path_or_demo) : folder_(path_or_demo), files_(stamps_of(folder_)) {}

bool FolderStamp::unchanged() const {
  return stamps_of(folder_) == files_;
}

}  // namespace headscope
