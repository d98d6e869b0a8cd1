#include "app/gl/device_weights.h"

#include <algorithm>

#include "core/base/error.h"

namespace headscope {

bool DeviceWeights::Entry::is_of(const Tensor& weight) const {
  return storage == weight.storage() && shape == weight.shape() && strides == weight.strides();
}

const ComputeBuffer* DeviceWeights::find(const Tensor& weight) {
  // What lies where a weight was that has gone is another one.
  entries_.remove_if([&](const Entry& entry) {
    if (!entry.memory.expired()) return false;
    bytes_ -= entry.bytes;
    return true;
  });
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.is_of(weight); });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return &entries_.front().buffer;
  }
  const std::int64_t bytes = weight.size() * 4;
  if (bytes > most_bytes_ / 4 || weight.memory().expired()) return nullptr;
  while (bytes_ + bytes > most_bytes_) {
    bytes_ -= entries_.back().bytes;
    entries_.pop_back();
  }
  Entry& entry = entries_.emplace_front();
  try {
    entry.buffer.stage_by(staging_);
    entry.buffer.upload(weight, whole(weight.shape()));
    entry.buffer.forget();
  } catch (const Error&) {
    // The device has no room, or is lost: then the product itself says so.
    entries_.clear();
    bytes_ = 0;
    return nullptr;
  }
  entry.memory = weight.memory();
  entry.storage = weight.storage();
  entry.shape = weight.shape();
  entry.strides = weight.strides();
  entry.bytes = bytes;
  bytes_ += bytes;
  return &entry.buffer;
}

}  // namespace headscope
