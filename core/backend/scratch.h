// Scratch memory, kept between passes: fresh pages from the system cost more than a small pass.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace headscope {

class ScratchPool {
  struct Buffer {
    std::unique_ptr<float[], void (*)(float*)> floats;
    std::int64_t size = 0;
  };

 public:
  // Uninitialised floats, aligned to 64 bytes, until this is destroyed.
  class Lease {
   public:
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&& other) = delete;
    ~Lease();
    float* data() const { return buffer_.floats.get(); }

   private:
    friend class ScratchPool;
    Lease(ScratchPool* pool, Buffer buffer) : pool_(pool), buffer_(std::move(buffer)) {}
    ScratchPool* pool_;
    Buffer buffer_;
  };

  // Safe to call from several threads. Throws std::bad_alloc.
  Lease take(std::int64_t floats);

 private:
  void give_back(Buffer buffer);

  std::mutex mutex_;
  std::vector<Buffer> free_;
};

}  // namespace headscope
