#include "core/base/system/memory_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace headscope::system {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t in_whole_pages(std::size_t size) {
  return (size + kHugePage - 1) / kHugePage * kHugePage;
}

}  // namespace

void* take_zeroed_pages(std::size_t size) noexcept {
  const std::size_t bytes = in_whole_pages(size);
  // One huge page more, of which both ends go back: the piece begins where a huge page may.
  void* const all = ::mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<char*>(all);
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(all) % kHugePage) % kHugePage;
  if (before > 0) ::munmap(begin, before);
  if (before < kHugePage) ::munmap(begin + before + bytes, kHugePage - before);
#ifdef MADV_HUGEPAGE
  ::madvise(begin + before, bytes, MADV_HUGEPAGE);  // a kernel without them refuses: small pages do, too
#endif
  return begin + before;
}

void give_back_pages(void* pages, std::size_t size) noexcept {
  ::munmap(pages, in_whole_pages(size));
}

}  // namespace headscope::system
