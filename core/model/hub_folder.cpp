#include "core/model/hub_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/mapped_file.h"
#include "core/model/config_reader.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "models--";
constexpr std::string_view kBetween = "--";
constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// The part of a name that is a folder's or a model's: nothing that leads elsewhere.
bool is_plain(std::string_view part) {
  return !part.empty() && part.size() <= 200 && part.find_first_not_of(kLetters) == part.npos &&
         part.find_first_not_of('.') != part.npos;
}

// What refs/main says; "" without it.
std::string commit_of_main(const fs::path& folder) {
  const fs::path path = folder / "refs" / "main";
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return "";
  const auto file = MappedFile::open(path.string());
  std::string text(reinterpret_cast<const char*>(file->bytes().data()),
                   std::min<std::size_t>(file->bytes().size(), 300));
  file->check_unchanged();
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  return is_plain(text) ? text : "";
}

std::vector<std::string> snapshots_of(const fs::path& folder) {
  constexpr std::size_t kMost = 1000;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder / "snapshots", error), end; !error && at != end && names.size() < kMost;
       at.increment(error)) {
    if (is_folder(at->path())) names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The one that changed last; "" where two did at the same time.
std::string newest_of(const fs::path& snapshots, const std::vector<std::string>& names) {
  std::vector<std::pair<fs::file_time_type, std::string>> times;
  for (const std::string& name : names) {
    std::error_code error;
    times.emplace_back(fs::last_write_time(snapshots / name, error), name);
    if (error) return "";
  }
  std::sort(times.begin(), times.end());
  const bool alike = times.size() > 1 && times[times.size() - 2].first == times.back().first;
  return alike ? "" : times.back().second;
}

// Without a slash at its end.
fs::path folder_path(const std::string& path) {
  const fs::path folder(path);
  return folder.filename().empty() ? folder.parent_path() : folder;
}

}  // namespace

std::string hub_folder_name(const std::string& model) {
  const std::size_t slash = model.find('/');
  const bool whole = slash == model.npos;
  const std::string name = whole ? model : model.substr(slash + 1);
  if (!is_plain(name) || (!whole && !is_plain(model.substr(0, slash)))) return "";
  return std::string(kBegin) + (whole ? "" : model.substr(0, slash) + std::string(kBetween)) + name;
}

bool is_hub_folder(const std::string& folder) {
  const fs::path path = fs::path(folder).lexically_normal();
  return folder_path(path.string()).filename().string().starts_with(kBegin) && is_folder(path / "snapshots");
}

std::string hub_snapshot(const std::string& folder) {
  const fs::path path = folder_path(folder);
  const std::vector<std::string> names = snapshots_of(path);
  const std::string main = commit_of_main(path);
  if (std::find(names.begin(), names.end(), main) != names.end()) return (path / "snapshots" / main).string();
  if (names.size() == 1) return (path / "snapshots" / names.front()).string();
  if (names.empty()) throw Error(folder + ": holds no snapshot; expected one in its folder snapshots");
  const std::string newest = newest_of(path / "snapshots", names);
  if (!newest.empty()) return (path / "snapshots" / newest).string();
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(shortened(name));
  throw Error(fmt::format(
      "{}: refs/main names none of its {} snapshots, and the newest have one time; expected the path of one of "
      "them: {}",
      folder, names.size(), first_ten(shown)));
}

std::string hub_model_name(const std::string& path) {
  const fs::path snapshot = folder_path(fs::path(path).lexically_normal().string());
  if (snapshot.parent_path().filename() != "snapshots") return "";
  const std::string folder = snapshot.parent_path().parent_path().filename().string();
  if (!folder.starts_with(kBegin)) return "";
  const std::string name = folder.substr(kBegin.size());
  const std::size_t between = name.find(kBetween);
  return between == name.npos ? name : name.substr(0, between) + "/" + name.substr(between + kBetween.size());
}

}  // namespace headscope
