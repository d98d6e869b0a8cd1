#include "core/base/system/memory_pages.h"

#include <windows.h>

namespace headscope::system {

void* take_zeroed_pages(std::size_t size) noexcept {
  return ::VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void give_back_pages(void* pages, std::size_t) noexcept {
  ::VirtualFree(pages, 0, MEM_RELEASE);
}

}  // namespace headscope::system
