#include "core/base/held_errors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "core/base/memory_failures.h"

namespace headscope {

namespace {

std::atomic<int> real_error{STDERR_FILENO};

void copy(int from, int to) noexcept {
  std::array<char, 4096> piece;
  if (::lseek(from, 0, SEEK_SET) != 0) return;
  for (ssize_t size; (size = ::read(from, piece.data(), piece.size())) > 0;) {
    if (::write(to, piece.data(), static_cast<std::size_t>(size)) != size) return;
  }
}

}  // namespace

HeldErrors::HeldErrors() noexcept : failed_before_(failed_allocations()) {
  real_ = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  held_ = ::memfd_create("standard error", MFD_CLOEXEC);
  if (real_ >= 0 && held_ >= 0 && ::dup2(held_, STDERR_FILENO) >= 0) {
    real_error.store(real_);
    return;
  }
  for (int* file : {&real_, &held_}) {
    if (*file >= 0) ::close(*file);
    *file = -1;
  }
}

HeldErrors::~HeldErrors() {
  if (real_ < 0) return;
  ::dup2(real_, STDERR_FILENO);
  real_error.store(STDERR_FILENO);
  if (failed_allocations() == failed_before_) copy(held_, STDERR_FILENO);
  ::close(real_);
  ::close(held_);
}

int real_standard_error() noexcept {
  return real_error.load();
}

}  // namespace headscope
