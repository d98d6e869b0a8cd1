#include "core/backend/packed_heads.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/tensor/parts.h"

namespace headscope {
namespace {

constexpr std::int64_t kPanelsAPart = 16;
constexpr std::int64_t kKeysAPart = kPanelsAPart * kPanelKeys;

std::int64_t parts_of_keys(std::int64_t key_len) {
  return parts_over(key_len, kKeysAPart);
}

}  // namespace

PackedKeys::PackedKeys(const Tensor& key, HeadRange heads)
    : key_(key.data()), strides_(key.strides()), key_len_(key.dim(2)), head_dim_(key.dim(3)), heads_(heads) {}

void PackedKeys::reserve(ScratchPool& scratch) {
  memory_.emplace(scratch.take(heads_.count() * panels_per_head() * panel_floats()));
}

std::int64_t PackedKeys::bytes() const {
  return packed() ? 4 * heads_.count() * panels_per_head() * panel_floats() : 0;
}

std::int64_t PackedKeys::parts() const {
  return heads_.count() * parts_of_keys(key_len_);
}

void PackedKeys::pack(std::int64_t part) {
  const std::int64_t per_head = parts_of_keys(key_len_);
  const std::int64_t head = part / per_head;
  const std::int64_t first = part % per_head * kPanelsAPart;
  const std::int64_t last = std::min(first + kPanelsAPart, panels_per_head());
  for (std::int64_t p = first; p < last; ++p) {
    pack_to(heads_.batch.begin + head / heads_.heads.size(), heads_.heads.begin + head % heads_.heads.size(), p,
            memory_->data() + (head * panels_per_head() + p) * panel_floats());
  }
}

void PackedKeys::pack_to(std::int64_t b, std::int64_t kv_head, std::int64_t p, float* place) const {
  const std::int64_t first = p * kPanelKeys;
  const float* from = key_ + b * strides_[0] + kv_head * strides_[1] + first * strides_[2];
  pack_key_panel(from, strides_[2], std::min(kPanelKeys, key_len_ - first), head_dim_, place);
}

const float* PackedKeys::panel(std::int64_t b, std::int64_t kv_head, std::int64_t p, float* place) const {
  if (memory_) return memory_->data() + (heads_.number(b, kv_head) * panels_per_head() + p) * panel_floats();
  pack_to(b, kv_head, p, place);
  return place;
}

std::shared_ptr<const PackedKeys> KeptKeys::find(const Tensor& key, const HeadRange& heads) {
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_.remove_if([](const Entry& entry) { return entry.memory.expired(); });
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->data != key.data() || !(entry->shape == key.shape()) || !(entry->strides == key.strides()) ||
        !(entry->heads == heads)) {
      continue;
    }
    entries_.splice(entries_.begin(), entries_, entry);
    return entry->packed;
  }
  return nullptr;
}

void KeptKeys::keep(const Tensor& key, const HeadRange& heads, std::shared_ptr<const PackedKeys> packed) {
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_.push_front({key.data(), key.shape(), key.strides(), heads, key.memory(), std::move(packed)});
  std::int64_t bytes = 0;
  for (const Entry& entry : entries_) bytes += entry.packed->bytes();
  while (bytes > most_bytes_) {
    bytes -= entries_.back().packed->bytes();
    entries_.pop_back();
  }
}

FiniteValues::FiniteValues(const Tensor& value, HeadRange heads) : value_(value), heads_(heads) {}

bool FiniteValues::use_in_place() {
  if (value_.dim(3) % kPanelFeatures != 0) return false;
  const Strides& strides = value_.strides();
  for (std::int64_t b = heads_.batch.begin; b < heads_.batch.end; ++b) {
    for (std::int64_t g = heads_.heads.begin; g < heads_.heads.end; ++g) {
      const float* first = value_.data() + b * strides[0] + g * strides[1];
      if (!all_finite(first, strides[2], value_.dim(2), value_.dim(3))) return false;
    }
  }
  return true;
}

void FiniteValues::reserve(ScratchPool& scratch) {
  memory_.emplace(scratch.take(heads_.count() * panels() * value_.dim(2) * kPanelFeatures));
  others_.resize(static_cast<std::size_t>(parts()));
}

std::int64_t FiniteValues::parts_per_head() const {
  return parts_of_keys(value_.dim(2));
}

std::int64_t FiniteValues::parts() const {
  return heads_.count() * parts_per_head();
}

void FiniteValues::pack(std::int64_t part) {
  const std::int64_t matrix = part / parts_per_head();
  const std::int64_t first = part % parts_per_head() * kKeysAPart;
  const std::int64_t keys = std::min(kKeysAPart, value_.dim(2) - first);
  const Strides& strides = value_.strides();
  const std::int64_t b = heads_.batch.begin + matrix / heads_.heads.size();
  const std::int64_t g = heads_.heads.begin + matrix % heads_.heads.size();
  const float* from = value_.data() + b * strides[0] + g * strides[1] + first * strides[2];
  const std::int64_t panel_distance = value_.dim(2) * kPanelFeatures;
  float* to = memory_->data() + matrix * panels() * panel_distance + first * kPanelFeatures;
  if (pack_values(from, strides[2], keys, value_.dim(3), to, panel_distance)) return;
  any_other_.store(true, std::memory_order_relaxed);
  for (std::int64_t j = 0; j < keys; ++j) {
    for (std::int64_t d = 0; d < value_.dim(3); ++d) {
      const float value = from[j * strides[2] + d];
      if (!std::isfinite(value)) others_[static_cast<std::size_t>(part)].push_back({first + j, d, value});
    }
  }
}

FiniteValues::Head FiniteValues::head(std::int64_t b, std::int64_t kv_head) const {
  if (!memory_) {
    const Strides& strides = value_.strides();
    return {value_.data() + b * strides[0] + kv_head * strides[1], strides[2], kPanelFeatures};
  }
  const std::int64_t panel_distance = value_.dim(2) * kPanelFeatures;
  return {memory_->data() + heads_.number(b, kv_head) * panels() * panel_distance, kPanelFeatures, panel_distance};
}

}  // namespace headscope
