#include "core/backend/packed_weights.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace headscope {

PackedWeights::Place PackedWeights::place_of(const Tensor& weight) {
  return {weight.storage(), weight.number_type(), weight.shape(), weight.strides()};
}

bool lies_in_memory(const Tensor& weight) {
  return weight.stored() || weight.two_byte_data() != nullptr;
}

bool PackedWeights::takes(const Tensor& weight, std::int64_t bytes) const {
  if (lies_in_memory(weight)) return true;
  if (!weight.reads_from_origin()) return false;
  for (const Entry& entry : entries_) bytes += entry.computed ? entry.packed->bytes() : 0;
  return bytes <= most_computed_bytes_;
}

bool PackedWeights::has_room_for(const Tensor& weight) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return takes(weight, rounded_up(weight.dim(0), kPanelColumns) * weight.dim(1) * bytes_of(PanelType::float32));
}

void PackedWeights::forget_dead() {
  std::erase_if(entries_, [](const Entry& entry) { return entry.memory.expired(); });
}

std::shared_ptr<const PackedMatrix> PackedWeights::find(const Tensor& weight) {
  if (!lies_in_memory(weight) && !weight.reads_from_origin()) return nullptr;
  const Place place = place_of(weight);
  const std::lock_guard<std::mutex> lock(mutex_);
  // The memory of a weight that is gone may hold other numbers by now.
  forget_dead();
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.place == place; });
  if (found == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found);
  return found->packed;
}

void PackedWeights::keep(const Tensor& weight, std::shared_ptr<const PackedMatrix> packed) {
  const Place place = place_of(weight);
  const std::lock_guard<std::mutex> lock(mutex_);
  forget_dead();
  std::erase_if(entries_, [&](const Entry& entry) { return entry.place == place; });
  if (!takes(weight, packed->bytes())) return;
  entries_.push_front({place, !lies_in_memory(weight), weight.memory(), std::move(packed)});
  std::int64_t total = 0;
  const auto too_much = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    total += entry.packed->bytes();
    return total > most_bytes_;
  });
  entries_.erase(too_much, entries_.end());
}

std::int64_t PackedWeights::bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::int64_t total = 0;
  for (const Entry& entry : entries_) total += entry.packed->bytes();
  return total;
}

std::int64_t most_packed_bytes() {
  constexpr std::int64_t kLeast = std::int64_t{1} << 30;
  const std::int64_t pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0) return kLeast;
  return std::max(kLeast, pages / 4 * bytes);
}

MatrixSource matrix_source_of(const Tensor& weight) {
  const std::int64_t out_stride = weight.strides()[0];
  const std::int64_t in_stride = weight.strides()[1];
  switch (weight.number_type()) {
    case NumberType::float16:
      return {weight.two_byte_data(), PanelType::float16, out_stride, in_stride};
    case NumberType::bfloat16:
      return {weight.two_byte_data(), PanelType::bfloat16, out_stride, in_stride};
    case NumberType::float32:
      break;
  }
  return {weight.data(), PanelType::float32, out_stride, in_stride};
}

}  // namespace headscope
