// Weights in the order in which kernels read them, kept as long as the weights themselves live.
#pragma once

#include <list>
#include <memory>
#include <mutex>

#include "core/backend/kernels/packed_matrix.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Finds the packed form of a weight by the address of its numbers. Thread-safe. An entry does not keep its weight alive
// and is dropped with it; beyond `most_bytes` of packed numbers, the least recently used are dropped first. Weights
// that are computed when read (the blocks of few bits of a GGUF file) are many times as large when packed: they are
// kept only while there is room among `most_computed_bytes`.
class PackedWeights {
 public:
  static constexpr std::int64_t kMostComputedBytes = std::int64_t{1} << 28;
  explicit PackedWeights(std::int64_t most_bytes, std::int64_t most_computed_bytes = kMostComputedBytes)
      : most_bytes_(most_bytes), most_computed_bytes_(most_computed_bytes) {}

  // Null when it is not kept.
  std::shared_ptr<const PackedMatrix> find(const Tensor& weight);
  void keep(const Tensor& weight, std::shared_ptr<const PackedMatrix> packed);

  // Whether keep() would keep the packed form of `weight`.
  bool has_room_for(const Tensor& weight) const;

  // Bytes of all packed weights that are kept.
  std::int64_t bytes() const;

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
    bool computed;
    std::weak_ptr<const void> memory;
    std::shared_ptr<const PackedMatrix> packed;
  };
  static Place place_of(const Tensor& weight);
  void forget_dead();
  bool takes(const Tensor& weight, std::int64_t bytes) const;

  const std::int64_t most_bytes_, most_computed_bytes_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // most recently used first
};

// Bytes of packed weights that a backend keeps: a quarter of the machine's memory, at least 1 GiB. A model with more
// weights than that is packed again by every forward.
std::int64_t most_packed_bytes();

// Whether the numbers of a weight lie in memory, of whatever type.
bool lies_in_memory(const Tensor& weight);

// A weight whose numbers lie in memory, as pack_panel() reads it.
MatrixSource matrix_source_of(const Tensor& weight);

}  // namespace headscope
