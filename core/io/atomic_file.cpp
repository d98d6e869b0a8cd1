#include "core/io/atomic_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/memory_failures.h"
#include "core/base/system/files.h"
#include "core/io/descriptor_stream.h"
#include "core/io/file_journal.h"
#include "core/io/part_files.h"

namespace headscope {

namespace fs = std::filesystem;

namespace {

struct Descriptor {
  int number;
  explicit Descriptor(int opened) : number(opened) {}
  ~Descriptor() {
    if (number >= 0) system::close_file(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int close() { return system::close_file(std::exchange(number, -1)); }  // 0, or errno
};

void check_path(const std::string& path) {
  if (path.empty()) throw Error("an empty path names no file");
  if (path.find('\0') != std::string::npos) throw Error("a path cannot hold a NUL byte");
}

// Where a chain of symbolic links ends, whether or not something is there.
std::string end_of_links(const std::string& path) {
  fs::path at = path;
  for (int steps = 0; steps < 40; ++steps) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(at, error))) return at.string();
    const fs::path to = fs::read_symlink(at, error);
    if (error) throw file_error(path, error.value());
    at = to.is_absolute() ? to : at.parent_path() / to;
  }
  throw file_error(path, ELOOP);
}

// Runs `write` on the descriptor; every failure of the system is an Error about `shown`.
void write_through(int descriptor, const std::string& shown, const std::function<void(std::ostream&)>& write) {
  DescriptorBuffer buffer(descriptor);
  std::ostream out(&buffer);
  out.exceptions(std::ios_base::badbit | std::ios_base::failbit);
  try {
    write(out);
    out.flush();
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception&) {
    if (buffer.error() != 0) throw file_error(shown, buffer.error());
    throw;
  }
  if (buffer.error() != 0) throw file_error(shown, buffer.error());
}

// Writes a new file.
void write_temporary(const std::string& temporary, const std::string& shown, std::optional<unsigned> mode, bool sync,
                     const std::function<void(std::ostream&)>& write) {
  Descriptor file(system::open_file(temporary, system::Opening::create));
  if (file.number < 0) throw file_error(shown, errno);
  try {
    if (mode) system::set_mode(file.number, *mode);
    write_through(file.number, shown, write);
    if (const int error = sync ? system::sync_file(file.number) : 0; error != 0) throw file_error(shown, error);
    if (const int error = file.close(); error != 0) throw file_error(shown, error);
  } catch (...) {
    system::remove_file(temporary);
    throw;
  }
}

// True when `path` was a device, pipe or socket and has been written to.
bool wrote_directly(const std::string& path, system::EntryKind kind, const std::function<void(std::ostream&)>& write) {
  if (kind == system::EntryKind::regular) return false;
  if (kind == system::EntryKind::folder) throw Error(fmt::format("{}: is a folder; expected the name of a file", path));
  // Opening a pipe without a reader must not wait for ever.
  Descriptor file(system::open_file(path, system::Opening::write_at_once));
  if (file.number < 0) throw file_error(path, errno);
  system::wait_again(file.number);
  write_through(file.number, path, write);
  if (const int error = file.close(); error != 0) throw file_error(path, error);
  return true;
}

}  // namespace

void write_file_atomically(const std::string& path, const std::function<void(std::ostream&)>& write,
                           Replaces replaces) {
  FilesTogether files(replaces);
  files.add(path, write);
  files.commit();
}

void FilesTogether::add(const std::string& path, const std::function<void(std::ostream&)>& write) {
  check_path(path);
  const std::optional<system::EntryFacts> old = system::facts_of(path);
  if (old && wrote_directly(path, old->kind, write)) return;
  check_not_read(path, replaces_);
  if (old && !system::may_write(path)) throw file_error(path, errno);
  Pending file;
  file.shown = path;
  file.path = end_of_links(path);
  if (file.path.ends_with('/')) throw Error(fmt::format("{}: names a folder; expected the name of a file", path));
  file.temporary = temporary_beside(file.path);
  const auto mode = old ? std::optional<unsigned>(old->mode) : std::nullopt;
  pending_.reserve(pending_.size() + 1);
  write_temporary(file.temporary, path, mode, pending_.size() < kSyncedOneByOne, write);
  pending_.push_back(std::move(file));
}

std::vector<std::string> make_folder(const std::string& path) {
  check_path(path);
  std::vector<std::string> made;
  std::error_code error;
  fs::path at = fs::path(path).lexically_normal();
  if (!at.has_filename() && at.has_parent_path() && at != at.root_path()) at = at.parent_path();
  for (; !at.empty() && !fs::exists(at, error); at = at.parent_path()) made.insert(made.begin(), at.string());
  fs::create_directories(path, error);
  if (error || !fs::is_directory(path)) {
    throw Error(fmt::format("{}: cannot be made a folder: {}", path,
                            error ? error.message() : std::string("a file of that name is there")));
  }
  return made;
}

std::string read_small_file(const std::string& path, std::size_t limit) {
  check_path(path);
  note_file_in_work(path);
  const Descriptor file(system::open_file(path, system::Opening::read_at_once));
  if (file.number < 0 && errno != EISDIR) throw file_error(path, errno);
  const std::optional<system::EntryFacts> facts =
      file.number < 0 ? system::facts_of(path) : system::facts_of(file.number);
  if (!facts) throw file_error(path, errno);
  const bool regular = facts->kind == system::EntryKind::regular;
  if (facts->kind == system::EntryKind::folder) throw Error(fmt::format("{}: is a folder; expected a file", path));
  if (!regular && facts->kind != system::EntryKind::pipe) {
    throw Error(fmt::format("{}: is a device or socket; expected a file", path));
  }
  note_read(path, *facts);
  if (regular && facts->size > limit) {
    throw Error(fmt::format("{}: has {} bytes; at most {} are read", path, facts->size, limit));
  }
  system::wait_again(file.number);
  std::string text;
  std::vector<char> piece(std::size_t{1} << 16);
  while (true) {
    const std::ptrdiff_t got = system::read_some(file.number, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw file_error(path, errno);
    if (got == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > limit) throw Error(fmt::format("{}: has more than {} bytes", path, limit));
  }
  // A size of 0 says nothing: the files of /proc have it.
  if (regular && facts->size != 0 && text.size() != facts->size) {
    throw Error(
        fmt::format("{}: had {} bytes when it was opened, and {} when it was read; expected a file that stays "
                    "as it is",
                    path, facts->size, text.size()));
  }
  return text;
}

}  // namespace headscope
