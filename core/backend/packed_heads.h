// Keys and values of all heads in the order in which the products of attention read them.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/backend/kernels/attention_products.h"
#include "core/backend/scratch.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Keys in panels: packed beforehand when many blocks of queries read them, or each as it is read.
class PackedKeys {
 public:
  // key [batch, kv_heads, key_len, head_dim] with a last stride of 1; must outlive this.
  explicit PackedKeys(const Tensor& key);

  // Packs all panels, in parts() independent parts.
  void reserve(ScratchPool& scratch);
  std::int64_t parts() const;
  void pack(std::int64_t part);

  // Panel p of the keys 32 p ... 32 p + 31: packed to `place`, of panel_floats(), when it was not packed before.
  const float* panel(std::int64_t b, std::int64_t kv_head, std::int64_t p, float* place) const;
  // Whether panels were packed before; those of one head then follow one another.
  bool packed() const { return memory_.has_value(); }
  std::int64_t panel_floats() const { return kPanelKeys * key_.dim(3); }

 private:
  void pack_to(std::int64_t b, std::int64_t kv_head, std::int64_t p, float* place) const;
  std::int64_t panels_per_head() const { return (key_.dim(2) + kPanelKeys - 1) / kPanelKeys; }

  const Tensor& key_;
  std::optional<ScratchPool::Lease> memory_;
};

// Values with every NaN and infinity replaced by 0, and where those were: products with the finite part never meet
// 0 * NaN; what a visible cell sees is added afterwards.
class FiniteValues {
 public:
  struct Other {
    std::int64_t key, feature;
    float value;
  };
  // What multiply_weight_value wants to know of one head.
  struct Head {
    const float* value = nullptr;
    std::int64_t stride = 0;
    std::int64_t panel_distance = 0;
  };

  // value [batch, kv_heads, key_len, value_head_dim] with a last stride of 1; must outlive this.
  explicit FiniteValues(const Tensor& value);

  // Reads the values where they lie, when they are finite and whole panels wide; says whether it can. For few queries.
  bool use_in_place();
  // Or packs them, in parts() independent parts.
  void reserve(ScratchPool& scratch);
  std::int64_t parts() const;
  void pack(std::int64_t part);

  std::int64_t panels() const { return (value_.dim(3) + kPanelFeatures - 1) / kPanelFeatures; }
  Head head(std::int64_t b, std::int64_t kv_head) const;
  // Calls visit(other) for what is not finite in the head, in the order of keys.
  template <typename Visit>
  void visit_others(std::int64_t b, std::int64_t kv_head, Visit&& visit) const {
    if (!any_other_.load(std::memory_order_relaxed)) return;
    const std::int64_t first = (b * value_.dim(1) + kv_head) * parts_per_head();
    for (std::int64_t part = first; part < first + parts_per_head(); ++part) {
      for (const Other& other : others_[static_cast<std::size_t>(part)]) visit(other);
    }
  }

 private:
  std::int64_t parts_per_head() const;

  const Tensor& value_;
  std::optional<ScratchPool::Lease> memory_;
  std::atomic<bool> any_other_{false};
  std::vector<std::vector<Other>> others_;  // one list a part; empty when nothing was packed
};

}  // namespace headscope
