#include "core/base/held_errors.h"

#include <array>
#include <atomic>
#include <cstddef>

#include "core/base/memory_failures.h"
#include "core/base/system/files.h"
#include "core/base/system/streams.h"

namespace headscope {

namespace {

std::atomic<int> real_error{system::kError};

void copy(int from, int to) noexcept {
  std::array<char, 4096> piece;
  if (!system::to_beginning(from)) return;
  for (std::ptrdiff_t size; (size = system::read_some(from, piece.data(), piece.size())) > 0;) {
    if (system::write_some(to, piece.data(), static_cast<std::size_t>(size)) != size) return;
  }
}

}  // namespace

HeldErrors::HeldErrors() noexcept : failed_before_(failed_allocations()) {
  real_ = system::second_descriptor(system::kError);
  held_ = system::unnamed_file("standard error");
  if (real_ >= 0 && held_ >= 0 && system::lead_stream(system::kError, held_)) {
    real_error.store(real_);
    return;
  }
  for (int* file : {&real_, &held_}) {
    if (*file >= 0) system::close_file(*file);
    *file = -1;
  }
}

HeldErrors::~HeldErrors() {
  if (real_ < 0) return;
  system::lead_stream(system::kError, real_);
  real_error.store(system::kError);
  if (failed_allocations() == failed_before_) copy(held_, system::kError);
  system::close_file(real_);
  system::close_file(held_);
}

int real_standard_error() noexcept {
  return real_error.load();
}

}  // namespace headscope
