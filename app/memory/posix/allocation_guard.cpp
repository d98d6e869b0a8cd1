#include "app/memory/allocation_guard.h"

#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HEADSCOPE_OWN_ALLOCATOR 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HEADSCOPE_OWN_ALLOCATOR 1
#endif
#endif

#if !defined(__GLIBC__) || defined(HEADSCOPE_OWN_ALLOCATOR)

namespace headscope {

void keep_memory_reserve(std::size_t) noexcept {}

bool memory_reserve_is_used() noexcept {
  return false;
}

bool renew_memory_reserve() noexcept {
  return true;
}

}  // namespace headscope

#else

#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "core/base/memory_failures.h"

// The C library's own, for what is asked before the next allocator is known.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace headscope {

namespace {

std::size_t wanted = 0;
std::atomic<void*> reserve{nullptr};
std::atomic<bool> is_used{false};

// The allocator that comes after this one: the C library's, or that of a tool between (LD_PRELOAD). Null while it is
// looked for, by which the C library's own is taken: dlsym() may allocate.
struct NextAllocator {
  void* (*malloc)(std::size_t) = nullptr;
  void* (*calloc)(std::size_t, std::size_t) = nullptr;
  void* (*realloc)(void*, std::size_t) = nullptr;
  void* (*memalign)(std::size_t, std::size_t) = nullptr;
};
NextAllocator found;
std::atomic<bool> is_found{false};

template <typename Function>
void find(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool give_up_reserve() noexcept {
  void* const memory = reserve.exchange(nullptr);
  if (memory == nullptr) return false;
  is_used.store(true);
  std::free(memory);
  return true;
}

// Asks once more after the reserve was given up.
template <typename Allocate>
void* insist(const Allocate& allocate) noexcept {
  void* memory = allocate();
  if (memory != nullptr) return memory;
  if (give_up_reserve()) memory = allocate();
  if (memory == nullptr) {
    note_failed_allocation();
    errno = ENOMEM;
  }
  return memory;
}

}  // namespace

void keep_memory_reserve(std::size_t bytes) noexcept {
  if (!is_found.load()) {
    NextAllocator next;
    find(next.malloc, "malloc");
    find(next.calloc, "calloc");
    find(next.realloc, "realloc");
    find(next.memalign, "memalign");
    if (next.malloc == nullptr || next.calloc == nullptr || next.realloc == nullptr || next.memalign == nullptr) return;
    found = next;
    is_found.store(true);
  }
  wanted = bytes;
  if (!is_used.load() && reserve.load() == nullptr) reserve.store(found.malloc(wanted));
}

bool memory_reserve_is_used() noexcept {
  return is_used.load();
}

bool renew_memory_reserve() noexcept {
  if (!is_used.load()) return true;
  void* const memory = found.malloc(wanted);
  if (memory == nullptr) return false;
  is_used.store(false);
  reserve.store(memory);
  return true;
}

}  // namespace headscope

// What `new` and every library call. Memory is freed by the allocator that comes after this one, for it is from there.
extern "C" {

void* malloc(std::size_t size) {
  using namespace headscope;
  if (!is_found.load(std::memory_order_acquire)) return __libc_malloc(size);
  return insist([=] { return found.malloc(size); });
}

void* calloc(std::size_t count, std::size_t size) {
  using namespace headscope;
  if (!is_found.load(std::memory_order_acquire)) return __libc_calloc(count, size);
  return insist([=] { return found.calloc(count, size); });
}

void* realloc(void* memory, std::size_t size) {
  using namespace headscope;
  if (!is_found.load(std::memory_order_acquire)) return __libc_realloc(memory, size);
  // Size 0 frees, and its null is no failure.
  if (size == 0) return found.realloc(memory, size);
  return insist([=] { return found.realloc(memory, size); });
}

void* memalign(std::size_t alignment, std::size_t size) {
  using namespace headscope;
  if (!is_found.load(std::memory_order_acquire)) return __libc_memalign(alignment, size);
  return insist([=] { return found.memalign(alignment, size); });
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  const bool power = alignment > 0 && (alignment & (alignment - 1)) == 0;
  if (!power || alignment % sizeof(void*) != 0) return EINVAL;
  const int before = errno;
  void* const made = memalign(alignment, size);
  errno = before;
  if (made == nullptr) return ENOMEM;
  *memory = made;
  return 0;
}
}

#endif
