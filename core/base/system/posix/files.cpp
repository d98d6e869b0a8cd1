#include "core/base/system/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace headscope::system {

namespace {

// A call of the system, again and again while a signal interrupts it.
template <typename Call>
int insisted(const Call& call) {
  int result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

EntryFacts facts_from(const struct stat& status) {
  EntryFacts facts;
  facts.kind = S_ISREG(status.st_mode)    ? EntryKind::regular
               : S_ISDIR(status.st_mode)  ? EntryKind::folder
               : S_ISFIFO(status.st_mode) ? EntryKind::pipe
                                          : EntryKind::other;
  facts.size = static_cast<std::uint64_t>(status.st_size);
  facts.seconds = status.st_mtim.tv_sec;
  facts.nanoseconds = status.st_mtim.tv_nsec;
  facts.mode = status.st_mode & 0777;
  facts.is_ours = status.st_uid == ::geteuid();
  facts.device = status.st_dev;
  facts.number = status.st_ino;
  return facts;
}

int flags_of(Opening how) {
  switch (how) {
    case Opening::read:
      return O_RDONLY;
    case Opening::read_at_once:
      return O_RDONLY | O_NONBLOCK;
    case Opening::create:
      return O_WRONLY | O_CREAT | O_EXCL;
    case Opening::write_at_once:
      return O_WRONLY | O_NONBLOCK;
    case Opening::create_or_keep:
      return O_RDWR | O_CREAT;
  }
  return O_RDONLY;
}

}  // namespace

std::optional<EntryFacts> facts_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return facts_from(status);
}

std::optional<EntryFacts> facts_of_entry(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  return facts_from(status);
}

std::optional<EntryFacts> facts_of(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return std::nullopt;
  return facts_from(status);
}

int open_file(const std::string& path, Opening how) noexcept {
  return insisted([&] { return ::open(path.c_str(), flags_of(how) | O_CLOEXEC, 0666); });
}

void wait_again(int descriptor) noexcept {
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
}

int close_file(int descriptor) noexcept {
  return ::close(descriptor) == 0 || errno == EINTR ? 0 : errno;
}

std::ptrdiff_t read_some(int descriptor, void* to, std::size_t size) noexcept {
  return ::read(descriptor, to, size);
}

std::ptrdiff_t write_some(int descriptor, const void* from, std::size_t size) noexcept {
  return ::write(descriptor, from, size);
}

bool to_beginning(int descriptor) noexcept {
  return ::lseek(descriptor, 0, SEEK_SET) == 0;
}

void set_mode(int descriptor, unsigned mode) noexcept {
  ::fchmod(descriptor, static_cast<mode_t>(mode));
}

int sync_file(int descriptor) noexcept {
  return insisted([&] { return ::fsync(descriptor); }) == 0 || errno == EINVAL || errno == ENOSYS ? 0 : errno;
}

#ifdef __linux__
bool syncs_whole_file_systems() noexcept {
  return true;
}

int sync_file_system_of(int descriptor) noexcept {
  return insisted([&] { return ::syncfs(descriptor); }) == 0 ? 0 : errno;
}
#else
bool syncs_whole_file_systems() noexcept {
  return false;
}

int sync_file_system_of(int descriptor) noexcept {
  return insisted([&] { return ::fsync(descriptor); }) == 0 ? 0 : errno;
}
#endif

void sync_folder(const std::string& folder) noexcept {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

bool may_write(const std::string& path) noexcept {
  return ::access(path.c_str(), W_OK) == 0;
}

bool may_run(const std::string& path) noexcept {
  return ::access(path.c_str(), X_OK) == 0;
}

bool rename_file(const std::string& from, const std::string& to) noexcept {
  return ::rename(from.c_str(), to.c_str()) == 0;
}

bool link_file(const std::string& from, const std::string& to) noexcept {
  return ::link(from.c_str(), to.c_str()) == 0;
}

bool remove_file(const std::string& path) noexcept {
  return ::unlink(path.c_str()) == 0;
}

bool empty_file(const std::string& path) noexcept {
  return ::truncate(path.c_str(), 0) == 0;
}

bool lock_file(int descriptor) noexcept {
  return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
}

bool leads_elsewhere(std::string_view name) noexcept {
  return name.find('/') != name.npos;
}

int unnamed_file(const char* name) noexcept {
  return ::memfd_create(name, MFD_CLOEXEC);
}

std::string path_of_bytes(const char* name, std::span<const char> bytes) {
  const int file = unnamed_file(name);
  if (file < 0) return "";
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written <= 0) {
      ::close(file);
      return "";
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return fmt::format("/proc/self/fd/{}", file);
}

}  // namespace headscope::system
