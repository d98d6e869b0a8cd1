#include "core/base/system/thread_slot.h"

#include <windows.h>

#include <new>

namespace headscope::system {

namespace {

// FlsAlloc gives a callback its value alone, and wants one of its own calling convention: the value carries both.
struct Owned {
  void* pointer;
  void (*destroy)(void*);
};

const DWORD main_thread = ::GetCurrentThreadId();

// Windows calls it for the main thread, too, when what is static has been destroyed already: there it does nothing.
void WINAPI destroy_owned(void* value) {
  if (::GetCurrentThreadId() == main_thread) return;
  auto* const owned = static_cast<Owned*>(value);
  if (owned->pointer != nullptr) owned->destroy(owned->pointer);
  delete owned;
}

}  // namespace

ThreadSlot::ThreadSlot(void (*destroy)(void*)) : destroy_(destroy) {
  const DWORD slot = ::FlsAlloc(destroy_owned);
  if (slot == FLS_OUT_OF_INDEXES) throw std::bad_alloc();
  slot_ = slot;
}

void* ThreadSlot::get() const noexcept {
  const auto* const owned = static_cast<const Owned*>(::FlsGetValue(static_cast<DWORD>(slot_)));
  return owned == nullptr ? nullptr : owned->pointer;
}

void ThreadSlot::set(void* pointer) {
  const auto slot = static_cast<DWORD>(slot_);
  if (auto* const known = static_cast<Owned*>(::FlsGetValue(slot))) {
    known->pointer = pointer;
    return;
  }
  auto* const owned = new Owned{pointer, destroy_};
  if (::FlsSetValue(slot, owned) != 0) return;
  delete owned;
  throw std::bad_alloc();
}

}  // namespace headscope::system
