// The passes of a backend made of its primitives, one stage after the other: what a backend does that has no faster
// way.
#include <algorithm>
#include <span>
#include <vector>

#include "core/backend/backend.h"
#include "core/backend/operands.h"
#include "core/backend/score_steps.h"
#include "core/base/assert.h"
#include "core/tensor/copy_values.h"

namespace headscope {
namespace {

// The rows of `part`, all keys.
Region region_of_rows(const QueryRange& part, std::int64_t key_len) {
  return {part.batch, part.heads, part.queries, {0, key_len}};
}

// A statistic of the rows of `own`, of those of `part`, dense; empty where there is none.
Tensor rows_within(const Tensor& statistic, const QueryRange& part, const QueryRange& own) {
  if (statistic.empty()) return {};
  const auto within = [](Range inner, Range outer) {
    return Range{inner.begin - outer.begin, inner.end - outer.begin};
  };
  const Range b = within(own.batch, part.batch), h = within(own.heads, part.heads),
              i = within(own.queries, part.queries);
  return statistic.sliced(0, b.begin, b.end).sliced(1, h.begin, h.end).sliced(2, i.begin, i.end).dense_copy();
}

// Only what is wanted.
void copy(const Tensor& from, Tensor& to) {
  if (!to.empty()) copy_values(from, to);
}

Tensor weights_of(const Backend& backend, const ScoreOperands& of, const QueryRange& part, RowStatistics* statistics,
                  const CancelToken& cancel) {
  const Region rows = region_of_rows(part, of.key.dim(2));
  const Tensor raw = backend.query_key_products(of.query, of.key, rows, cancel);
  const Tensor masked = score_stage(StageId::masked_scores, raw, of.rule, rows, cancel);
  Tensor weights = softmax_of(backend, masked, of.rule, part.heads, statistics, cancel);
  finish_weights(weights, of.rule, rows);
  return weights;
}

}  // namespace

Tensor softmax_of(const Backend& backend, const Tensor& masked_scores, const ScoreRule& rule, Range heads,
                  RowStatistics* statistics, const CancelToken& cancel) {
  if (rule.sinks.empty()) return backend.softmax_rows(masked_scores, statistics, cancel);
  return backend.softmax_rows_beside_sinks(masked_scores, rule.sinks.sliced(0, heads.begin, heads.end), statistics,
                                           cancel);
}

// One column more, which is left out of the result.
Tensor Backend::softmax_rows_beside_sinks(const Tensor& masked_scores, const Tensor& sinks, RowStatistics* statistics,
                                          const CancelToken& cancel) const {
  const Shape& shape = masked_scores.shape();
  const std::int64_t keys = shape[3];
  Tensor joined = Tensor::zeros({shape[0], shape[1], shape[2], keys + 1}, masked_scores.axes());
  Tensor scores = joined.writable_sliced(3, 0, keys);
  copy_values(masked_scores, scores);
  float* sink = joined.mutable_data() + keys;
  for (std::int64_t b = 0; b < shape[0]; ++b) {
    for (std::int64_t h = 0; h < shape[1]; ++h) {
      for (std::int64_t i = 0; i < shape[2]; ++i, sink += keys + 1) *sink = sinks.at({h});
    }
  }
  return softmax_rows(joined, statistics, cancel).sliced(3, 0, keys).dense_copy();
}

void Backend::linear_into(const Tensor& x, const Linear& layer, Tensor& y, const CancelToken& cancel) const {
  copy(linear(x, layer.weight, layer.bias, cancel), y);
}

void Backend::attention(const ScoreOperands& of, const Tensor& value, const QueryRange& part, AttentionResults& to,
                        const CancelToken& cancel) const {
  const ScoreRule& rule = of.rule;
  RowStatistics statistics;
  const Tensor weights = weights_of(*this, of, part, &statistics, cancel);
  const Region rows = region_of_rows(part, of.key.dim(2));
  copy(weights, to.weights);
  copy(statistics.max, to.statistics.max);
  copy(statistics.sum, to.statistics.sum);
  const Tensor kept = rule.drops() ? dropped_weights(weights, rule, rows, cancel) : weights;
  copy(kept, to.dropped);
  if (to.context.empty()) return;
  // weighted_values() sees whole heads and all queries: those that are not asked for weigh nothing.
  const std::int64_t batch = of.query.dim(0), heads = of.query.dim(1), query_len = of.query.dim(2);
  if (part.batch.size() == batch && part.heads.size() == heads && part.queries.size() == query_len) {
    copy(weighted_values(kept, value, rule.mask->hidden, cancel), to.context);
    return;
  }
  Tensor all = Tensor::zeros({batch, heads, query_len, of.key.dim(2)}, kept.axes());
  Tensor mine = all.writable_sliced(0, part.batch.begin, part.batch.end)
                    .writable_sliced(1, part.heads.begin, part.heads.end)
                    .writable_sliced(2, part.queries.begin, part.queries.end);
  copy(kept, mine);
  const Tensor context = weighted_values(all, value, rule.mask->hidden, cancel);
  copy(context.sliced(0, part.batch.begin, part.batch.end)
           .sliced(1, part.heads.begin, part.heads.end)
           .sliced(2, part.queries.begin, part.queries.end),
       to.context);
}

void Backend::attention_with_rows(const ScoreOperands& of, const Tensor& value, const QueryRange& part,
                                  const StageRows& rows, AttentionResults& to, const CancelToken& cancel) const {
  attention(of, value, part, to, cancel);
  // The rows of some queries of one head at a time.
  constexpr std::int64_t kMostCells = std::int64_t{1} << 22;
  const std::int64_t keys = of.key.dim(2),
                     rows_at_once = std::max<std::int64_t>(1, kMostCells / std::max<std::int64_t>(1, keys));
  std::vector<float> cells(static_cast<std::size_t>(std::min(rows_at_once, part.queries.size()) * keys));
  for (std::int64_t b = part.batch.begin; b < part.batch.end; ++b) {
    for (std::int64_t h = part.heads.begin; h < part.heads.end; ++h) {
      for (std::int64_t first = part.queries.begin; first < part.queries.end; first += rows_at_once) {
        const Range queries{first, std::min(first + rows_at_once, part.queries.end)};
        const QueryRange own{{b, b + 1}, {h, h + 1}, queries};
        const RowStatistics known{rows_within(to.statistics.max, part, own), rows_within(to.statistics.sum, part, own)};
        for (const StageId stage : rows.stages) {
          const std::span<float> of_stage(cells.data(), static_cast<std::size_t>(queries.size() * keys));
          const ScoreCells read{stage, region_of_rows(own, keys), known.max.empty() ? nullptr : &known};
          read_scores(of, read, of_stage, cancel);
          for (std::int64_t i = queries.begin; i < queries.end; ++i) {
            rows.read(stage, b, h, i,
                      of_stage.subspan(static_cast<std::size_t>((i - first) * keys), static_cast<std::size_t>(keys)));
          }
        }
      }
    }
  }
}

void Backend::read_scores(const ScoreOperands& of, const ScoreCells& cells, std::span<float> out,
                          const CancelToken& cancel) const {
  const StageId stage = cells.stage;
  const Region& region = cells.region;
  HEADSCOPE_ASSERT(is_score_like(stage), std::string(stage_name(stage)));
  if (element_count(region) == 0) return;
  if (!is_weight_like(stage)) {
    const Tensor raw = query_key_products(of.query, of.key, region, cancel);
    score_stage(stage, raw, of.rule, region, cancel).read(whole(raw.shape()), out);
    return;
  }
  // A weight needs its whole row.
  const QueryRange part{region[0], region[1], region[2]};
  const Tensor weights = weights_of(*this, of, part, nullptr, cancel);
  const Tensor kept = stage == StageId::dropped_weights
                          ? dropped_weights(weights, of.rule, region_of_rows(part, of.key.dim(2)), cancel)
                          : weights;
  Region columns = whole(kept.shape());
  columns[3] = region[3];
  kept.read(columns, out);
}

RowStatistics Backend::read_new_weights(const ScoreOperands& of, const ScoreCells& cells, std::span<float> out,
                                        const CancelToken& cancel) const {
  const Region& region = cells.region;
  AttentionResults results;
  results.statistics = sized_row_statistics({region[0].size(), region[1].size(), region[2].size()});
  attention(of, {}, {region[0], region[1], region[2]}, results, cancel);
  read_scores(of, {.stage = cells.stage, .region = region, .statistics = &results.statistics}, out, cancel);
  return results.statistics;
}

std::optional<RowStatistics> Backend::visit_weights(const ScoreOperands&, const QueryRange&, const VisitWeights&,
                                                    const CancelToken&) const {
  return {};
}

}  // namespace headscope
