#include "core/base/system/files.h"

#include <emscripten.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "core/base/system/machine.h"

// clang-format off
// What the page is told of, where it asked to be: a file that has come to its place, and that a folder is whole. It keeps
// what belongs to the program, and gives the rest to the user (app/platform/web/files.js).
EM_JS(void, headscope_moved, (const char* path), { if (Module["onMoved"]) Module["onMoved"](UTF8ToString(path)); });
EM_JS(void, headscope_synced, (const char* folder), { if (Module["onSynced"]) Module["onSynced"](UTF8ToString(folder)); });
// clang-format on

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

bool syncs_whole_file_systems() noexcept {
  return false;
}

int sync_file_system_of(int descriptor) noexcept {
  return sync_file(descriptor);
}

void sync_folder(const std::string& folder) noexcept {
  headscope_synced(folder.c_str());
}

bool may_write(const std::string& path) noexcept {
  return ::access(path.c_str(), W_OK) == 0;
}

bool may_run(const std::string& path) noexcept {
  return ::access(path.c_str(), X_OK) == 0;
}

bool rename_file(const std::string& from, const std::string& to) noexcept {
  if (::rename(from.c_str(), to.c_str()) != 0) return false;
  headscope_moved(to.c_str());
  return true;
}

// The file system of a page has no second names.
bool link_file(const std::string&, const std::string&) noexcept {
  errno = EPERM;
  return false;
}

bool remove_file(const std::string& path) noexcept {
  return ::unlink(path.c_str()) == 0;
}

bool empty_file(const std::string& path) noexcept {
  return ::truncate(path.c_str(), 0) == 0;
}

// Every page has a file system of its own.
bool lock_file(int descriptor) noexcept {
  return descriptor >= 0;
}

bool leads_elsewhere(std::string_view name) noexcept {
  return name.find('/') != name.npos;
}

int unnamed_file(const char* name) noexcept {
  static int count = 0;
  const std::string path = fmt::format("/tmp/{}-{}", name, ++count);
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  if (file >= 0) ::unlink(path.c_str());
  return file;
}

std::string path_of_bytes(const char* name, std::span<const char> bytes) {
  // Under node many programs share the folder: each writes the same bytes under a name of its own.
  const std::string path = fmt::format("/tmp/{}-{}", name, process_number());
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0) return "";
  const ssize_t written = ::write(file, bytes.data(), bytes.size());
  ::close(file);
  return written == static_cast<ssize_t>(bytes.size()) ? path : "";
}

}  // namespace headscope::system
