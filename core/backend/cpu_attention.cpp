// Attention of the cpu backend in one pass over blocks of rows, and the product of weights and values alone.
#include <algorithm>
#include <optional>

#include "core/backend/cpu_backend.h"
#include "core/backend/operands.h"
#include "core/backend/packed_heads.h"
#include "core/backend/row_block.h"
#include "core/base/assert.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

// Weights of this many floats or more have left the caches before a reader comes to them.
constexpr std::int64_t kPastCaches = std::int64_t{1} << 21;
// Queries up to this many read values where they lie.
constexpr std::int64_t kFewQueries = 16;

bool leaves_caches(const ScoreOperands& of, const QueryRange& part) {
  return part.batch.size() * part.heads.size() * part.queries.size() * of.key.dim(2) >= kPastCaches;
}

void check_part(const QueryRange& part, const ScoreSizes& size, const AttentionResults& to) {
  const Shape rows{part.batch.size(), part.heads.size(), part.queries.size()};
  const auto fits = [&](const Tensor& result) {
    bool fit = true;
    for (int axis = 0; axis < 3; ++axis) fit = fit && (result.empty() || result.dim(axis) == rows[axis]);
    return fit && (result.rank() < 4 || result.dim(3) <= 1 || result.strides()[3] == 1);
  };
  HEADSCOPE_ASSERT(
      fits(to.weights) && fits(to.dropped) && fits(to.context) && fits(to.statistics.max) && fits(to.statistics.sum),
      "results for rows " + to_string(rows));
  const auto keys_fit = [&](const Tensor& result) {
    return result.empty() || result.dim(3) == size.key_len || (to.context.empty() && result.dim(3) < size.key_len);
  };
  HEADSCOPE_ASSERT(keys_fit(to.weights) && keys_fit(to.dropped),
                   "weights for " + std::to_string(size.key_len) + " keys");
}

// Few blocks of few rows: none is much smaller than the others, for which a thread would wait.
std::int64_t rows_at_once_of(std::int64_t most, std::int64_t queries) {
  const std::int64_t rows = std::min(most, std::max<std::int64_t>(queries, 1));
  return rows == kStripRows ? std::max<std::int64_t>(1, parts_over(queries, parts_over(queries, rows))) : rows;
}

}  // namespace

void CpuBackend::attention(const ScoreOperands& of, const Tensor& value, const QueryRange& part, AttentionResults& to,
                           const CancelToken& cancel) const {
  attend(of, value, part, {to, nullptr, leaves_caches(of, part)}, cancel);
}

void CpuBackend::attention_with_rows(const ScoreOperands& of, const Tensor& value, const QueryRange& part,
                                     const StageRows& rows, AttentionResults& to, const CancelToken& cancel) const {
  attend(of, value, part, {to, &rows, leaves_caches(of, part)}, cancel);
}

std::optional<RowStatistics> CpuBackend::visit_weights(const ScoreOperands& of, const QueryRange& part,
                                                       const VisitWeights& visit, const CancelToken& cancel) const {
  AttentionResults results;
  results.statistics = sized_row_statistics({part.batch.size(), part.heads.size(), part.queries.size()});
  attend(of, {}, part, {.to = results, .visit_weights = &visit}, cancel);
  return results.statistics;
}

void CpuBackend::attend(const ScoreOperands& of, const Tensor& value, const QueryRange& part, const Wanted& wanted,
                        const CancelToken& cancel) const {
  AttentionResults& to = wanted.to;
  const Tensor& key = of.key;
  const ScoreSizes size = score_sizes(of.query, key, {part.batch, part.heads, part.queries, {0, key.dim(2)}});
  check_part(part, size, to);
  const Tensor q = with_unit_last_stride(of.query);
  const Tensor k = with_unit_last_stride(key);
  const bool wants_context = !to.context.empty();
  HEADSCOPE_ASSERT(!wants_context || (value.rank() == 4 && value.dim(2) == size.key_len &&
                                      to.context.dim(3) == value.dim(3) && value.dim(1) == key.dim(1)),
                   "context without values for " + to_string(key.shape()));
  const Tensor v = wants_context ? with_unit_last_stride(value) : Tensor();
  const std::int64_t queries = part.queries.size();
  const std::int64_t heads = part.heads.size();
  const std::int64_t matrices = part.batch.size() * heads;
  const bool far = wanted.visit_weights != nullptr && rows_lie_far(size.key_len);
  const std::int64_t rows_at_once = rows_at_once_of(rows_of_block(size.key_len, far), queries);
  const std::int64_t blocks = parts_over(queries, rows_at_once);
  const double work = static_cast<double>(matrices * queries) * static_cast<double>(size.key_len) *
                      static_cast<double>(size.head_dim + (wants_context ? v.dim(3) : 0));

  const HeadRange kv_heads = kv_heads_of(part.batch, part.heads, size.heads_per_kv_head);
  const bool pack_keys = blocks > 1 || (blocks == 1 && size.heads_per_kv_head > 1);
  const std::shared_ptr<const PackedKeys> keys = packed_keys(k, kv_heads, queries, pack_keys, work, cancel);
  std::optional<FiniteValues> values;
  if (wants_context) {
    values.emplace(v, kv_heads);
    if (queries > kFewQueries || !values->use_in_place()) {
      values->reserve(scratch_);
      run(values->parts(), work, cancel, [&](std::int64_t i) { values->pack(i); });
    }
  }

  const ScoreRows rows(of.rule);
  const AttentionPass pass{rows,
                           q,
                           *keys,
                           values ? &*values : nullptr,
                           size.heads_per_kv_head,
                           size.head_dim,
                           wants_context ? v.dim(3) : 0,
                           part,
                           to,
                           wanted.past_caches,
                           wanted.rows,
                           wanted.visit_weights,
                           far};
  run(matrices * blocks, work, cancel, [&](std::int64_t task) {
    const std::int64_t matrix = task / blocks;
    // The last rows first: under a causal mask they take longest.
    const std::int64_t block = blocks - 1 - task % blocks;
    const std::int64_t first = part.queries.begin + block * rows_at_once;
    const std::int64_t last = std::min(first + rows_at_once, part.queries.end);
    const ScratchPool::Lease scratch = scratch_.take(scratch_of_block(pass, last - first));
    compute_row_block(pass, part.batch.begin + matrix / heads, part.heads.begin + matrix % heads, {first, last},
                      scratch.data(), cancel);
    if (pass.past_caches || pass.far) finish_stores();
  });
}

