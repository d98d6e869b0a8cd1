#include "core/io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <random>
#include <utility>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/io/descriptor_stream.h"

namespace headscope {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kSyncedOneByOne = 8;

Error file_error(const std::string& path, int error) {
  return Error(fmt::format("{}: {}", path, std::strerror(error)));
}

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

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
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

// A name in the folder of `path` that no other file or thread uses. It does not contain the file's own name, which may
// be as long as names can be.
std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  std::random_device random;
  const unsigned number = counter.fetch_add(1);
  return (fs::path(folder_of(path)) / fmt::format(".headscope-{}-{}-{:08x}.part", ::getpid(), number, random()))
      .string();
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

// Renames and removals last only when their folder is written, too. Some file systems cannot sync a folder: no error.
void sync_folder(const std::string& path) {
  const Descriptor folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number >= 0) ::fsync(folder.number);
}

int synced(int descriptor) {
  return ::fsync(descriptor) == 0 || errno == EINVAL || errno == ENOSYS ? 0 : errno;
}

// Writes a new file.
void write_temporary(const std::string& temporary, const std::string& shown, std::optional<mode_t> mode, bool sync,
                     const std::function<void(std::ostream&)>& write) {
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
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
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
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
  file.temporary = temporary_name(file.path);
  const auto mode = exists ? std::optional<mode_t>(status.st_mode & 0777) : std::nullopt;
  pending_.reserve(pending_.size() + 1);
  write_temporary(file.temporary, path, mode, pending_.size() < kSyncedOneByOne, write);
  pending_.push_back(std::move(file));
}

void FilesTogether::commit() {
  std::size_t renamed = 0;
  try {
    if (pending_.size() > kSyncedOneByOne) sync_together();
    for (Pending& file : pending_) {
      if (pending_.size() > 1) {
        // The old file keeps a second name until all are in place. Without hard links it cannot be put back.
        const std::string backup = temporary_name(file.path);
        if (::link(file.path.c_str(), backup.c_str()) == 0) file.backup = backup;
      }
      if (::rename(file.temporary.c_str(), file.path.c_str()) != 0) throw file_error(file.shown, errno);
      ++renamed;
    }
  } catch (...) {
    roll_back(renamed);
    throw;
  }
  std::string synced;
  for (const Pending& file : pending_) {
    if (!file.backup.empty()) ::unlink(file.backup.c_str());
    const std::string folder = folder_of(file.path);
    if (folder != synced) sync_folder(file.path);
    synced = folder;
  }
  pending_.clear();
}

// One pass of the file system instead of thousands: an export may have a file for each of many heads.
void FilesTogether::sync_together() {
  for (std::size_t i = kSyncedOneByOne; i < pending_.size(); ++i) {
    const Pending& file = pending_[i];
    const Descriptor temporary(::open(file.temporary.c_str(), O_RDONLY | O_CLOEXEC));
    if (temporary.number < 0) throw file_error(file.shown, errno);
#ifdef __linux__
    if (::syncfs(temporary.number) != 0) throw file_error(file.shown, errno);
    return;  // all lie beside each other in practice; those elsewhere are merely written a little later
#else
    if (const int error = synced(temporary.number); error != 0) throw file_error(file.shown, error);
#endif
  }
}

void FilesTogether::roll_back(std::size_t renamed) noexcept {
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    Pending& file = pending_[i];
    if (i < renamed) {
      if (file.backup.empty()) {
        ::unlink(file.path.c_str());
      } else {
        ::rename(file.backup.c_str(), file.path.c_str());
      }
    } else {
      ::unlink(file.temporary.c_str());
      if (!file.backup.empty()) ::unlink(file.backup.c_str());
    }
  }
  pending_.clear();
}

FilesTogether::~FilesTogether() {
  roll_back(0);
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
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
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
    if (got == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > limit) throw Error(fmt::format("{}: has more than {} bytes", path, limit));
  }
}

}  // namespace headscope
