#include "core/attention/on_demand.h"

#include <algorithm>
#include <utility>

#include "core/attention/row_edits.h"
#include "core/backend/device_backend.h"
#include "core/backend/device_pyramid.h"
#include "core/backend/operands.h"
#include "core/base/assert.h"
#include "core/tensor/parts.h"
#include "core/tensor/row_strips.h"

namespace headscope {
namespace {

constexpr std::int64_t kBlock = kRowsTogether;  // queries whose statistics or context are remembered together
constexpr std::int64_t kCellsAtOnce = std::int64_t{1} << 25;  // scores of one call of the backend
constexpr std::int64_t kRowsAtOnce = 4096;                    // and its queries at most

Tensor context_rows(std::int64_t heads, std::int64_t queries, std::int64_t features) {
  return Tensor::zeros({1, heads, queries, features}, {Axis::batch, Axis::head, Axis::position, Axis::feature});
}

RowStatistics of_head(const RowStatistics& rows, std::int64_t head) {
  return {rows.max.sliced(1, head, head + 1), rows.sum.sliced(1, head, head + 1)};
}

std::size_t block_index(std::int64_t matrix, std::int64_t blocks, std::int64_t block) {
  return static_cast<std::size_t>(matrix * blocks + block);
}

// Copies the rows of a dense [1, 1, n, width] tensor to rows [first, ...) of matrix (b, h) of `to`.
void copy_rows(const Tensor& from, Tensor& to, std::int64_t b, std::int64_t h, std::int64_t first) {
  const std::int64_t width = to.rank() == 4 ? to.dim(3) : 1;
  const std::int64_t heads = to.dim(1);
  std::copy_n(from.data(), from.size(), to.mutable_data() + ((b * heads + h) * to.dim(2) + first) * width);
}

}  // namespace

OnDemand::OnDemand(std::shared_ptr<const Backend> backend, Tensor query, Tensor key, Tensor value, ScoreRule rule)
    : backend_(std::move(backend)),
      query_(std::move(query)),
      key_(std::move(key)),
      value_(std::move(value)),
      rule_(std::move(rule)) {}

Shape OnDemand::score_shape() const {
  return {query_.dim(0), query_.dim(1), query_.dim(2), key_.dim(2)};
}

std::int64_t OnDemand::rows() const {
  return query_.dim(0) * query_.dim(1) * query_.dim(2);
}

std::int64_t OnDemand::known_rows() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return known_rows_;
}

std::int64_t OnDemand::blocks_per_head() const {
  return parts_over(query_.dim(2), kBlock);
}

void OnDemand::read_scores(StageId stage, const Region& region, std::span<float> out, const CancelToken& cancel) const {
  if (element_count(region) == 0) return;
  const ScoreOperands of{.query = query_, .key = key_, .rule = rule_};
  if (!is_weight_like(stage)) {
    backend_->read_scores(of, {.stage = stage, .region = region}, out, cancel);
    return;
  }
  const QueryRange part{region[0], region[1], region[2]};
  if (nothing_known(part)) {
    const RowStatistics rows = backend_->read_new_weights(of, {.stage = stage, .region = region}, out, cancel);
    know_statistics(rows, part);
    return;
  }
  const RowStatistics rows = statistics(part, cancel);
  backend_->read_scores(of, {.stage = stage, .region = region, .statistics = &rows}, out, cancel);
}

void OnDemand::know_statistics(const RowStatistics& rows, const QueryRange& part) const {
  complete(statistics_known_, part, [&](std::int64_t b, Range, Range) {
    const std::int64_t batch = b - part.batch.begin;
    const RowStatistics own{rows.max.sliced(0, batch, batch + 1), rows.sum.sliced(0, batch, batch + 1)};
    const std::int64_t first = part.queries.begin;
    return [this, own, b, first, first_head = part.heads.begin](std::int64_t h, Range block) {
      keep_statistics(of_head(own, h - first_head), b, h, {block.begin - first, block.end - first}, block.begin);
    };
  });
}

bool OnDemand::whole_blocks(Range queries) const {
  return queries.begin % kBlock == 0 && (queries.end % kBlock == 0 || queries.end == query_.dim(2));
}

bool OnDemand::nothing_known(const QueryRange& part) const {
  if (!whole_blocks(part.queries)) return false;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (statistics_known_.empty()) return true;
  const Range blocks{part.queries.begin / kBlock, parts_over(part.queries.end, kBlock)};
  for (std::int64_t b = part.batch.begin; b < part.batch.end; ++b) {
    for (std::int64_t h = part.heads.begin; h < part.heads.end; ++h) {
      for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
        if (statistics_known_[block_index(b * query_.dim(1) + h, blocks_per_head(), block)] != 0) return false;
      }
    }
  }
  return true;
}