std::shared_ptr<const PackedKeys> CpuBackend::packed_keys(const Tensor& key, const HeadRange& kv_heads,
                                                          std::int64_t queries, bool pack, double work,
                                                          const CancelToken& cancel) const {
  // Below this packing is quick, and keys change with every token that is typed.
  constexpr std::int64_t kLong = 4096;
  const bool keeps = key.dim(2) >= kLong && queries < key.dim(2);
  if (keeps) {
    if (std::shared_ptr<const PackedKeys> known = kept_keys_.find(key, kv_heads)) return known;
  }
  const auto keys = std::make_shared<PackedKeys>(key, kv_heads);
  if (!pack && !keeps) return keys;
  keys->reserve(scratch_);
  run(keys->parts(), work, cancel, [&](std::int64_t i) { keys->pack(i); });
  if (keeps) kept_keys_.keep(key, kv_heads, keys);
  return keys;
}

Tensor CpuBackend::weighted_values(const Tensor& weights, const Tensor& value, const HiddenCells& hidden,
                                   const CancelToken& cancel) const {
  constexpr std::int64_t kRows = 48;
  const ContextSizes size = context_sizes(weights, value, hidden);
  Tensor result = Tensor::zeros({size.batch, size.heads, size.query_len, size.value_head_dim},
                                {Axis::batch, Axis::head, Axis::position, Axis::feature});
  if (result.size() == 0) return result;
  const Tensor w = with_unit_last_stride(weights);
  const Tensor v = with_unit_last_stride(value);
  const double work = static_cast<double>(w.size()) * static_cast<double>(size.value_head_dim);
  FiniteValues values(v, {{0, v.dim(0)}, {0, v.dim(1)}});
  values.reserve(scratch_);
  run(values.parts(), work, cancel, [&](std::int64_t i) { values.pack(i); });

  const std::int64_t row_tiles = parts_over(size.query_len, kRows);
  const std::int64_t stride = values.panels() * kPanelFeatures;
  float* context = result.mutable_data();
  run(size.batch * size.heads * row_tiles, work, cancel, [&](std::int64_t tile) {
    const std::int64_t matrix = tile / row_tiles;
    const std::int64_t b = matrix / size.heads;
    const std::int64_t h = matrix % size.heads;
    const std::int64_t kv_head = h / size.heads_per_kv_head;
    const std::int64_t row = tile % row_tiles * kRows;
    const std::int64_t rows = std::min(kRows, size.query_len - row);
    const float* first = w.data() + b * w.strides()[0] + h * w.strides()[1] + row * w.strides()[2];
    const ScratchPool::Lease sums = scratch_.take(rows * stride);
    std::fill_n(sums.data(), rows * stride, 0.0F);
    const FiniteValues::Head head = values.head(b, kv_head);
    WeightValueBlock block;
    block.weight_stride = w.strides()[2];
    block.rows = rows;
    block.value_stride = head.stride;
    block.panel_distance = head.panel_distance;
    block.panels = values.panels();
    block.context = sums.data();
    block.context_stride = stride;
    for (std::int64_t j = 0; j < size.key_len; j += kKeysAtOnce) {
      block.weights = first + j;
      block.keys = std::min(kKeysAtOnce, size.key_len - j);
      block.value = head.value + j * head.stride;
      multiply_weight_value(block);
    }
    values.visit_others(b, kv_head, [&](const FiniteValues::Other& other) {
      for (std::int64_t i = 0; i < rows; ++i) {
        const float weight = first[i * w.strides()[2] + other.key];
        if (weight == 0.0F && hidden.hidden(b, h, row + i, other.key)) continue;
        sums.data()[i * stride + other.feature] += weight * other.value;
      }
    });
    for (std::int64_t i = 0; i < rows; ++i) {
      finish_sums(sums.data() + i * stride, size.value_head_dim,
                  context + (matrix * size.query_len + row + i) * size.value_head_dim);
    }
  });
  return result;
}

}  // namespace headscope
