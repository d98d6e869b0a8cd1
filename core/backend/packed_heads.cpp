#include "core/backend/packed_heads.h"

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

constexpr std::int64_t kPanelsAPart = 16;
constexpr std::int64_t kKeysAPart = kPanelsAPart * kPanelKeys;

std::int64_t parts_of_keys(std::int64_t key_len) {
  return (key_len + kKeysAPart - 1) / kKeysAPart;
}

}  // namespace

PackedKeys::PackedKeys(const Tensor& key) : key_(key) {}

void PackedKeys::reserve(ScratchPool& scratch) {
  memory_.emplace(scratch.take(key_.dim(0) * key_.dim(1) * panels_per_head() * panel_floats()));
}

std::int64_t PackedKeys::parts() const {
  return key_.dim(0) * key_.dim(1) * parts_of_keys(key_.dim(2));
}

void PackedKeys::pack(std::int64_t part) {
  const std::int64_t per_head = parts_of_keys(key_.dim(2));
  const std::int64_t head = part / per_head;
  const std::int64_t first = part % per_head * kPanelsAPart;
  const std::int64_t last = std::min(first + kPanelsAPart, panels_per_head());
  for (std::int64_t p = first; p < last; ++p) {
    pack_to(head / key_.dim(1), head % key_.dim(1), p,
            memory_->data() + (head * panels_per_head() + p) * panel_floats());
  }
}

void PackedKeys::pack_to(std::int64_t b, std::int64_t kv_head, std::int64_t p, float* place) const {
  const Strides& strides = key_.strides();
  const std::int64_t first = p * kPanelKeys;
  const float* from = key_.data() + b * strides[0] + kv_head * strides[1] + first * strides[2];
  pack_key_panel(from, strides[2], std::min(kPanelKeys, key_.dim(2) - first), key_.dim(3), place);
}

const float* PackedKeys::panel(std::int64_t b, std::int64_t kv_head, std::int64_t p, float* place) const {
  if (memory_) return memory_->data() + ((b * key_.dim(1) + kv_head) * panels_per_head() + p) * panel_floats();
  pack_to(b, kv_head, p, place);
  return place;
}

FiniteValues::FiniteValues(const Tensor& value) : value_(value) {}

bool FiniteValues::use_in_place() {
  if (value_.dim(3) % kPanelFeatures != 0) return false;
  const Strides& strides = value_.strides();
  for (std::int64_t b = 0; b < value_.dim(0); ++b) {
    for (std::int64_t g = 0; g < value_.dim(1); ++g) {
      const float* first = value_.data() + b * strides[0] + g * strides[1];
      if (!all_finite(first, strides[2], value_.dim(2), value_.dim(3))) return false;
    }
  }
  return true;
}

void FiniteValues::reserve(ScratchPool& scratch) {
  memory_.emplace(scratch.take(value_.dim(0) * value_.dim(1) * panels() * value_.dim(2) * kPanelFeatures));
  others_.resize(static_cast<std::size_t>(parts()));
}

std::int64_t FiniteValues::parts_per_head() const {
  return parts_of_keys(value_.dim(2));
}

std::int64_t FiniteValues::parts() const {
  return value_.dim(0) * value_.dim(1) * parts_per_head();
}

void FiniteValues::pack(std::int64_t part) {
  const std::int64_t matrix = part / parts_per_head();
  const std::int64_t first = part % parts_per_head() * kKeysAPart;
  const std::int64_t keys = std::min(kKeysAPart, value_.dim(2) - first);
  const Strides& strides = value_.strides();
  const float* from =
      value_.data() + matrix / value_.dim(1) * strides[0] + matrix % value_.dim(1) * strides[1] + first * strides[2];
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
  return {memory_->data() + (b * value_.dim(1) + kv_head) * panels() * panel_distance, kPanelFeatures, panel_distance};
}

}  // namespace headscope
