#include "core/base/system/thread_slot.h"

#include <pthread.h>

#include <new>

namespace headscope::system {

static_assert(sizeof(pthread_key_t) <= sizeof(unsigned long));

ThreadSlot::ThreadSlot(void (*destroy)(void*)) : destroy_(destroy) {
  pthread_key_t key{};
  if (pthread_key_create(&key, destroy) != 0) throw std::bad_alloc();
  slot_ = key;
}

void* ThreadSlot::get() const noexcept {
  return pthread_getspecific(static_cast<pthread_key_t>(slot_));
}

void ThreadSlot::set(void* pointer) {
  if (pthread_setspecific(static_cast<pthread_key_t>(slot_), pointer) != 0) throw std::bad_alloc();
}

}  // namespace headscope::system
