// Numbers in the memory of the device that computes.
#pragma once

#include <cstdint>
#include <span>

#include "core/tensor/tensor.h"

namespace headscope {

// Throws Error, which names what was being done, when GL reports an error or the device was lost.
void check_gl(const char* doing);

// A shader storage buffer that grows as needed. A context must be current, also when it is destroyed. Every function
// throws Error when the driver refuses.
class ComputeBuffer {
 public:
  ComputeBuffer();
  ~ComputeBuffer();
  ComputeBuffer(const ComputeBuffer&) = delete;
  ComputeBuffer& operator=(const ComputeBuffer&) = delete;

  // Room for that many numbers of four bytes; what it held is lost when it has to grow.
  void reserve(std::int64_t count);
  // The region, row-major. Does nothing when it holds that region of that tensor already (forget() was not called).
  void upload(const Tensor& tensor, const Region& region);
  void upload(std::span<const std::uint32_t> words);
  // These numbers from `first` on, the others stay.
  void write(std::int64_t first, std::span<const float> numbers);
  void bind(unsigned binding) const;
  // The numbers from `first` on.
  void read(std::int64_t first, std::span<float> out) const;
  // Fills the first `count` numbers with zeros.
  void clear(std::int64_t count) const;
  // The tensor that was uploaded may change or go away.
  void forget();
  // Lets go of the buffer without deleting it; whoever takes the name does that.
  unsigned release();

 private:
  unsigned name_ = 0;
  std::int64_t capacity_ = 0;  // bytes
  Tensor held_;
  Region held_region_;
};

}  // namespace headscope
