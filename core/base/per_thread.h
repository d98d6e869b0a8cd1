#pragma once

#include <memory>

#include "core/base/system/thread_slot.h"

namespace headscope {

// A T of each thread's own: made at the first get() of that thread, destroyed when the thread ends. The main thread's
// is never destroyed. Held by a static; many of them share the 32 keys of a process that need no memory of their own.
// In place of `thread_local T`, which ends the program when memory is missing: where a destructor has to be noted for a
// thread, glibc allocates, and aborts when it may not (__cxa_thread_atexit_impl).
template <typename T>
class PerThread {
 public:
  // Throws std::bad_alloc when the process has no key left.
  PerThread() : slot_([](void* each) { delete static_cast<T*>(each); }) {}
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;

  // This thread's T. Throws std::bad_alloc when there is no memory for it; the next call tries again.
  T& get() {
    if (void* known = slot_.get()) return *static_cast<T*>(known);
    auto made = std::make_unique<T>();
    slot_.set(made.get());
    return *made.release();
  }

 private:
  system::ThreadSlot slot_;
};

}  // namespace headscope
