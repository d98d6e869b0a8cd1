#include "core/base/system/memory_pages.h"

#include <cstdlib>
#include <cstring>

namespace headscope::system {

namespace {

constexpr std::size_t kPage = 65536;  // the unit in which the memory of WebAssembly grows

}  // namespace

void* take_zeroed_pages(std::size_t size) noexcept {
  const std::size_t bytes = (size + kPage - 1) / kPage * kPage;
  void* const memory = std::aligned_alloc(kPage, bytes);
  if (memory != nullptr) std::memset(memory, 0, bytes);
  return memory;
}

void give_back_pages(void* pages, std::size_t) noexcept {
  std::free(pages);
}

}  // namespace headscope::system
