// Scores and weights of the cpu backend over a region, and the softmax of scores that are there.
#include <algorithm>
#include <cmath>

#include "core/backend/cpu_backend.h"
#include "core/backend/operands.h"
#include "core/backend/packed_heads.h"
#include "core/backend/row_block.h"
#include "core/backend/score_rows.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

// A task packs the keys of so many columns once and multiplies so many rows with them.
constexpr std::int64_t kTaskRows = 4 * kStripRows * kBlockStrips;
constexpr std::int64_t kTaskColumns = 8 * kPanelKeys;

// A part of a region of one head that one task computes.
struct Piece {
  std::int64_t b, h;
  Range queries, keys;
  float* out;  // the cell of the first query and key
  std::int64_t out_stride;
};

class RegionReader {
 public:
  RegionReader(const ScoreRows* rows, const Tensor& query, const PackedKeys& keys, const ScoreCells& cells,
               std::int64_t heads_per_kv_head)
      : rows_(rows),
        stage_(cells.stage),
        weights_(is_weight_like(cells.stage)),
        query_(query),
        keys_(keys),
        head_dim_(query.dim(3)),
        statistics_(cells.statistics),
        region_(cells.region),
        heads_per_kv_head_(heads_per_kv_head),
        row_parts_(parts_over(cells.region[2].size(), kTaskRows)),
        key_parts_(parts_over(cells.region[3].size(), kTaskColumns)) {}

  std::int64_t pieces() const { return region_[0].size() * region_[1].size() * row_parts_ * key_parts_; }

  Piece piece(std::int64_t number, float* out) const {
    const std::int64_t matrix = number / (row_parts_ * key_parts_);
    const std::int64_t row = number / key_parts_ % row_parts_ * kTaskRows;
    const std::int64_t column = number % key_parts_ * kTaskColumns;
    const std::int64_t width = region_[3].size();
    Piece piece{region_[0].begin + matrix / region_[1].size(),
                region_[1].begin + matrix % region_[1].size(),
                {},
                {},
                out + (matrix * region_[2].size() + row) * width + column,
                width};
    piece.queries = {region_[2].begin + row, std::min(region_[2].begin + row + kTaskRows, region_[2].end)};
    piece.keys = {region_[3].begin + column, std::min(region_[3].begin + column + kTaskColumns, region_[3].end)};
    return piece;
  }

  std::int64_t scratch_floats() const {
    const std::int64_t panels = kTaskColumns / kPanelKeys + 1;
    return panels * keys_.panel_floats() + kStripRows * score_stride();
  }

  void read(const Piece& piece, float* scratch) const {
    const std::int64_t first_panel = piece.keys.begin / kPanelKeys;
    const std::int64_t panels = parts_over(piece.keys.end, kPanelKeys) - first_panel;
    float* scores = scratch + (kTaskColumns / kPanelKeys + 1) * keys_.panel_floats();
    // Panels that were packed before follow one another, as those that are packed here do.
    const std::int64_t kv_head = piece.h / heads_per_kv_head_;
    const float* key_panels = keys_.packed() ? keys_.panel(piece.b, kv_head, first_panel, nullptr) : scratch;
    bool packed = keys_.packed();
    for (std::int64_t i = piece.queries.begin; i < piece.queries.end; i += kStripRows) {
      const Range queries{i, std::min(i + kStripRows, piece.queries.end)};
      if (all_hidden(piece, queries)) {
        std::fill_n(scores, queries.size() * score_stride(), 0.0F);
      } else {
        for (std::int64_t p = 0; p < panels && !packed; ++p) {
          keys_.panel(piece.b, kv_head, first_panel + p, scratch + p * keys_.panel_floats());
        }
        packed = true;
        multiply(piece, queries, panels, key_panels, scores);
      }
      for (std::int64_t row = queries.begin; row < queries.end; ++row) {
        float* cells = scores + (row - i) * score_stride() + piece.keys.begin - first_panel * kPanelKeys;
        finish_row(piece, row, cells, piece.out + (row - piece.queries.begin) * piece.out_stride);
      }
    }
  }

 private:
  static constexpr std::int64_t score_stride() { return kTaskColumns + kPanelKeys + kSumLanes; }

