// Which tokens the rows of concat read, and which of them the mask was to hide.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/assert.h"
#include "core/compare/variant_effect.h"

namespace headscope {
namespace {

// A set of token positions.
class Tokens {
 public:
  explicit Tokens(std::int64_t count) : words_(static_cast<std::size_t>((count + 63) / 64), 0), count_(count) {}
  void add(std::int64_t t) { words_[static_cast<std::size_t>(t / 64)] |= std::uint64_t{1} << (t % 64); }
  void add_all() {
    for (std::int64_t t = 0; t < count_; ++t) add(t);
  }
  void add(const Tokens& other) {
    for (std::size_t k = 0; k < words_.size(); ++k) words_[k] |= other.words_[k];
  }
  bool has(std::int64_t t) const { return (words_[static_cast<std::size_t>(t / 64)] >> (t % 64) & 1) != 0; }
  std::int64_t size() const {
    std::int64_t size = 0;
    for (std::uint64_t word : words_) {
      for (; word != 0; word &= word - 1) ++size;
    }
    return size;
  }

 private:
  std::vector<std::uint64_t> words_;
  std::int64_t count_;
};

// What one head's rows read in the wrong trace.
struct HeadReads {
  const Trace& wrong;
  std::int64_t b, h, queries, keys, tokens;
  bool same_tokens;  // query i and key i are the same token

  std::vector<Tokens> rows() const {
    const std::vector<float> weights = head_weights();
    const bool by_column = has_variant(wrong.request, Variant::softmax_over_queries);
    const bool late_mask = has_variant(wrong.request, Variant::mask_after_softmax);
    const bool mixes_keys = has_variant(wrong.request, Variant::key_not_transposed);
    const auto at = [&](std::int64_t i, std::int64_t j) { return weights[static_cast<std::size_t>(i * keys + j)]; };
    // The queries whose scores stand in the sum of a column.
    std::vector<Tokens> columns;
    std::vector<bool> several;  // more than one of them
    if (by_column) {
      columns.assign(static_cast<std::size_t>(keys), Tokens(tokens));
      for (std::int64_t j = 0; j < keys; ++j) {
        Tokens& column = columns[static_cast<std::size_t>(j)];
        for (std::int64_t i = 0; i < queries; ++i) {
          if (late_mask || at(i, j) != 0) column.add(i);
        }
        several.push_back(column.size() > 1);
      }
    }
    std::vector<Tokens> result(static_cast<std::size_t>(queries), Tokens(tokens));
    for (std::int64_t i = 0; i < queries; ++i) {
      Tokens& reads = result[static_cast<std::size_t>(i)];
      bool any = false, scores_matter = false;
      std::int64_t support = 0;
      for (std::int64_t j = 0; j < keys; ++j) {
        const float weight = at(i, j);
        if (std::isnan(weight)) {  // the row's context is NaN, whatever its tokens are
          any = false;
          reads = Tokens(tokens);
          break;
        }
        if (weight == 0) continue;
        any = true;
        ++support;
        reads.add(j);
        if (!by_column) continue;
        if (!several[static_cast<std::size_t>(j)]) continue;
        scores_matter = true;
        if (same_tokens) reads.add(columns[static_cast<std::size_t>(j)]);
      }
      if (!any) continue;
      if (same_tokens) reads.add(i);
      if (!by_column) scores_matter = support > 1 || (late_mask && keys > 1);
      if ((late_mask && !by_column) || (mixes_keys && scores_matter)) reads.add_all();
    }
    return result;
  }

 private:
  std::vector<float> head_weights() const {
    std::vector<float> weights(static_cast<std::size_t>(queries * keys));
    wrong.tensor(StageId::weights).read({{b, b + 1}, {h, h + 1}, {0, queries}, {0, keys}}, weights);
    return weights;
  }
};

}  // namespace

MaskLeak mask_leak(const Trace& right, const Trace& wrong, const CancelToken& cancel) {
  MaskLeak leak;
  const HiddenCells& hidden = right.mask->hidden;
  if (!hidden.any()) return leak;
  leak.masked = true;
  const Inputs& inputs = *right.inputs;
  const std::int64_t heads = inputs.num_heads, queries = inputs.query_len, keys = right.key_len();
  const bool same_tokens = inputs.key_x.empty() && queries == inputs.key_len;
  const std::int64_t tokens = std::max(keys, queries);
  leak.rows = inputs.batch * queries;
  for (std::int64_t b = 0; b < inputs.batch; ++b) {
    std::vector<std::vector<Tokens>> reads;
    for (std::int64_t h = 0; h < heads; ++h) {
      cancel.check();
      reads.push_back(HeadReads{wrong, b, h, queries, keys, tokens, same_tokens}.rows());
    }
    for (std::int64_t i = 0; i < queries; ++i) {
      Tokens row(tokens);
      for (std::int64_t block = 0; block < heads; ++block) {
        const Provenance from =
            provenance_of(wrong.request.merge, heads, queries, inputs.value_head_dim, i, block * inputs.value_head_dim);
        row.add(reads[static_cast<std::size_t>(from.head)][static_cast<std::size_t>(from.position)]);
      }
      bool leaks = false;
      for (std::int64_t j = 0; j < inputs.key_len; ++j) {
        if (!row.has(j) || (same_tokens && j == i)) continue;
        bool seen = false;
        for (std::int64_t h = 0; h < heads && !seen; ++h) seen = !hidden.hidden(b, h, i, j);
        if (seen) continue;
        if (leak.row < 0) {
          leak.row = i;
          leak.token = j;
        }
        leaks = true;
        leak.from_the_future = leak.from_the_future || (same_tokens && j > i);
      }
      leak.leaking += leaks ? 1 : 0;
    }
  }
  return leak;
}

}  // namespace headscope
