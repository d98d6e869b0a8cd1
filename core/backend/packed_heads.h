// Keys and values of all heads in the order in which the products of attention read them.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/backend/kernels/attention_products.h"
#include "core/backend/scratch.h"
#include "core/tensor/parts.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Some heads of [batch, heads, len, features].
struct HeadRange {
  Range batch, heads;
  std::int64_t count() const { return batch.size() * heads.size(); }
  // The place of (b, h) among them.
  std::int64_t number(std::int64_t b, std::int64_t h) const {
    return (b - batch.begin) * heads.size() + h - heads.begin;
  }
  friend bool operator==(const HeadRange&, const HeadRange&) = default;
};

// Keys in panels: all packed beforehand when many blocks of queries read them, or each panel packed when it is read.
class PackedKeys {
 public:
  // The given kv heads of key [batch, kv_heads, key_len, head_dim] with a last stride of 1. Does not keep key alive;
  // once packed, it does not read it either.
  PackedKeys(const Tensor& key, HeadRange heads);

  // Packs all panels, in parts() independent parts.
  void reserve(ScratchPool& scratch);
  std::int64_t parts() const;
  void pack(std::int64_t part);

  // Panel p of the keys 32 p ... 32 p + 31: packed to `place`, of panel_floats(), when it was not packed before.
  const float* panel(std::int64_t b, std::int64_t kv_head, std::int64_t p, float* place) const;
  // Whether panels were packed before; those of one head then follow one another.
  bool packed() const { return memory_.has_value(); }
  std::int64_t panel_floats() const { return kPanelKeys * head_dim_; }
  std::int64_t bytes() const;

 private:
  void pack_to(std::int64_t b, std::int64_t kv_head, std::int64_t p, float* place) const;
  std::int64_t panels_per_head() const { return parts_over(key_len_, kPanelKeys); }

  const float* key_;
  Strides strides_;
  std::int64_t key_len_, head_dim_;
  HeadRange heads_;
  std::optional<ScratchPool::Lease> memory_;
};

// Packed keys of long sequences, kept as long as the keys themselves live: for a few queries at a time, packing would
// cost more than the products. Thread-safe; beyond `most_bytes` the least recently used are dropped first.
class KeptKeys {
 public:
  explicit KeptKeys(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  // Null when they are not there.
  std::shared_ptr<const PackedKeys> find(const Tensor& key, const HeadRange& heads);
  void keep(const Tensor& key, const HeadRange& heads, std::shared_ptr<const PackedKeys> packed);

 private:
  struct Entry {
    const float* data;
    Shape shape;
    Strides strides;
    HeadRange heads;
    std::weak_ptr<const void> memory;
    std::shared_ptr<const PackedKeys> packed;
  };

  const std::int64_t most_bytes_;
  std::mutex mutex_;
  std::list<Entry> entries_;  // most recently used first
};

// Values with every NaN and infinity replaced by 0, and a list of the replaced ones: products with the finite part
// never compute 0 * NaN; the replaced values are added afterwards for the cells that may see them.
class FiniteValues {
 public:
  struct Other {
    std::int64_t key, feature;
    float value;
  };
  // The values of one head, as multiply_weight_value reads them.
  struct Head {
    const float* value = nullptr;
    std::int64_t stride = 0;
    std::int64_t panel_distance = 0;
  };

  // The given kv heads of value [batch, kv_heads, key_len, value_head_dim] with a last stride of 1; must outlive this.
  FiniteValues(const Tensor& value, HeadRange heads);

  // Reads the values in place, when they are finite and whole panels wide; returns whether it can. For few queries.
  bool use_in_place();
  // Or packs them, in parts() independent parts.
  void reserve(ScratchPool& scratch);
  std::int64_t parts() const;
  void pack(std::int64_t part);

  std::int64_t panels() const { return parts_over(value_.dim(3), kPanelFeatures); }
  Head head(std::int64_t b, std::int64_t kv_head) const;
  // Calls visit(other) for every value of the head that is not finite, in the order of keys.
  template <typename Visit>
  void visit_others(std::int64_t b, std::int64_t kv_head, Visit&& visit) const {
    if (!any_other_.load(std::memory_order_relaxed)) return;
    const std::int64_t first = heads_.number(b, kv_head) * parts_per_head();
    for (std::int64_t part = first; part < first + parts_per_head(); ++part) {
      for (const Other& other : others_[static_cast<std::size_t>(part)]) visit(other);
    }
  }

 private:
  std::int64_t parts_per_head() const;

  const Tensor& value_;
  HeadRange heads_;
  std::optional<ScratchPool::Lease> memory_;
  std::atomic<bool> any_other_{false};
  std::vector<std::vector<Other>> others_;  // one list a part; empty when nothing was packed
};

}  // namespace headscope