  // Whether the products do not matter, because the cells hold what hidden cells hold.
  bool all_hidden(const Piece& piece, Range queries) const {
    const bool masked = stage_ == StageId::masked_scores || weights_;
    if (!masked || !rows_->hides()) return false;
    const KeySpans spans = rows_->spans(piece.b, piece.h, queries);
    for (const KeySpan& span : {spans.first, spans.second}) {
      if (span.begin < piece.keys.end && piece.keys.begin < span.end) return false;
    }
    return true;
  }

  void multiply(const Piece& piece, Range queries, std::int64_t panels, const float* key_panels, float* scores) const {
    const Strides& strides = query_.strides();
    QueryKeyBlock block;
    block.query = query_.data() + piece.b * strides[0] + piece.h * strides[1] + queries.begin * strides[2];
    block.query_stride = strides[2];
    block.rows = queries.size();
    block.head_dim = head_dim_;
    block.score_stride = score_stride();
    for (std::int64_t p = 0; p < panels; ++p) {
      block.key_panel = key_panels + p * keys_.panel_floats();
      block.scores = scores + p * kPanelKeys;
      multiply_query_key(block);
    }
  }

  float of_row(const Tensor& statistic, const Piece& piece, std::int64_t i) const {
    const Strides& strides = statistic.strides();
    return statistic.data()[(piece.b - region_[0].begin) * strides[0] + (piece.h - region_[1].begin) * strides[1] +
                            (i - region_[2].begin) * strides[2]];
  }

  void finish_row(const Piece& piece, std::int64_t i, float* cells, float* out) const {
    const std::int64_t count = piece.keys.size();
    if (!weights_) {
      if (stage_ != StageId::raw_scores) rows_->apply(stage_, piece.b, piece.h, i, piece.keys, cells);
      std::copy_n(cells, count, out);
      return;
    }
    const float max = of_row(statistics_->max, piece, i);
    const float sum = of_row(statistics_->sum, piece, i);
    const std::optional<float> all_weights = rows_->weight_when_hidden(piece.b, piece.h, i);
    if (all_weights || !(sum > 0.0F)) {
      std::fill_n(out, count, all_weights.value_or(plain_nan()));
    } else {
      if (rows_->factor()) {
        rows_->hide(piece.b, piece.h, i, piece.keys, cells);
      } else {
        rows_->apply(StageId::masked_scores, piece.b, piece.h, i, piece.keys, cells);
      }
      weights_by_statistics(cells, count, rows_->factor().value_or(1.0F), max, 1.0F / sum, out);
    }
    if (!all_weights) rows_->clear_hidden(piece.b, piece.h, i, piece.keys, out);
    if (stage_ == StageId::dropped_weights) rows_->drop(piece.b, piece.h, i, piece.keys, out);
  }

  const ScoreRows* rows_;  // may be null for raw scores
  StageId stage_;
  bool weights_;  // is_weight_like(stage_)
  const Tensor& query_;
  const PackedKeys& keys_;
  std::int64_t head_dim_;
  const RowStatistics* statistics_;
  Region region_;
  std::int64_t heads_per_kv_head_;
  std::int64_t row_parts_, key_parts_;
};

}  // namespace

void CpuBackend::read_scores(const ScoreOperands& of, const ScoreCells& cells, std::span<float> out,
                             const CancelToken& cancel) const {
  if (is_weight_like(cells.stage) && cells.statistics == nullptr) {
    read_new_weights(of, cells, out, cancel);
    return;
  }
  const ScoreRows rows(of.rule);
  read_region(of.query, of.key, &rows, cells, out.data(), cancel);
}

RowStatistics CpuBackend::read_new_weights(const ScoreOperands& of, const ScoreCells& cells, std::span<float> out,
                                           const CancelToken& cancel) const {
  const Region& region = cells.region;
  // A row block leaves the weights of the first keys, which it has anyway; others are computed again.
  if (region[3].begin > 0 || element_count(region) == 0) {
    return Backend::read_new_weights(of, cells, out, cancel);
  }
  AttentionResults results;
  results.statistics = sized_row_statistics({region[0].size(), region[1].size(), region[2].size()});
  const Shape shape{region[0].size(), region[1].size(), region[2].size(), region[3].size()};
  const Tensor written = Tensor::writable_view_of(std::make_shared<int>(), out.data(), shape, row_major_strides(shape),
                                                  {Axis::batch, Axis::head, Axis::query, Axis::key});
  (cells.stage == StageId::weights ? results.weights : results.dropped) = written;
  attend(of, {}, {region[0], region[1], region[2]}, {results}, cancel);
  return results.statistics;
}

