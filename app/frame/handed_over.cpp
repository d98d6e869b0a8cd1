#include "app/frame/handed_over.h"

#include <fmt/format.h>

#include <charconv>
#include <exception>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/base/error.h"
#include "core/base/system/files.h"
#include "core/base/system/machine.h"
#include "core/io/atomic_file.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFiles = "shown-";
constexpr std::size_t kMostMark = 1024;
constexpr unsigned kOwnerAlone = 0700;

std::string mark_text(std::int64_t process) {
  return fmt::format("headscope {} {}\n", system::machine_name(), process);
}

std::string mark_of(const std::string& folder) {
  return folder + "/" + kHandedOverMark;
}

bool is_own(const std::string& path, system::EntryKind kind) {
  const std::optional<system::EntryFacts> facts = system::facts_of_entry(path);
  return facts && facts->is_ours && facts->kind == kind;
}

// The process that a folder is of, by its mark; nullopt where there is none, or where it is of another machine.
std::optional<std::int64_t> process_of(const std::string& folder) {
  const std::optional<system::EntryFacts> facts = system::facts_of_entry(folder);
  if (!facts || !facts->is_ours || facts->kind != system::EntryKind::folder || facts->mode != kOwnerAlone) return {};
  if (!is_own(mark_of(folder), system::EntryKind::regular)) return {};
  try {
    const std::string text = read_small_file(mark_of(folder), kMostMark);
    const std::size_t blank = text.rfind(' ');
    if (blank == text.npos) return {};
    std::int64_t process = 0;
    std::from_chars(text.data() + blank + 1, text.data() + text.size(), process);
    return process > 0 && text == mark_text(process) ? std::optional(process) : std::nullopt;
  } catch (const std::exception&) {
    return {};
  }
}

// Removes the files that were handed over. Any other file stays, and the folder with it.
void remove_marked(const std::string& folder) {
  std::error_code ignored;
  std::vector<std::string> files;
  for (fs::directory_iterator each(folder, ignored), end; !ignored && each != end; each.increment(ignored)) {
    const std::string path = each->path().string();
    if (!each->path().filename().string().starts_with(kFiles)) continue;
    if (is_own(path, system::EntryKind::regular)) files.push_back(path);
  }
  for (const std::string& file : files) system::remove_file(file);
  system::remove_file(mark_of(folder));
  fs::remove(folder, ignored);  // of a folder that holds something: refused
}

}  // namespace

HandedOver::HandedOver(const std::string& socket) : beside_(fs::absolute(socket).string() + ".") {}

HandedOver::~HandedOver() {
  if (!folder_.empty()) remove_marked(folder_);
}

std::string HandedOver::path_of(std::int64_t number, const std::string& ending) {
  if (folder_.empty()) make_folder_of_its_own();
  return fmt::format("{}/{}{}.{}", folder_, kFiles, number, ending);
}

void HandedOver::make_folder_of_its_own() {
  constexpr int kMostTries = 1000;
  const std::int64_t process = system::process_number();
  for (int count = 1; count <= kMostTries; ++count) {
    const std::string folder = fmt::format("{}{}{}", beside_, process, count == 1 ? "" : fmt::format("-{}", count));
    std::error_code error;
    if (!fs::create_directory(folder, error)) {
      if (error && error != std::errc::file_exists) throw Error(fmt::format("{}: {}", folder, error.message()));
      continue;
    }
    fs::permissions(folder, fs::perms::owner_all, error);
    if (error) throw Error(fmt::format("{}: {}", folder, error.message()));
    write_file_atomically(mark_of(folder), [&](std::ostream& out) { out << mark_text(process); });
    folder_ = folder;
    return;
  }
  throw Error(fmt::format("{}{}: is there already, and so are {} others", beside_, process, kMostTries - 1));
}

void remove_left_folders(const std::string& socket) {
  const fs::path path = fs::absolute(socket);
  const std::string begin = path.filename().string() + ".";
  std::error_code ignored;
  std::vector<std::string> left;
  for (fs::directory_iterator each(path.parent_path(), ignored), end; !ignored && each != end;
       each.increment(ignored)) {
    if (!each->path().filename().string().starts_with(begin)) continue;
    const std::optional<std::int64_t> process = process_of(each->path().string());
    if (process && !system::process_runs(*process)) left.push_back(each->path().string());
  }
  for (const std::string& folder : left) remove_marked(folder);
}

}  // namespace headscope
