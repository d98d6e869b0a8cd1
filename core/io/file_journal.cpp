#include "core/io/file_journal.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/system/files.h"
#include "core/io/part_files.h"

namespace headscope {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kKind = "-journal", kFirst = "headscope journal 1", kLast = "end";
constexpr std::size_t kLargestJournal = std::size_t{64} << 20;

// Names that end with NUL: a file name may hold anything else.
std::string journal_text(const std::vector<JournalEntry>& entries) {
  std::string text(kFirst);
  text += '\0';
  for (const JournalEntry& entry : entries) {
    for (const std::string* name : {&entry.temporary, &entry.target, &entry.backup}) {
      text += *name;
      text += '\0';
    }
  }
  text += kLast;
  return text + '\0';
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && !system::leads_elsewhere(name);
}

// nullopt for what is no whole journal: nothing had been renamed yet.
std::optional<std::vector<JournalEntry>> entries_of(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = text.find('\0');
    if (end == text.npos) return std::nullopt;
    names.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  if (names.size() < 2 || names.size() % 3 != 2 || names.front() != kFirst || names.back() != kLast) {
    return std::nullopt;
  }
  std::vector<JournalEntry> entries;
  for (std::size_t k = 1; k + 1 < names.size(); k += 3) {
    JournalEntry entry{names[k], names[k + 1], names[k + 2]};
    // Nothing outside of the folder, whatever the file says.
    if (!is_part_name(entry.temporary) || !is_plain_name(entry.target) || !is_part_name(entry.backup)) {
      return std::nullopt;
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string in_folder(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

bool is_there(const std::string& path) {
  return system::facts_of_entry(path).has_value();
}

// Moves what is not in its place yet; false when something could not be moved.
bool finish(const std::string& folder, const std::vector<JournalEntry>& entries) {
  bool done = true;
  for (const JournalEntry& entry : entries) {
    const std::string temporary = in_folder(folder, entry.temporary);
    if (!is_there(temporary)) continue;
    done = system::rename_file(temporary, in_folder(folder, entry.target)) && done;
  }
  return done;
}

bool is_ours(const std::string& path) {
  const std::optional<system::EntryFacts> facts = system::facts_of_entry(path);
  return facts && facts->kind == system::EntryKind::regular && facts->is_ours;
}

// nullopt when it cannot be read.
std::optional<std::string> text_of(const std::string& path) {
  std::error_code error;
  if (fs::file_size(path, error) > kLargestJournal || error) return std::nullopt;
  std::ifstream file(fs::path(path), std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return std::nullopt;
  return text;
}

void write_synced(const std::string& path, const std::string& text) {
  const int file = system::open_file(path, system::Opening::create);
  int error = file < 0 ? errno : 0;
  for (std::size_t at = 0; error == 0 && at < text.size();) {
    const std::ptrdiff_t wrote = system::write_some(file, text.data() + at, text.size() - at);
    if (wrote < 0 && errno != EINTR) error = errno;
    if (wrote > 0) at += static_cast<std::size_t>(wrote);
  }
  if (error == 0) error = system::sync_file(file);
  const int closing = file >= 0 ? system::close_file(file) : 0;
  if (error == 0) error = closing;
  if (error == 0) return;
  if (file >= 0) system::remove_file(path);
  throw file_error(path, error);
}

}  // namespace

FileJournal::FileJournal(std::string folder, std::vector<JournalEntry> entries)
    : path_(in_folder(folder, part_name(kKind))) {
  write_synced(path_, journal_text(entries));
  system::sync_folder(folder);
}

bool FileJournal::remove() {
  if (system::remove_file(path_) || errno == ENOENT) return true;
  // An empty one says nothing.
  return system::empty_file(path_);
}

void finish_interrupted(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> journals, others;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    if (!is_left_over(name) || !is_ours(at->path().string())) continue;
    (name.find(kKind) == name.npos ? others : journals).push_back(std::move(name));
  }
  for (const std::string& name : journals) {
    const std::string path = in_folder(folder, name);
    const std::optional<std::string> text = text_of(path);
    if (!text) return;
    const auto entries = entries_of(*text);
    if (entries && !finish(folder, *entries)) return;
    system::sync_folder(folder);
    if (!system::remove_file(path)) return;
  }
  if (!journals.empty()) system::sync_folder(folder);
  for (const std::string& name : others) system::remove_file(in_folder(folder, name));
}

}  // namespace headscope
