// Pairs of ids that a byte pair encoding joins.
#pragma once

#include <cstdint>
#include <vector>

namespace headscope {

class PairTable {
 public:
  struct Merge {
    std::uint32_t rank;
    std::int32_t merged;
  };

  // A pair that is set again takes the later rank.
  void set(std::int32_t left, std::int32_t right, Merge merge) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[slot_of(key_of(left, right))];
    if (slot.key == kFree) ++count_;
    slot = {key_of(left, right), merge};
  }

  // Null when the pair is not joined.
  const Merge* find(std::int32_t left, std::int32_t right) const {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[slot_of(key_of(left, right))];
    return slot.key == kFree ? nullptr : &slot.merge;
  }

  std::size_t size() const { return count_; }

  // f(the id that a pair becomes) for every pair, in no order.
  template <typename F>
  void each(F&& f) const {
    for (const Slot& slot : slots_) {
      if (slot.key != kFree) f(slot.merge.merged);
    }
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key = kFree;
    Merge merge = {0, 0};
  };

  static std::uint64_t key_of(std::int32_t left, std::int32_t right) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) | static_cast<std::uint32_t>(right);
  }
  // Open addressing; the multiplier is 2^64 divided by the golden ratio.
  std::size_t slot_of(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::uint64_t mixed = (key ^ (key >> 29)) * 0x9E3779B97F4A7C15u;
    std::size_t slot = static_cast<std::size_t>(mixed ^ (mixed >> 32)) & mask;
    while (slots_[slot].key != kFree && slots_[slot].key != key) slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 1024 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.key != kFree) slots_[slot_of(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace headscope
