// The entries of a folder, for the in-app file browser.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

struct FolderEntry {
  std::string name;
  bool is_folder = false;
  std::int64_t bytes = 0;  // of a file
  friend bool operator==(const FolderEntry&, const FolderEntry&) = default;
};

struct FolderListing {
  std::string path;                  // absolute, without a trailing slash (but "/")
  std::vector<FolderEntry> entries;  // folders first, then by name without regard to case; hidden ones left out
  std::int64_t left_out = 0;         // files of other kinds, and entries beyond the limit
  std::string problem;               // why it could not be read, or ""
};

// Files are listed when their name ends in one of `endings` (".json"); all when it is empty. At most 5,000 entries.
FolderListing list_folder(const std::string& path, const std::vector<std::string>& endings);

// The folder above; of "/" itself.
std::string parent_folder(const std::string& path);

// $HOME when it is an absolute path, else the home folder in the system's list of users; "" when there is neither.
std::string known_home();

// The same, else the current folder.
std::string home_folder();

// The first folder for exports: ~/Pictures when it exists, else home.
std::string default_export_folder();

// The path with the home folder shortened to ~, and back.
std::string short_path(const std::string& path);
std::string expanded_path(const std::string& path);

}  // namespace headscope
