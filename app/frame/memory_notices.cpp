#include "app/frame/memory_notices.h"

#include <cstdlib>
#include <exception>

#include "app/frame/start.h"
#include "app/memory/allocation_guard.h"
#include "core/base/memory_failures.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace headscope {

namespace {

constexpr const char* kAdvice =
    "What you typed is kept and saved. A shorter phrase or a smaller batch needs less; so does closing other programs.";

}  // namespace

void MemoryNotices::tell(ui::UiState& state, bool publishing) noexcept {
  try {
    const std::uint64_t failed = failed_allocations();
    if (failed != told_) {
      add_notice(state, ui::Notice::Kind::bad, "memory", "There was too little memory for something.", kAdvice);
      told_ = failed;
      told_of_reserve_ = true;
    }
    if (!publishing) forget_failed_allocations();
    if (!memory_reserve_is_used()) return;
    if (!told_of_reserve_) {
      add_notice(state, ui::Notice::Kind::warn, "memory", "Memory is nearly used up.", kAdvice);
      told_of_reserve_ = true;
    }
    if (renew_memory_reserve()) told_of_reserve_ = false;
  } catch (const std::exception&) {
    // Not even for a sentence: the next frame tries again.
  }
}

void release_free_memory() noexcept {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

}  // namespace headscope
