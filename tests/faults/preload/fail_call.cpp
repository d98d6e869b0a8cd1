// For LD_PRELOAD: the k-th call of a kind fails, of those that work below one folder. By the environment:
//   HEADSCOPE_CALLS_BELOW=FOLDER  the calls that count: those with a path, or a descriptor of a file, in it
//   HEADSCOPE_FAIL_CALL=KIND:K:HOW  KIND is write, open, rename, fsync, link, close, unlink, mkdir or truncate; K
//   counts
//     from 1; HOW is the number of an error, "short" (write writes half of it) or "kill" (SIGKILL instead of the call)
//   HEADSCOPE_FAIL_ALWAYS=1  all from there on
//   HEADSCOPE_NO_LINKS=1  every link() is refused, as on FAT
//   HEADSCOPE_CALLS=FILE  writes how many there were of each kind, a line each
// A close() that fails closes all the same, as on Linux.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum Kind { kWrite, kOpen, kRename, kFsync, kLink, kClose, kUnlink, kMkdir, kTruncate, kKinds };
constexpr const char* kNames[kKinds] = {"write", "open",   "rename", "fsync",   "link",
                                        "close", "unlink", "mkdir",  "truncate"};

std::array<std::atomic<long>, kKinds> counts;
char below[PATH_MAX], report[PATH_MAX];
int failing = -1, error = 0;
long number = 0;
bool shortens = false, kills = false, always = false, no_links = false, ready = false;

[[gnu::constructor]] void begin() {
  const char* folder = std::getenv("HEADSCOPE_CALLS_BELOW");
  if (folder == nullptr || ::realpath(folder, below) == nullptr) return;
  if (const char* file = std::getenv("HEADSCOPE_CALLS")) std::snprintf(report, sizeof(report), "%s", file);
  if (const char* plan = std::getenv("HEADSCOPE_FAIL_CALL")) {
    char kind[16] = "", how[16] = "";
    if (std::sscanf(plan, "%15[a-z]:%ld:%15s", kind, &number, how) != 3) std::abort();
    for (int k = 0; k < kKinds; ++k) {
      if (std::strcmp(kind, kNames[k]) == 0) failing = k;
    }
    if (failing < 0) std::abort();
    shortens = std::strcmp(how, "short") == 0;
    kills = std::strcmp(how, "kill") == 0;
    error = std::atoi(how);
  }
  always = std::getenv("HEADSCOPE_FAIL_ALWAYS") != nullptr;
  no_links = std::getenv("HEADSCOPE_NO_LINKS") != nullptr;
  ready = true;
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

[[gnu::destructor]] void end() {
  ready = false;
  if (report[0] == '\0') return;
  const int file = ::open(report, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  for (int k = 0; k < kKinds; ++k) {
    char line[64];
    const int size =
        std::snprintf(line, sizeof(line), "%s %ld\n", kNames[k], counts[static_cast<std::size_t>(k)].load());
    if (::write(file, line, static_cast<std::size_t>(size)) != size) std::abort();
  }
  ::close(file);
}

bool is_below(const char* path) {
  const std::size_t size = std::strlen(below);
  return std::strncmp(path, below, size) == 0 && (path[size] == '/' || path[size] == '\0');
}

// Paths of the tests are absolute.
bool counts_path(const char* path) {
  return ready && path != nullptr && is_below(path);
}

bool counts_file(int file) {
  if (!ready || file < 3) return false;
  char link[40], path[PATH_MAX];
  std::snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
  const ssize_t size = ::readlink(link, path, sizeof(path) - 1);
  if (size <= 0) return false;
  path[size] = '\0';
  return is_below(path);
}

// Counts the call; true: it is one that fails.
bool hit(Kind kind) {
  const long now = counts[kind].fetch_add(1) + 1;
  if (failing != kind || (always ? now < number : now != number)) return false;
  if (kills) ::kill(::getpid(), SIGKILL);
  return true;
}

// True: it fails, and errno says why.
bool fails(Kind kind, bool counted) {
  if (!counted || !hit(kind)) return false;
  errno = error;
  return true;
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* from, size_t size) {
  static const auto call = next<ssize_t (*)(int, const void*, size_t)>("write");
  if (counts_file(file) && hit(kWrite)) {
    if (shortens) return call(file, from, size > 1 ? size / 2 : size);
    errno = error;
    return -1;
  }
  return call(file, from, size);
}

ssize_t writev(int file, const struct iovec* parts, int count) {
  static const auto call = next<ssize_t (*)(int, const struct iovec*, int)>("writev");
  if (counts_file(file) && hit(kWrite)) {
    if (shortens) return call(file, parts, 1);
    errno = error;
    return -1;
  }
  return call(file, parts, count);
}

int open(const char* path, int flags, ...) {
  static const auto call = next<int (*)(const char*, int, ...)>("open");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return fails(kOpen, counts_path(path)) ? -1 : call(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open(path, flags, mode);
}

int rename(const char* from, const char* to) noexcept {
  static const auto call = next<int (*)(const char*, const char*)>("rename");
  return fails(kRename, counts_path(to)) ? -1 : call(from, to);
}

int fsync(int file) {
  static const auto call = next<int (*)(int)>("fsync");
  return fails(kFsync, counts_file(file)) ? -1 : call(file);
}

int syncfs(int file) noexcept {
  static const auto call = next<int (*)(int)>("syncfs");
  return fails(kFsync, counts_file(file)) ? -1 : call(file);
}

int link(const char* from, const char* to) noexcept {
  static const auto call = next<int (*)(const char*, const char*)>("link");
  if (no_links) {
    errno = EPERM;
    return -1;
  }
  return fails(kLink, counts_path(to)) ? -1 : call(from, to);
}

int close(int file) {
  static const auto call = next<int (*)(int)>("close");
  const bool failed = fails(kClose, counts_file(file));
  const int why = errno;
  const int result = call(file);
  if (!failed) return result;
  errno = why;
  return -1;
}

int unlink(const char* path) noexcept {
  static const auto call = next<int (*)(const char*)>("unlink");
  return fails(kUnlink, counts_path(path)) ? -1 : call(path);
}

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto call = next<int (*)(const char*, mode_t)>("mkdir");
  return fails(kMkdir, counts_path(path)) ? -1 : call(path, mode);
}

int truncate(const char* path, off_t size) noexcept {
  static const auto call = next<int (*)(const char*, off_t)>("truncate");
  return fails(kTruncate, counts_path(path)) ? -1 : call(path, size);
}
}
