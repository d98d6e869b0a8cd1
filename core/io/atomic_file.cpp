#include "core/io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

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
    if (number >= 0) ::close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  // 0, or errno: network file systems report a full disk only here.
  int close() { return ::close(std::exchange(number, -1)) == 0 || errno == EINTR ? 0 : errno; }
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

int synced(int descriptor) {
  return uninterrupted([&] { return ::fsync(descriptor); }) == 0 || errno == EINVAL || errno == ENOSYS ? 0 : errno;
}

// Writes a new file.
void write_temporary(const std::string& temporary, const std::string& shown, std::optional<mode_t> mode, bool sync,
                     const std::function<void(std::ostream&)>& write) {
  Descriptor file(
      uninterrupted([&] { return ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); }));
  if (file.number < 0) throw file_error(shown, errno);
  try {
    if (mode) ::fchmod(file.number, *mode);
    write_through(file.number, shown, write);
    if (const int error = sync ? synced(file.number) : 0; error != 0) throw file_error(shown, error);
    if (const int error = file.close(); error != 0) throw file_error(shown, error);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

// True when `path` was a device, pipe or socket and has been written to.
bool wrote_directly(const std::string& path, const struct stat& status,
                    const std::function<void(std::ostream&)>& write) {
  if (S_ISREG(status.st_mode)) return false;
  if (S_ISDIR(status.st_mode)) throw Error(fmt::format("{}: is a folder; expected the name of a file", path));
  // O_NONBLOCK: opening a pipe without a reader must not wait for ever.
  Descriptor file(uninterrupted([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (file.number < 0) throw file_error(path, errno);
  ::fcntl(file.number, F_SETFL, ::fcntl(file.number, F_GETFL) & ~O_NONBLOCK);
  write_through(file.number, path, write);
  if (const int error = file.close(); error != 0) throw file_error(path, error);
  return true;
}

}  // namespace

void write_file_atomically(const std::string& path, const std::function<void(std::ostream&)>& write) {
  FilesTogether files;
  files.add(path, write);
  files.commit();
}

void FilesTogether::add(const std::string& path, const std::function<void(std::ostream&)>& write) {
  check_path(path);
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && wrote_directly(path, status, write)) return;
  if (exists && ::access(path.c_str(), W_OK) != 0) throw file_error(path, errno);
  Pending file;
  file.shown = path;
  file.path = end_of_links(path);
  if (file.path.ends_with('/')) throw Error(fmt::format("{}: names a folder; expected the name of a file", path));
  file.temporary = temporary_beside(file.path);
  const auto mode = exists ? std::optional<mode_t>(status.st_mode & 0777) : std::nullopt;
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
  const Descriptor file(uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (file.number < 0) throw file_error(path, errno);
  struct stat status {};
  if (::fstat(file.number, &status) != 0) throw file_error(path, errno);
  if (S_ISDIR(status.st_mode)) throw Error(fmt::format("{}: is a folder; expected a file", path));
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) {
    throw Error(fmt::format("{}: is a device or socket; expected a file", path));
  }
  if (S_ISREG(status.st_mode) && static_cast<std::uintmax_t>(status.st_size) > limit) {
    throw Error(fmt::format("{}: has {} bytes; at most {} are read", path, status.st_size, limit));
  }
  ::fcntl(file.number, F_SETFL, ::fcntl(file.number, F_GETFL) & ~O_NONBLOCK);
  std::string text;
  std::vector<char> piece(std::size_t{1} << 16);
  while (true) {
    const ssize_t got = ::read(file.number, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw file_error(path, errno);
    if (got == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > limit) throw Error(fmt::format("{}: has more than {} bytes", path, limit));
  }
  // A size of 0 says nothing: the files of /proc have it.
  if (S_ISREG(status.st_mode) && status.st_size != 0 && text.size() != static_cast<std::size_t>(status.st_size)) {
    throw Error(
        fmt::format("{}: had {} bytes when it was opened, and {} when it was read; expected a file that stays "
                    "as it is",
                    path, status.st_size, text.size()));
  }
  return text;
}

}  // namespace headscope
