#include "core/export/dump_tensors.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "core/io/npy.h"
#include "core/io/npz.h"
#include "core/io/tensor_file.h"
#include "core/io/tensor_formats.h"

namespace headscope {
namespace {

void add_folder(const std::string& path, std::vector<DumpEntry>& entries) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().extension() == ".npy") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    entries.push_back({file.stem().string(), [name = file.string()] { return read_npy(name).tensor; }});
  }
}

void add_npz(const std::string& path, std::vector<DumpEntry>& entries) {
  for (const NpzEntry& entry : read_npz(path)) {
    if (entry.holds_numbers()) entries.push_back({entry.name, [entry] { return parse_npz_array(entry).tensor; }});
  }
}

void add_tensor_file(const std::string& path, std::vector<DumpEntry>& entries) {
  const auto file = std::make_shared<const TensorFile>(open_tensor_file(path));
  for (std::size_t k = 0; k < file->entries.size(); ++k) {
    entries.push_back({file->entries[k].name, [file, k] { return file->read(k, false); }});
  }
}

}  // namespace

std::vector<DumpEntry> dump_entries(std::span<const std::string> paths) {
  std::vector<DumpEntry> entries;
  std::error_code ignored;
  for (const std::string& path : paths) {
    if (std::filesystem::is_directory(path, ignored)) {
      add_folder(path, entries);
    } else if (path.ends_with(".npz")) {
      add_npz(path, entries);
    } else {
      add_tensor_file(path, entries);
    }
  }
  return entries;
}

}  // namespace headscope
