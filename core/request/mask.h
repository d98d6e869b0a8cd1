// Which keys a query may see, and what is added to its scores.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

// The keys that one query sees: at most two runs, in increasing order, with a gap between them. An empty run is {0, 0};
// `second` is empty when `first` is.
struct VisibleKeys {
  Range first, second;
  std::int64_t count() const { return first.size() + second.size(); }
  bool contains(std::int64_t j) const {
    return (first.begin <= j && j < first.end) || (second.begin <= j && j < second.end);
  }
  friend bool operator==(const VisibleKeys&, const VisibleKeys&) = default;
};

// The cells that causal, window, prefix and padding terms leave visible together. Each of these terms leaves one
// interval of keys visible, so all together do too: with p = i + diagonal, query i sees
//   max(0, p - reach) <= j < min(keys - padding, p + reach + 1, max(p + 1, open)),
// where `keys` is key_len without the extra key.
struct MaskRule {
  static constexpr std::int64_t kNoLimit = std::int64_t{1} << 61;  // sums of two stay within 64 bits
  std::int64_t diagonal = 0;                                       // added to i: p = i + diagonal
  std::int64_t reach = kNoLimit;                                   // keys that a window shows on each side of p
  std::int64_t open = kNoLimit;   // every query sees the keys before this one; causal: 0
  std::int64_t padding = 0;       // hidden keys at the end
  bool inverted = false;          // exchanges hidden and visible
  bool extra_key = false;         // the last key, of bias_k: always visible
  bool open_hidden_rows = false;  // a query that would see no key sees all keys

  bool ordered() const { return open != kNoLimit; }  // from key `open` on, no query sees a key after its own place
  bool causal() const { return open <= 0; }          // no query sees a key after its own place
  friend bool operator==(const MaskRule&, const MaskRule&) = default;
};

// Which cells of [batch, heads, query_len, key_len] are hidden: a rule, which takes no memory, or one byte a cell (1 =
// hidden) when a mask file takes part or mutable_row() was called. A batch or head axis of size 1 stands for all batch
// items or heads. Indices are asserted.
class HiddenCells {
 public:
  HiddenCells() = default;
  HiddenCells(std::int64_t batch, std::int64_t heads, std::int64_t query_len, std::int64_t key_len, MaskRule rule = {});
  std::int64_t batch() const { return batch_; }
  std::int64_t heads() const { return heads_; }
  std::int64_t query_len() const { return query_len_; }
  std::int64_t key_len() const { return key_len_; }

  bool any() const { return any_; }  // some cell is hidden
  bool hidden(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const;
  // In constant time; nullopt when bytes are kept, which need not be two runs.
  std::optional<VisibleKeys> visible_keys(std::int64_t b, std::int64_t h, std::int64_t i) const;
  std::int64_t visible_count(std::int64_t b, std::int64_t h, std::int64_t i) const;  // keys
  bool all_hidden(std::int64_t b, std::int64_t h, std::int64_t i) const;             // false when there are no keys
  std::int64_t hidden_count(std::int64_t b, std::int64_t h) const;                   // of query_len * key_len
  // 1 = hidden, for the keys first_key ... first_key + out.size() - 1.
  void read_row(std::int64_t b, std::int64_t h, std::int64_t i, std::span<std::uint8_t> out,
                std::int64_t first_key = 0) const;

  // The same cells, except that in rows whose every key is hidden every key is visible.
  HiddenCells with_hidden_rows_opened() const;

  // The key_len bytes of a row, to be written: 1 = hidden. The first call turns a rule into bytes. any() is right again
  // after refresh_any().
  std::uint8_t* mutable_row(std::int64_t b, std::int64_t h, std::int64_t i);
  void refresh_any();

  // The same cells kept in the same way.
  friend bool operator==(const HiddenCells&, const HiddenCells&) = default;

 private:
  std::int64_t row_number(std::int64_t b, std::int64_t h, std::int64_t i) const;
  VisibleKeys keys_by_rule(std::int64_t i) const;
  const std::uint8_t* bytes_of(std::int64_t b, std::int64_t h, std::int64_t i) const;

  std::int64_t batch_ = 0, heads_ = 0, query_len_ = 0, key_len_ = 0;
  MaskRule rule_;
  bool any_ = false;
  bool has_bytes_ = false;
  std::vector<std::uint8_t> bytes_;
};

// Rows of [batch, heads, query] whose every key is hidden.
struct FullyMaskedRows {
  std::int64_t count = 0;
  std::vector<std::int64_t> queries;  // increasing, each once
};
FullyMaskedRows fully_masked_rows(const HiddenCells& hidden, std::int64_t batch, std::int64_t heads);

// A mask file as read, before --mask-kind is applied. rank 1 to 4, broadcast to [batch, heads, query_len, key_len].
struct MaskFile {
  std::string path;
  Tensor values;
  bool is_whole = false;  // npy dtype bool or an integer: keep is the default meaning, else additive
  // Of a capture or of the model itself: it has its default meaning, whatever --mask-kind says of files.
  bool is_captured = false;
  // Of biases that a model takes from a table [rows, heads], which `path` then names: the row of every cell,
  // [query_len * key_len]. Else empty.
  std::vector<std::int64_t> rows = {};
};

struct Mask {
  HiddenCells hidden;  // always sized, also when nothing is hidden
  Tensor added;        // finite additive values, [batch|1, heads|1, query_len, key_len]; empty when there are none
  // Of a mask for pictures: cells that the terms hide and that may hold weight all the same, so that `hidden` has them
  // as visible; pictures mark those whose number is not 0 (core/attention/hidden_weight.h). Without size: none.
  HiddenCells marked = {};
};

// Whether the request paints over the mask.
bool any_painted(const Request& request);

// The sizes of the scores that a mask lies on.
struct MaskSizes {
  std::int64_t batch = 1, heads = 1, query_len = 0;
  std::int64_t key_len = 0;  // counts the key of bias_k
  bool extra_key = false;    // the last key is that of bias_k
};

// Unites the hidden cells of all terms and sums what they add, the same term once; the request's painted cells lie over
// all of them, the last one on top. Positional terms see i counted from the aligned diagonal. The extra key is never
// hidden and nothing is added to it. With Variant::mask_inverted hidden and visible are exchanged (but for the extra
// key). `own`: positional terms of the model, which count as well; empty when it has none. Throws UsageError when a
// file does not broadcast, naming both shapes.
Mask build_mask(const Request& request, const std::vector<MaskFile>& files, const MaskSizes& sizes,
                std::span<const MaskTerm> own = {});

}  // namespace headscope
