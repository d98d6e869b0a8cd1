// Weights in the order in which kernels read them, kept as long as the weights themselves live.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/backend/kernels/packed_matrix.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Finds the packed form of a weight by the address of its numbers. Thread-safe. An entry does not keep its weight alive
// and is dropped with it. Packing pays when a weight is used again and again and its panels stay in a cache: so the
// first use of a weight packs nothing, and at most `most_bytes` of panels are kept. Room is made only of weights that
// were not used since the one that wants it: a model of which every run uses all weights in turn keeps those that it
// has, and one that nobody looks at any more makes room.
class PackedWeights {
 public:
  // About twice what the third cache of a processor holds.
  static constexpr std::int64_t kMostBytes = std::int64_t{1} << 26;
  explicit PackedWeights(std::int64_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  // Null when it is not kept. Counts as a use of the weight.
  std::shared_ptr<const PackedMatrix> find(const Tensor& weight);

  // Whether keep() would keep the packed form of `weight`, which find() has just not found: it was used before, and
  // there is room.
  bool wants(const Tensor& weight);
  void keep(const Tensor& weight, std::shared_ptr<const PackedMatrix> packed);

  // Bytes of all packed weights that are kept.
  std::int64_t bytes();

 private:
  // Where the numbers of a weight lie.
  struct Place {
    const void* data;
    NumberType type;
    Shape shape;
    Strides strides;
    bool operator==(const Place&) const = default;
  };
  struct Entry {
    Place place;
    std::weak_ptr<const void> memory;
    std::uint64_t used = 0, used_before = 0;       // the last two uses, counted from 1; 0: none
    std::shared_ptr<const PackedMatrix> packed{};  // null: only known to have been used
  };
  using Entries = std::unordered_multimap<const void*, Entry>;  // by Place::data
  static Place place_of(const Tensor& weight);
  Entry* entry_of(const Tensor& weight);
  void drop_dead_panels();
  void forget_dead();
  std::int64_t bytes_used_after(std::uint64_t use);

  const std::int64_t most_bytes_;
  std::mutex mutex_;
  Entries entries_;
  std::vector<Entry*> kept_;  // of entries_, those with panels
  std::uint64_t uses_ = 0;
  std::size_t new_entries_ = 0;  // since those that are dead were last dropped
};

// Whether the numbers of a weight lie in memory, of whatever type.
bool lies_in_memory(const Tensor& weight);

// A weight whose numbers lie in memory, as PackedMatrix::pack() reads it.
MatrixSource matrix_source_of(const Tensor& weight);

// How the panels of a weight hold its numbers: as they lie in memory, and as float32 where they are computed.
PanelType panel_type_of(const Tensor& weight);

}  // namespace headscope
