// Which keys a query may see, and what is added to its scores.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/request.h"
#include "core/model/inputs.h"
#include "core/tensor/tensor.h"

namespace headscope {

// One byte per (batch, head, query, key), 1 = hidden. A batch or head axis of size 1 stands for all.
class HiddenCells {
 public:
  HiddenCells() = default;
  HiddenCells(std::int64_t batch, std::int64_t heads, std::int64_t query_len, std::int64_t key_len);
  bool any() const { return any_; }
  bool hidden(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const { return row(b, h, i)[j] != 0; }
  const std::uint8_t* row(std::int64_t b, std::int64_t h, std::int64_t i) const;  // key_len bytes
  std::uint8_t* mutable_row(std::int64_t b, std::int64_t h, std::int64_t i);
  std::int64_t batch() const { return batch_; }
  std::int64_t heads() const { return heads_; }
  std::int64_t query_len() const { return query_len_; }
  std::int64_t key_len() const { return key_len_; }
  std::int64_t hidden_count(std::int64_t b, std::int64_t h) const;  // of query_len * key_len
  void refresh_any();                                               // after writing rows

 private:
  std::int64_t batch_ = 0, heads_ = 0, query_len_ = 0, key_len_ = 0;
  bool any_ = false;
  std::vector<std::uint8_t> cells_;
};

struct Mask {
  HiddenCells hidden;  // always sized, also when nothing is hidden
  Tensor added;        // finite additive values, [batch|1, heads|1, query_len, key_len]; empty when there are none
};

// Unites the hidden cells of all terms and sums the added values. Positional terms see i counted from the aligned
// diagonal. key_len counts the key of bias_k when there is one (`extra_key`): it is never hidden and nothing is added
// to it. With Variant::mask_inverted hidden and visible are exchanged (but for the extra key).
// Throws UsageError when a file does not broadcast, naming both shapes.
Mask build_mask(const Request& request, const std::vector<MaskFile>& files, std::int64_t batch, std::int64_t heads,
                std::int64_t query_len, std::int64_t key_len, bool extra_key);

}  // namespace headscope
