#include "core/base/system/memory_map.h"

#include <sys/mman.h>

namespace headscope::system {

// The files of a page lie in its memory: a mapping is a copy, and no file becomes shorter under it.
const void* map_file(int descriptor, std::size_t size) noexcept {
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void unmap_file(const void* data, std::size_t size) noexcept {
  ::munmap(const_cast<void*>(data), size);
}

std::size_t next_stored(int, std::size_t offset, std::size_t) noexcept {
  return offset;
}

int guard_pages(const void*, std::size_t) {
  return 0;
}

bool pages_were_lost(int) noexcept {
  return false;
}

void forget_pages(int) noexcept {}

}  // namespace headscope::system
