#include "app/memory/allocation_guard.h"

namespace headscope {

// The allocator of Windows cannot be stood before: `new` throws, and that is said.
void keep_memory_reserve(std::size_t) noexcept {}

bool memory_reserve_is_used() noexcept {
  return false;
}

bool renew_memory_reserve() noexcept {
  return true;
}

}  // namespace headscope
