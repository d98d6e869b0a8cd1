#include "core/backend/packed_weights.h"

#include <algorithm>
#include <utility>

namespace headscope {

PackedWeights::Place PackedWeights::place_of(const Tensor& weight) {
  return {weight.storage(), weight.number_type(), weight.shape(), weight.strides()};
}

bool lies_in_memory(const Tensor& weight) {
  return weight.stored() || weight.two_byte_data() != nullptr;
}

PackedWeights::Entry* PackedWeights::entry_of(const Tensor& weight) {
  const Place place = place_of(weight);
  const auto [first, last] = entries_.equal_range(place.data);
  // The memory of a weight that is gone may hold other numbers by now.
  const auto found = std::find_if(
      first, last, [&](const auto& known) { return known.second.place == place && !known.second.memory.expired(); });
  return found == last ? nullptr : &found->second;
}

void PackedWeights::drop_dead_panels() {
  std::erase_if(kept_, [](Entry* entry) {
    if (!entry->memory.expired()) return false;
    entry->packed = nullptr;
    return true;
  });
}

void PackedWeights::forget_dead() {
  drop_dead_panels();
  // Looking at all entries costs more than finding one: done when many may be dead.
  if (++new_entries_ < entries_.size() / 2) return;
  new_entries_ = 0;
  std::erase_if(entries_, [](const auto& known) { return known.second.memory.expired(); });
}

std::shared_ptr<const PackedMatrix> PackedWeights::find(const Tensor& weight) {
  if (!lies_in_memory(weight) && !weight.reads_from_origin()) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (Entry* const known = entry_of(weight)) {
    known->used_before = known->used;
    known->used = ++uses_;
    return known->packed;
  }
  forget_dead();
  const Place place = place_of(weight);
  entries_.emplace(place.data, Entry{.place = place, .memory = weight.memory(), .used = ++uses_});
  return nullptr;
}

// Bytes of the panels that may not make room for a weight whose use before the last was `use`.
std::int64_t PackedWeights::bytes_used_after(std::uint64_t use) {
  drop_dead_panels();
  std::int64_t bytes = 0;
  for (const Entry* entry : kept_) bytes += entry->used > use ? entry->packed->bytes() : 0;
  return bytes;
}

bool PackedWeights::wants(const Tensor& weight) {
  const std::int64_t bytes = rounded_up(weight.dim(0), kPanelColumns) * weight.dim(1) * bytes_of(panel_type_of(weight));
  if (bytes > most_bytes_) return false;
  const std::lock_guard<std::mutex> lock(mutex_);
  const Entry* const entry = entry_of(weight);
  return entry != nullptr && entry->used_before > 0 && bytes_used_after(entry->used_before) + bytes <= most_bytes_;
}

void PackedWeights::keep(const Tensor& weight, std::shared_ptr<const PackedMatrix> packed) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Entry* const entry = entry_of(weight);
  if (entry == nullptr || entry->used_before == 0) return;
  std::erase(kept_, entry);
  entry->packed = nullptr;
  if (bytes_used_after(entry->used_before) + packed->bytes() > most_bytes_) return;
  // The one used longest ago goes first.
  std::sort(kept_.begin(), kept_.end(), [](const Entry* a, const Entry* b) { return a->used > b->used; });
  std::int64_t total = packed->bytes();
  for (const Entry* other : kept_) total += other->packed->bytes();
  for (; total > most_bytes_; kept_.pop_back()) {
    total -= kept_.back()->packed->bytes();
    kept_.back()->packed = nullptr;
  }
  kept_.push_back(entry);
  entry->packed = std::move(packed);
}

std::int64_t PackedWeights::bytes() {
  const std::lock_guard<std::mutex> lock(mutex_);
  drop_dead_panels();
  std::int64_t total = 0;
  for (const Entry* entry : kept_) total += entry->packed->bytes();
  return total;
}

PanelType panel_type_of(const Tensor& weight) {
  switch (weight.number_type()) {
    case NumberType::float16:
      return PanelType::float16;
    case NumberType::bfloat16:
      return PanelType::bfloat16;
    case NumberType::float32:
      break;
  }
  return PanelType::float32;
}

MatrixSource matrix_source_of(const Tensor& weight) {
  const PanelType type = panel_type_of(weight);
  const void* const data =
      type == PanelType::float32 ? static_cast<const void*>(weight.data()) : weight.two_byte_data();
  return {data, type, weight.strides()[0], weight.strides()[1]};
}

}  // namespace headscope
