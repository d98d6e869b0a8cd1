// Several files that appear together: moving them to their places, and back.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/memory_failures.h"
#include "core/base/system/files.h"
#include "core/io/atomic_file.h"
#include "core/io/file_journal.h"
#include "core/io/mapping_guard.h"
#include "core/io/part_files.h"

namespace headscope {

namespace fs = std::filesystem;

void FilesTogether::commit() {
  std::vector<std::string> folders;
  for (const Pending& file : pending_) {
    const std::string folder = folder_of(file.path);
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
  }
  for (const std::string& folder : folders) finish_interrupted(folder);
  std::vector<FileJournal> journals;
  std::size_t moved = 0;
  try {
    check_mapped_files();
    check_memory();
    if (pending_.size() > kSyncedOneByOne) sync_together();
    if (pending_.size() > 1) journals = write_journals(folders);
    for (Pending& file : pending_) {
      if (pending_.size() > 1) put_aside(file);
      if (!system::rename_file(file.temporary, file.path)) throw file_error(file.shown, errno);
      ++moved;
    }
  } catch (...) {
    put_back(moved, journals);
    throw;
  }
  for (const std::string& folder : folders) system::sync_folder(folder);
  // What a journal that cannot be removed says is done already.
  for (FileJournal& journal : journals) journal.remove();
  if (!journals.empty()) {
    for (const std::string& folder : folders) system::sync_folder(folder);
  }
  for (const Pending& file : pending_) {
    if (!file.backup.empty()) system::remove_file(file.backup);
  }
  pending_.clear();
}

std::vector<FileJournal> FilesTogether::write_journals(const std::vector<std::string>& folders) {
  std::vector<FileJournal> journals;
  const auto name_of = [](const std::string& path) { return fs::path(path).filename().string(); };
  for (const std::string& folder : folders) {
    std::vector<JournalEntry> entries;
    for (Pending& file : pending_) {
      if (folder_of(file.path) != folder) continue;
      file.backup = temporary_beside(file.path);
      entries.push_back({name_of(file.temporary), name_of(file.path), name_of(file.backup)});
    }
    try {
      journals.emplace_back(folder, std::move(entries));
    } catch (...) {
      for (FileJournal& journal : journals) journal.remove();
      throw;
    }
  }
  return journals;
}

// Where there are hard links the old file keeps its place until the new one takes it; elsewhere its place is empty for
// a moment, and the journal says what belongs there.
void FilesTogether::put_aside(Pending& file) {
  const std::optional<system::EntryFacts> facts = system::facts_of_entry(file.path);
  if (!facts || facts->kind != system::EntryKind::regular) {
    file.backup.clear();  // there is none; what else is in the way refuses the new file
    return;
  }
  if (system::link_file(file.path, file.backup)) return;
  if (system::rename_file(file.path, file.backup)) return;
  const int error = errno;
  file.backup.clear();
  throw file_error(file.shown, error);
}

// One pass of the file system instead of thousands: an export may have a file for each of many heads.
void FilesTogether::sync_together() {
  for (std::size_t i = kSyncedOneByOne; i < pending_.size(); ++i) {
    const Pending& file = pending_[i];
    const int temporary = system::open_file(file.temporary, system::Opening::read);
    if (temporary < 0) throw file_error(file.shown, errno);
    const int error = system::sync_file_system_of(temporary);
    system::close_file(temporary);
    if (error != 0) throw file_error(file.shown, error);
    // All lie beside each other in practice; those elsewhere are merely written a little later.
    if (system::syncs_whole_file_systems()) return;
  }
}

// New files go back to their temporary names before old ones return: at every moment the journal still tells how to go
// on. The file that failed may have its old one put aside, too.
void FilesTogether::put_back(std::size_t moved, std::vector<FileJournal>& journals) noexcept {
  bool complete = true;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const Pending& file = pending_[i];
    const bool was_moved = i < moved;
    if (was_moved && !system::rename_file(file.path, file.temporary)) {
      complete = false;
      continue;
    }
    if (i > moved || file.backup.empty()) continue;
    if (!system::facts_of_entry(file.backup)) continue;
    if (system::rename_file(file.backup, file.path)) {
      system::remove_file(file.backup);  // of two names of one file, rename() keeps both
    } else {
      complete = false;
    }
  }
  bool undone = complete;
  for (FileJournal& journal : journals) undone = complete && journal.remove() && undone;
  // Where that could not be done, the next export into the folder finishes this one.
  if (undone) discard();
  pending_.clear();
}

void FilesTogether::discard() noexcept {
  for (const Pending& file : pending_) system::remove_file(file.temporary);
  pending_.clear();
}

FilesTogether::~FilesTogether() {
  discard();
}

}  // namespace headscope
