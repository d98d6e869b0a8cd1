// Numbers in the memory of the device that computes.
#pragma once

#include <cstdint>
#include <span>

#include "app/gl/check_gl.h"
#include "core/tensor/tensor.h"

namespace headscope {

class ComputeStaging;
struct BufferRun;

// A shader storage buffer that grows as needed. A context must be current, also when it is destroyed. Every function
// throws Error when the driver refuses.
class ComputeBuffer {
 public:
  ComputeBuffer();
  ~ComputeBuffer();
  ComputeBuffer(const ComputeBuffer&) = delete;
  ComputeBuffer& operator=(const ComputeBuffer&) = delete;

  // Many numbers go to and from this buffer by `staging`, which must live as long; null: by the driver's own copies.
  void stage_by(ComputeStaging* staging) { staging_ = staging; }
  // Makes room for that many numbers of four bytes; the content is lost when the buffer grows.
  void reserve(std::int64_t count);
  // Uploads the region, row-major. Does nothing when the buffer already holds that region of that tensor (and forget()
  // was not called).
  void upload(const Tensor& tensor, const Region& region);
  void upload(std::span<const std::uint32_t> words);
  // Writes these numbers from `first` on; the others are unchanged.
  void write(std::int64_t first, std::span<const float> numbers);
  void bind(unsigned binding) const;
  // Reads the numbers from `first` on.
  void read(std::int64_t first, std::span<float> out) const;
  // Reads runs, in the order of `first` and without gaps between them.
  void read(std::span<const BufferRun> runs) const;
  // Fills the first `count` numbers with zeros.
  void clear(std::int64_t count) const;
  // Call it before the uploaded tensor changes or is destroyed.
  void forget();
  // Gives up the buffer without deleting it; the caller must delete the returned name.
  unsigned release();

 private:
  void write_few(const void* numbers, std::int64_t count) const;

  unsigned name_ = 0;
  std::int64_t capacity_ = 0;  // bytes
  Tensor held_;
  Region held_region_;
  ComputeStaging* staging_ = nullptr;
};

}  // namespace headscope
