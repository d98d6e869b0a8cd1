// Weights that stay on the device from one product to the next.
#pragma once

#include <cstdint>
#include <list>
#include <memory>

#include "app/gl/compute_buffer.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Finds the copy of a weight by where its numbers lie. A copy keeps its weight not alive, and goes when that has gone:
// whoever edits a weight makes another one. Belongs to the context that is current when it is made.
class DeviceWeights {
 public:
  static constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

  // At most `most_bytes` are kept, negative: kMostBytes; the weight that was not used for longest makes room. Copies
  // are made by `staging`, which may be null.
  explicit DeviceWeights(std::int64_t most_bytes = -1, ComputeStaging* staging = nullptr)
      : most_bytes_(most_bytes < 0 ? kMostBytes : most_bytes), staging_(staging) {}

  // The whole weight on the device, uploaded when it is not there; null when it is too large to be kept, or the
  // driver refuses. Valid until the next call.
  const ComputeBuffer* find(const Tensor& weight);

 private:
  struct Entry {
    std::weak_ptr<const void> memory;
    const void* storage = nullptr;
    Shape shape;
    Strides strides;
    std::int64_t bytes = 0;
    ComputeBuffer buffer;

    bool is_of(const Tensor& weight) const;
  };

  const std::int64_t most_bytes_;
  ComputeStaging* const staging_;
  std::int64_t bytes_ = 0;
  std::list<Entry> entries_;  // last used first
};

}  // namespace headscope
