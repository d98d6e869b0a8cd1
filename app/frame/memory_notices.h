// Tells the user of missing memory, while the program goes on.
#pragma once

#include <cstdint>

#include "app/ui/ui.h"

namespace headscope {

// What the window keeps back, so that there is room to say so and to save.
constexpr std::size_t kWindowReserve = std::size_t{64} << 20;

class MemoryNotices {
 public:
  // Call it before every frame. Puts a notice where an allocation has failed since the last call, or the reserve had to
  // be given up, and keeps a new reserve back as soon as there is one. `publishing`: an export is being written, which
  // must not end as if nothing had failed.
  void tell(ui::UiState& state, bool publishing) noexcept;

 private:
  std::uint64_t told_ = 0;  // failed allocations that the user knows of
  bool told_of_reserve_ = false;
};

// Gives memory back to the system that the allocator keeps for later.
void release_free_memory() noexcept;

}  // namespace headscope