std::shared_ptr<const DevicePyramid> OnDemand::device_pyramid(StageId stage, std::int64_t batch, std::int64_t head,
                                                              std::shared_ptr<const RowEdits> edits) const {
  if (!is_score_like(stage) || stage < StageId::raw_scores) return nullptr;
  if (edits != nullptr && is_weight_like(stage) && edits->freezes(head)) return nullptr;
  const auto statistics_of = [own = shared_from_this(), batch, head](const Range& queries, const CancelToken& cancel) {
    return own->statistics({{batch, batch + 1}, {head, head + 1}, queries}, cancel);
  };
  ScoreMatrix matrix{stage, query_, key_, rule_, batch, head, statistics_of};
  if (edits != nullptr) {
    matrix.changed_rows = [edits, stage, batch, head](const Range& queries, const Range& keys,
                                                      const CancelToken& cancel) {
      return edits->changed_rows(stage, batch, head, queries, keys, cancel);
    };
  }
  return device_pyramid_of(*backend_, matrix);
}

template <typename Compute>
void OnDemand::complete(std::vector<char>& known, const QueryRange& part, const Compute& compute) const {
  const std::int64_t blocks = blocks_per_head();
  const std::int64_t at_once = queries_at_once() / kBlock;
  const bool together = computes_on_device(*backend_);
  for (std::int64_t b = part.batch.begin; b < part.batch.end; ++b) {
    for (std::int64_t h = part.heads.begin; h < part.heads.end; ++h) {
      const std::int64_t matrix = b * query_.dim(1) + h;
      std::int64_t block = part.queries.begin / kBlock;
      const std::int64_t end = parts_over(part.queries.end, kBlock);
      while (block < end) {
        std::int64_t stop = block;
        Range heads{h, h + 1};
        {
          const std::lock_guard<std::mutex> lock(mutex_);
          if (known.empty()) known.resize(block_index(query_.dim(0) * query_.dim(1), blocks, 0), 0);
          while (block < end && known[block_index(matrix, blocks, block)] != 0) ++block;
          stop = block;
          while (stop < std::min(end, block + at_once) && known[block_index(matrix, blocks, stop)] == 0) ++stop;
          const auto unknown = [&](std::int64_t other) {
            const auto first =
                known.begin() + static_cast<std::ptrdiff_t>(block_index(matrix + other - h, blocks, block));
            return std::all_of(first, first + (stop - block), [](char is_known) { return is_known == 0; });
          };
          while (together && heads.end < part.heads.end && unknown(heads.end)) ++heads.end;
        }
        if (block == stop) continue;
        const Range queries{block * kBlock, std::min(stop * kBlock, query_.dim(2))};
        const auto store = compute(b, heads, queries);
        const std::lock_guard<std::mutex> lock(mutex_);
        for (std::int64_t own = heads.begin; own < heads.end; ++own) {
          for (std::int64_t n = block; n < stop; ++n) {
            if (std::exchange(known[block_index(matrix + own - h, blocks, n)], 1) != 0) continue;
            store(own, Range{n * kBlock, std::min((n + 1) * kBlock, query_.dim(2))});
          }
        }
        block = stop;
      }
    }
  }
}

std::int64_t OnDemand::queries_at_once() const {
  return std::clamp(kCellsAtOnce / std::max<std::int64_t>(1, key_.dim(2)), kBlock, kRowsAtOnce) / kBlock * kBlock;
}

void OnDemand::visit_rows(std::int64_t b, std::int64_t h, Range queries, const StageRows& rows,
                          const CancelToken& cancel) const {
  AttentionResults results;
  results.statistics = sized_row_statistics({1, 1, queries.size()});
  results.context = context_rows(1, queries.size(), value_.dim(3));
  const QueryRange part{{b, b + 1}, {h, h + 1}, queries};
  backend_->attention_with_rows({.query = query_, .key = key_, .rule = rule_}, value_, part, rows, results, cancel);
  complete(statistics_known_, part, [&](std::int64_t, Range, Range) {
    return [&](std::int64_t, Range block) {
      keep_statistics(results.statistics, b, h, {block.begin - queries.begin, block.end - queries.begin}, block.begin);
    };
  });
  complete(context_known_, part, [&](std::int64_t, Range, Range) {
    return [&](std::int64_t, Range block) { keep_context(results.context, b, h, block.begin - queries.begin, block); };
  });
}

