#include "app/session/folder_listing.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/base/file_name.h"
#include "core/base/system/machine.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostEntries = 5000;

bool ends_like(const std::string& name, const std::vector<std::string>& endings) {
  return endings.empty() || std::any_of(endings.begin(), endings.end(),
                                        [&](const std::string& ending) { return has_ending(name, ending); });
}

// Of ASCII letters alone.
std::string in_lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

}  // namespace

FolderListing list_folder(const std::string& path, const std::vector<std::string>& endings) {
  FolderListing listing;
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(expanded_path(path), error);
  listing.path = error ? path : folder.string();
  fs::directory_iterator entries(folder, error);
  if (error) {
    listing.problem = listing.path + ": " + error.message();
    return listing;
  }
  for (; entries != fs::directory_iterator(); entries.increment(error)) {
    if (error) {
      listing.problem = listing.path + ": " + error.message();
      break;
    }
    FolderEntry entry;
    entry.name = entries->path().filename().string();
    if (entry.name.empty() || entry.name.front() == '.') continue;
    std::error_code ignored;
    entry.is_folder = entries->is_directory(ignored);
    if (!entry.is_folder && (!entries->is_regular_file(ignored) || !ends_like(entry.name, endings))) {
      ++listing.left_out;
      continue;
    }
    if (listing.entries.size() >= kMostEntries) {
      ++listing.left_out;
      continue;
    }
    if (!entry.is_folder) entry.bytes = static_cast<std::int64_t>(entries->file_size(ignored));
    listing.entries.push_back(std::move(entry));
  }
  std::sort(listing.entries.begin(), listing.entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
    if (a.is_folder != b.is_folder) return a.is_folder;
    const std::string first = in_lower_case(a.name), second = in_lower_case(b.name);
    return first != second ? first < second : a.name < b.name;
  });
  return listing;
}

std::string parent_folder(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? "/" : parent.string();
}

std::string known_home() {
  return system::home_of_user();
}

std::string home_folder() {
  if (const std::string home = known_home(); !home.empty()) return home;
  std::error_code ignored;
  return fs::current_path(ignored).string();
}

std::string default_export_folder() {
  std::error_code ignored;
  const std::string pictures = home_folder() + "/Pictures";
  return fs::is_directory(pictures, ignored) ? pictures : home_folder();
}

std::string short_path(const std::string& path) {
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') {
    const std::string prefix = home;
    if (path == prefix) return "~";
    if (path.size() > prefix.size() && path.compare(0, prefix.size(), prefix) == 0 && path[prefix.size()] == '/')
      return '~' + path.substr(prefix.size());
  }
  return path;
}

std::string expanded_path(const std::string& path) {
  const char* home = std::getenv("HOME");
  if (home != nullptr && (path == "~" || path.rfind("~/", 0) == 0)) return home + path.substr(1);
  return path;
}

}  // namespace headscope