void CpuBackend::read_region(const Tensor& query, const Tensor& key, const ScoreRows* rows, const ScoreCells& cells,
                             float* out, const CancelToken& cancel) const {
  const Region& region = cells.region;
  const ScoreSizes size = score_sizes(query, key, region);
  if (element_count(region) == 0) return;
  const Tensor q = with_unit_last_stride(query);
  const Tensor k = with_unit_last_stride(key);
  const double work = static_cast<double>(element_count(region)) * static_cast<double>(size.head_dim);
  const HeadRange kv_heads = kv_heads_of(region[0], region[1], size.heads_per_kv_head);
  // A narrow region packs the keys that it reads unless packed ones are kept; a wide region reads all keys, and more
  // such regions usually follow, so packed_keys() decides.
  const bool wide = 2 * region[3].size() > size.key_len;
  std::shared_ptr<const PackedKeys> keys =
      wide ? packed_keys(k, kv_heads, region[2].size(), false, work, cancel) : kept_keys_.find(k, kv_heads);
  if (keys == nullptr) keys = std::make_shared<PackedKeys>(k, kv_heads);
  const RegionReader reader(rows, q, *keys, cells, size.heads_per_kv_head);
  run(reader.pieces(), work, cancel, [&](std::int64_t number) {
    const ScratchPool::Lease scratch = scratch_.take(reader.scratch_floats());
    reader.read(reader.piece(number, out), scratch.data());
  });
}

Tensor CpuBackend::query_key_products(const Tensor& query, const Tensor& key, const Region& region,
                                      const CancelToken& cancel) const {
  score_sizes(query, key, region);
  Tensor result = Tensor::zeros({region[0].size(), region[1].size(), region[2].size(), region[3].size()},
                                {Axis::batch, Axis::head, Axis::query, Axis::key});
  if (result.size() > 0) {
    read_region(query, key, nullptr, {.stage = StageId::raw_scores, .region = region}, result.mutable_data(), cancel);
  }
  return result;
}

Tensor CpuBackend::softmax_rows(const Tensor& masked_scores, RowStatistics* statistics,
                                const CancelToken& cancel) const {
  return softmax_rows_beside_sinks(masked_scores, {}, statistics, cancel);
}

Tensor CpuBackend::softmax_rows_beside_sinks(const Tensor& masked_scores, const Tensor& sinks,
                                             RowStatistics* statistics, const CancelToken& cancel) const {
  const Shape& shape = masked_scores.shape();
  const Strides& strides = masked_scores.strides();
  Tensor result = Tensor::zeros(shape, masked_scores.axes());
  RowStatistics rows = sized_row_statistics(shape);
  const std::int64_t columns = shape[3];
  const std::int64_t count = shape[0] * shape[1] * shape[2];
  const std::int64_t rows_per_task = std::max<std::int64_t>(1, 4096 / std::max<std::int64_t>(1, columns));
  const KeySpans all = whole_row(columns);
  float* weights = result.mutable_data();
  float* max_of_row = rows.max.mutable_data();
  float* sum_of_row = rows.sum.mutable_data();
  run(parts_over(count, rows_per_task), 10.0 * static_cast<double>(result.size()), cancel, [&](std::int64_t task) {
    const ScratchPool::Lease cells = scratch_.take(columns + kSumLanes);
    float* s = cells.data();
    for (std::int64_t row = task * rows_per_task; row < std::min(count, (task + 1) * rows_per_task); ++row) {
      const float* from = masked_scores.data() + row / shape[2] / shape[1] * strides[0] +
                          row / shape[2] % shape[1] * strides[1] + row % shape[2] * strides[2];
      for (std::int64_t j = 0; j < columns; ++j) s[j] = from[j * strides[3]];
      std::fill_n(s + columns, kSumLanes, -HUGE_VALF);
      const RowExponentials sums = exponentials_of_row(
          s, all, 1.0F, largest_cell(s, all), sinks.empty() ? -HUGE_VALF : sinks.at({row / shape[2] % shape[1]}));
      if (sums.sum > 0.0F) {
        multiply_cells_to(s, all, 1.0F / sums.sum, weights + row * columns, columns, false);
      } else {
        std::fill_n(weights + row * columns, columns, plain_nan());
      }
      max_of_row[row] = sums.max;
      sum_of_row[row] = sums.sum;
    }
  });
  if (statistics != nullptr) *statistics = rows;
  return result;
}

}  // namespace headscope
