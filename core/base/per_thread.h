#pragma once

#include <pthread.h>

#include <memory>
#include <new>

namespace headscope {

// A T of each thread's own: made at the first get() of that thread, destroyed when the thread ends. The main thread's
// is never destroyed. Held by a static; many of them share the 32 keys of a process that need no memory of their own.
// In place of `thread_local T`, which ends the program when memory is missing: where a destructor has to be noted for a
// thread, glibc allocates, and aborts when it may not (__cxa_thread_atexit_impl).
template <typename T>
class PerThread {
 public:
  // Throws std::bad_alloc when the process has no key left.
  PerThread() {
    if (pthread_key_create(&key_, [](void* each) { delete static_cast<T*>(each); }) != 0) throw std::bad_alloc();
  }
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;

  // This thread's T. Throws std::bad_alloc when there is no memory for it; the next call tries again.
  T& get() {
    if (void* known = pthread_getspecific(key_)) return *static_cast<T*>(known);
    auto made = std::make_unique<T>();
    if (pthread_setspecific(key_, made.get()) != 0) throw std::bad_alloc();
    return *made.release();
  }

 private:
  pthread_key_t key_{};
};

}  // namespace headscope