bool OnDemand::visit_weights(std::int64_t b, std::int64_t h, Range queries, const VisitWeights& visit,
                             const CancelToken& cancel) const {
  const QueryRange part{{b, b + 1}, {h, h + 1}, queries};
  const auto rows = backend_->visit_weights({.query = query_, .key = key_, .rule = rule_}, part, visit, cancel);
  if (rows && whole_blocks(queries)) know_statistics(*rows, part);
  return rows.has_value();
}

void OnDemand::keep_statistics(const RowStatistics& rows, std::int64_t b, std::int64_t h, Range from,
                               std::int64_t to) const {
  if (statistics_.max.empty()) {
    const Shape all{query_.dim(0), query_.dim(1), query_.dim(2)};
    const Axes axes{Axis::batch, Axis::head, Axis::query};
    statistics_ = {Tensor::zeros(all, axes), Tensor::zeros(all, axes)};
  }
  copy_rows(rows.max.sliced(2, from.begin, from.end), statistics_.max, b, h, to);
  copy_rows(rows.sum.sliced(2, from.begin, from.end), statistics_.sum, b, h, to);
  known_rows_ += from.size();
}

void OnDemand::keep_context(const Tensor& rows, std::int64_t b, std::int64_t h, std::int64_t from, Range to) const {
  if (context_.empty()) {
    context_ = Tensor::zeros({query_.dim(0), query_.dim(1), query_.dim(2), value_.dim(3)}, rows.axes());
  }
  copy_rows(rows.sliced(2, from, from + to.size()), context_, b, h, to.begin);
}

RowStatistics OnDemand::statistics(const QueryRange& part, const CancelToken& cancel) const {
  complete(statistics_known_, part, [&](std::int64_t b, Range heads, Range queries) {
    AttentionResults results;
    results.statistics = sized_row_statistics({1, heads.size(), queries.size()});
    backend_->attention({.query = query_, .key = key_, .rule = rule_}, {}, {{b, b + 1}, heads, queries}, results,
                        cancel);
    return [this, results, b, heads, queries](std::int64_t h, Range block) {
      keep_statistics(of_head(results.statistics, h - heads.begin), b, h,
                      {block.begin - queries.begin, block.end - queries.begin}, block.begin);
    };
  });
  const Region region{part.batch, part.heads, part.queries};
  const Shape shape{region[0].size(), region[1].size(), region[2].size()};
  const Axes axes{Axis::batch, Axis::head, Axis::query};
  RowStatistics result{Tensor::zeros(shape, axes), Tensor::zeros(shape, axes)};
  const auto count = static_cast<std::size_t>(element_count(region));
  const std::lock_guard<std::mutex> lock(mutex_);
  statistics_.max.read(region, std::span<float>(result.max.mutable_data(), count));
  statistics_.sum.read(region, std::span<float>(result.sum.mutable_data(), count));
  return result;
}

void OnDemand::know_context(const QueryRange& part, const CancelToken& cancel) const {
  complete(context_known_, part, [&](std::int64_t b, Range heads, Range queries) {
    AttentionResults results;
    results.context = context_rows(heads.size(), queries.size(), value_.dim(3));
    backend_->attention({.query = query_, .key = key_, .rule = rule_}, value_, {{b, b + 1}, heads, queries}, results,
                        cancel);
    return [this, results, b, heads, queries](std::int64_t h, Range block) {
      const std::int64_t own = h - heads.begin;
      keep_context(results.context.sliced(1, own, own + 1), b, h, block.begin - queries.begin, block);
    };
  });
}

void OnDemand::read_context(const Region& region, const std::vector<std::int64_t>& ablated, std::span<float> out,
                            const CancelToken& cancel) const {
  const std::size_t head = static_cast<std::size_t>(region[2].size() * region[3].size());
  if (head == 0) return;
  float* to = out.data();
  for (std::int64_t b = region[0].begin; b < region[0].end; ++b) {
    if (ablated.empty()) know_context({{b, b + 1}, region[1], region[2]}, cancel);
    for (std::int64_t h = region[1].begin; h < region[1].end; ++h, to += head) {
      if (std::find(ablated.begin(), ablated.end(), h) != ablated.end()) {
        std::fill_n(to, head, 0.0F);
        continue;
      }
      know_context({{b, b + 1}, {h, h + 1}, region[2]}, cancel);
      const std::lock_guard<std::mutex> lock(mutex_);
      context_.read({{b, b + 1}, {h, h + 1}, region[2], region[3]}, {to, head});
    }
  }
}

}  // namespace headscope
