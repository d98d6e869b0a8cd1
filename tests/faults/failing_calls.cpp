#include "tests/faults/failing_calls.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>

namespace headscope::test {

namespace {

struct Plan {
  Call call = Call::rename;
  int left = 0;
  bool kills = false, failed = false, links_refused = false;
} plan;

// True: this call fails, and errno says why.
bool fails(Call call) {
  if (call != plan.call || plan.left == 0 || --plan.left > 0) return false;
  plan.failed = true;
  if (plan.kills) ::kill(::getpid(), SIGKILL);
  errno = EIO;
  return true;
}

int result_of(long value) {
  return static_cast<int>(value);
}

}  // namespace

void fail_call(Call call, int number, bool kills) {
  plan.call = call;
  plan.left = number;
  plan.kills = kills;
  plan.failed = false;
}

void refuse_links(bool refused) {
  plan.links_refused = refused;
}

bool has_failed() {
  return plan.failed;
}

}  // namespace headscope::test

using headscope::test::Call;

extern "C" {

int rename(const char* from, const char* to) noexcept {
  if (headscope::test::fails(Call::rename)) return -1;
  return headscope::test::result_of(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int link(const char* from, const char* to) noexcept {
  if (headscope::test::plan.links_refused) {
    errno = EPERM;
    return -1;
  }
  if (headscope::test::fails(Call::link)) return -1;
  return headscope::test::result_of(::syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int unlink(const char* path) noexcept {
  if (headscope::test::fails(Call::unlink)) return -1;
  return headscope::test::result_of(::syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}

int fsync(int file) {
  if (headscope::test::fails(Call::fsync)) return -1;
  return headscope::test::result_of(::syscall(SYS_fsync, file));
}

int truncate(const char* path, off_t length) noexcept {
  if (headscope::test::fails(Call::truncate)) return -1;
  return headscope::test::result_of(::syscall(SYS_truncate, path, length));
}

int open(const char* path, int flags, ...) {
  if (headscope::test::fails(Call::open)) return -1;
  va_list rest;
  va_start(rest, flags);
  const int mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0;
  va_end(rest);
  return headscope::test::result_of(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

}  // extern "C"
