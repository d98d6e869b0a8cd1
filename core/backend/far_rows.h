// Rows of scores that are too long for the caches. Keys are then what a block of rows reads from memory, so a block has
// many rows; its scores go to memory past the caches, and come back a row at a time.
#pragma once

#include <cstdint>

#include "core/backend/kernels/softmax.h"
#include "core/tensor/shape.h"

namespace headscope {

class FarRows {
 public:
  // Keys whose scores are gathered in the cache before they are written.
  static constexpr std::int64_t kKeys = 512;
  // A row of them, and a cache line more, so that rows do not lie a power of two apart.
  static constexpr std::int64_t kGatheredStride = kKeys + 16;

  // Floats of memory for so many rows, `stride` apart.
  static std::int64_t floats(std::int64_t rows, std::int64_t stride) { return rows * (kGatheredStride + stride); }
  // `memory` is aligned to 64 bytes, and `stride` a multiple of 16.
  FarRows(float* memory, std::int64_t rows, std::int64_t stride);

  // Where the score of this row and key is to be put; rows are kGatheredStride apart.
  float* gathered(std::int64_t row, std::int64_t key) const { return memory_ + row * kGatheredStride + key % kKeys; }
  // Writes what was gathered of these keys, of all rows. They lie within kKeys from a multiple of it on.
  void write(Range keys) const;
  // Copies the cells of the spans to `to`, which is indexed by key.
  void read(std::int64_t row, const KeySpans& spans, float* to) const;

 private:
  float* row(std::int64_t number) const { return memory_ + rows_ * kGatheredStride + number * stride_; }

  float* const memory_;
  const std::int64_t rows_, stride_;
};

}  // namespace headscope
