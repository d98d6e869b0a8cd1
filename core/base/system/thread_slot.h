// A pointer that each thread has one of.
#pragma once

namespace headscope::system {

// Null in each thread until set() there. Where a thread ends, `destroy` is called with its pointer if that is not null.
// A slot is never given back.
class ThreadSlot {
 public:
  // Throws std::bad_alloc when the process has no slot left.
  explicit ThreadSlot(void (*destroy)(void*));
  ThreadSlot(const ThreadSlot&) = delete;
  ThreadSlot& operator=(const ThreadSlot&) = delete;

  void* get() const noexcept;
  // Throws std::bad_alloc when there is no memory for it.
  void set(void* pointer);

 private:
  unsigned long slot_ = 0;
  [[maybe_unused]] void (*destroy_)(void*);  // where the system does not keep it
};

}  // namespace headscope::system
