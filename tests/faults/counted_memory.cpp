#include "tests/faults/counted_memory.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> asked{0};

}  // namespace

namespace headscope::test {

std::size_t bytes_asked_for() {
  return asked.load();
}

}  // namespace headscope::test

// A sanitizer has operators of its own, which match each other; nothing is counted there.
#ifndef HEADSCOPE_SANITIZED

void* operator new(std::size_t size) {
  asked += size;
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

#endif
