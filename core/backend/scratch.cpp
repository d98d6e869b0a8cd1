#include "core/backend/scratch.h"

#include <algorithm>
#include <new>
#include <utility>

namespace headscope {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr std::size_t kKept = 16;                              // buffers
constexpr std::int64_t kLargestKept = std::int64_t{16} << 20;  // floats; larger ones go back to the system

void release(float* floats) {
  ::operator delete[](floats, kAlignment);
}

}  // namespace

ScratchPool::Lease::~Lease() {
  if (buffer_.floats) pool_->give_back(std::move(buffer_));
}

ScratchPool::Lease ScratchPool::take(std::int64_t floats) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // The smallest that is large enough.
    auto best = free_.end();
    for (auto buffer = free_.begin(); buffer != free_.end(); ++buffer) {
      if (buffer->size >= floats && (best == free_.end() || buffer->size < best->size)) best = buffer;
    }
    if (best != free_.end()) {
      std::swap(*best, free_.back());
      Buffer buffer = std::move(free_.back());
      free_.pop_back();
      return {this, std::move(buffer)};
    }
  }
  const std::int64_t size = std::max<std::int64_t>(floats, 1024);
  auto* memory = static_cast<float*>(::operator new[](static_cast<std::size_t>(size) * sizeof(float), kAlignment));
  return {this, Buffer{{memory, &release}, size}};
}

void ScratchPool::give_back(Buffer buffer) {
  if (buffer.size > kLargestKept) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (free_.size() >= kKept) {
    // The smallest goes.
    const auto smallest =
        std::min_element(free_.begin(), free_.end(), [](const Buffer& a, const Buffer& b) { return a.size < b.size; });
    if (smallest->size < buffer.size) *smallest = std::move(buffer);
    return;
  }
  free_.push_back(std::move(buffer));
}

}  // namespace headscope
