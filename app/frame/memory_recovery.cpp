#include "app/frame/memory_recovery.h"

#include <cstdlib>
#include <exception>
#include <new>

#include "app/frame/start.h"
#include "app/memory/allocation_guard.h"
#include "core/base/memory_failures.h"
#include "core/request/same_request.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace headscope {

namespace {

constexpr const char* kAdvice =
    "What you typed is kept and saved. A shorter phrase or a smaller batch needs less; so does closing other programs.";

// Frames in a row that find no memory, before the program ends.
constexpr int kMostGivenUp = 3;

// Gives back to the system what the allocator keeps for later.
void release_free_memory() noexcept {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

}  // namespace

void MemoryRecovery::tell(ui::UiState& state) noexcept {
  try {
    const std::uint64_t failed = failed_allocations();
    if (failed != told_) {
      add_notice(state, ui::Notice::Kind::bad, "memory", "There was too little memory for something.", kAdvice);
      told_ = failed;
      told_of_reserve_ = true;
    }
    forget_failed_allocations();
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

void MemoryRecovery::note_drawn(const Session& session) {
  given_up_ = 0;
  if (!same_request(session.draft, drawn_)) drawn_ = session.draft;
}

void MemoryRecovery::give_up_frame(Session& session, FrameDrawer& drawer) {
  if (++given_up_ > kMostGivenUp) throw std::bad_alloc();
  release_free_memory();
  drawer.abandon();
  if (given_up_ == 2) {
    session.draft = drawn_;
    drawer.state.edits.clear();
  }
  forget_failed_allocations();
}

}  // namespace headscope
