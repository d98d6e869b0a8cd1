#include "core/backend/replaced_positions.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "core/backend/cpu_backend.h"
#include "core/backend/kernels/attention_products.h"
#include "core/backend/kernels/row_updates.h"
#include "core/backend/operands.h"
#include "core/backend/row_block.h"
#include "core/backend/score_rows.h"
#include "core/backend/strided_rows.h"
#include "core/base/assert.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Of a row's sum: what may go away without taking more than two bits with it.
constexpr float kMostRemoved = 0.25F;
// A few rows of a head and one in so many may be computed anew; more cost as much as a good part of all products.
constexpr std::int64_t kRowsForOneAnew = 4, kFewRowsAnew = 8;

bool finite(const StridedRows& rows) {
  return all_finite(rows.rows, rows.stride, rows.count, rows.features);
}

// One head: what it reads and where it leaves its rows.
class HeadUpdate {
 public:
  HeadUpdate(const ReplacedPositions& replaced, const ScoreRows& rule, std::int64_t b, std::int64_t h,
             UpdatedAttention& to)
      : replaced_(replaced),
        rule_(rule),
        b_(b),
        h_(h),
        query_(rows_of(replaced.query, b, h)),
        key_(rows_of(replaced.key, b, h / (replaced.query.dim(1) / replaced.key.dim(1)))),
        value_(rows_of(replaced.value, b, h / (replaced.query.dim(1) / replaced.key.dim(1)))),
        new_query_(rows_of(replaced.new_query, b, h)),
        new_key_(rows_of(replaced.new_key, b, h / (replaced.query.dim(1) / replaced.key.dim(1)))),
        new_value_(rows_of(replaced.new_value, b, h / (replaced.query.dim(1) / replaced.key.dim(1)))),
        first_row_((b * replaced.query.dim(1) + h) * query_.count),
        max_before_(row_of(replaced.statistics.max)),
        sum_before_(row_of(replaced.statistics.sum)),
        max_(to.statistics.max.mutable_data() + first_row_),
        sum_(to.statistics.sum.mutable_data() + first_row_),
        factor_(to.factor.mutable_data() + first_row_),
        columns_(to.columns.mutable_data() + first_row_),
        removed_(to.removed.mutable_data() + first_row_),
        column_stride_(to.columns.dim(1)) {}

  static std::int64_t scratch_floats(std::int64_t queries, std::int64_t keys, std::int64_t positions) {
    return (2 * positions + 1) * stride_of(queries) + 2 * stride_of(keys);
  }

  // False when it cannot be done.
  bool compute(float* scratch) {
    if (!finite_replacements()) return false;
    queries_ = stride_of(query_.count);
    olds_ = scratch;
    news_ = olds_ + count() * queries_;
    scale_ = news_ + count() * queries_;
    scores_ = scale_ + queries_;
    for (std::int64_t n = 0; n < count(); ++n) {
      const std::int64_t t = position(n);
      multiply_rows_by_vectors(query_, key_.rows + t * key_.stride, new_key_.rows + n * new_key_.stride, old_of(n),
                               new_of(n));
      for (float* cells : {old_of(n), new_of(n)}) {
        scale_cells(cells, query_.count, rule_.factor() ? *rule_.factor() : rule_.rule().scale);
        if (!all_finite(cells, query_.count, 1, query_.count)) return false;
      }
    }
    hide();
    return exponents() && sums() && rows_anew();
  }

  std::vector<UpdatedAttention::Row> rows;

 private:
  static std::int64_t stride_of(std::int64_t count) { return rounded_up(count, kSumLanes) + kSumLanes; }
  const float* row_of(const Tensor& statistic) const {
    const Strides& strides = statistic.strides();
    return statistic.data() + b_ * strides[0] + h_ * strides[1];
  }
  std::int64_t count() const { return static_cast<std::int64_t>(replaced_.positions.size()); }
  std::int64_t position(std::int64_t n) const { return replaced_.positions[static_cast<std::size_t>(n)]; }
  float* old_of(std::int64_t n) const { return olds_ + n * queries_; }
  float* new_of(std::int64_t n) const { return news_ + n * queries_; }
  float factor() const { return rule_.factor().value_or(1.0F); }

  bool finite_replacements() const {
    bool all = finite(new_query_) && finite(part_of(new_key_, 0, count())) && finite(part_of(new_value_, 0, count()));
    for (const std::int64_t t : replaced_.positions) {
      all = all && finite(part_of(key_, t, t + 1)) && finite(part_of(value_, t, t + 1));
    }
    return all;
  }

  // -inf where a row does not see a replaced key.
  void hide() {
    if (!rule_.hides()) return;
    for (std::int64_t n = 0; n < count(); ++n) {
      for (std::int64_t i = 0; i < query_.count; ++i) {
        if (rule_.rule().mask->hidden.hidden(b_, h_, i, position(n))) old_of(n)[i] = new_of(n)[i] = -kInfinity;
      }
    }
  }

  // Scores of the replaced keys to exponents, score - max; the largest scores; what the old sums are multiplied with.
  bool exponents() {
    const std::int64_t queries = query_.count;
    std::copy_n(max_before_, queries, max_);
    for (std::int64_t n = 0; n < count(); ++n) raise_to_cells(new_of(n), queries, max_);
    if (!updates_finite_rows()) return false;
    std::copy_n(max_before_, queries, scale_);
    subtract_where_visible(max_, queries, scale_);
    exponentials_of(scale_);
    for (std::int64_t n = 0; n < count(); ++n) {
      subtract_where_visible(max_before_, queries, old_of(n));
      subtract_where_visible(max_, queries, new_of(n));
      exponentials_of(old_of(n));
      exponentials_of(new_of(n));
    }
    return true;
  }

  // Whether max and sum are numbers in every row that sees a replaced key.
  bool updates_finite_rows() const {
    if (all_finite(max_, query_.count, 1, query_.count) && all_finite(sum_before_, query_.count, 1, query_.count)) {
      return true;
    }
    for (std::int64_t n = 0; n < count(); ++n) {
      for (std::int64_t i = 0; i < query_.count; ++i) {
        if (old_of(n)[i] != -kInfinity && !(std::isfinite(max_[i]) && std::isfinite(sum_before_[i]))) return false;
      }
    }
    return true;
  }

  void exponentials_of(float* cells) const {
    std::fill(cells + query_.count, cells + queries_, -kInfinity);
    exponentials(cells, {{0, query_.count}, {}}, 1.0F, 0.0F);
  }

  // The terms of old and new sums to new sums, and to what multiplies old and new values.
  bool sums() {
    const ReplacedTerms terms{query_.count, count(), olds_, news_, queries_, scale_, sum_before_};
    const bool any = update_sums(terms, kMostRemoved, {sum_, factor_, columns_, removed_, column_stride_});
    anew_ = replaced_.positions;
    for (std::int64_t i = 0; any && i < query_.count; ++i) {
      float removed = 0;
      for (std::int64_t n = 0; n < count(); ++n) removed += old_of(n)[i];
      if (removed > kMostRemoved * sum_before_[i]) compute_anew(i);
    }
    return static_cast<std::int64_t>(anew_.size()) <= count() + kFewRowsAnew + query_.count / kRowsForOneAnew;
  }

  void compute_anew(std::int64_t i) {
    const auto place = std::lower_bound(anew_.begin(), anew_.end(), i);
    if (place == anew_.end() || *place != i) anew_.insert(place, i);
  }

  // Two rows read the keys together.
  bool rows_anew() {
    bool done = true;
    for (std::size_t k = 0; done && k < anew_.size(); k += 2) {
      const bool two = k + 1 < anew_.size();
      const std::int64_t first = anew_[k], second = two ? anew_[k + 1] : first;
      float* const other = two ? scores_ + stride_of(key_.count) : nullptr;
      multiply_rows_by_vectors(key_, query_row(first), two ? query_row(second) : nullptr, scores_, other);
      done = row_anew(first, scores_) && (!two || row_anew(second, other));
    }
    return done;
  }

  const float* query_row(std::int64_t i) const {
    const auto found = std::lower_bound(replaced_.positions.begin(), replaced_.positions.end(), i);
    if (found == replaced_.positions.end() || *found != i) return query_.rows + i * query_.stride;
    return new_query_.rows + (found - replaced_.positions.begin()) * new_query_.stride;
  }

  // The whole row from its products with the old keys.
  bool row_anew(std::int64_t i, float* cells) {
    float score = 0;
    for (std::int64_t n = 0; n < count(); ++n) {
      multiply_rows_by_vectors(part_of(new_key_, n, n + 1), query_row(i), nullptr, &score, nullptr);
      cells[position(n)] = score;
    }
    if (!rule_.factor()) scale_cells(cells, key_.count, rule_.rule().scale);
    rule_.hide(b_, h_, i, {0, key_.count}, cells);
    const KeySpans all = whole_row(key_.count);
    std::fill(cells + key_.count, cells + stride_of(key_.count), -kInfinity);
    const RowExponentials sums = exponentials_of_row(cells, all, factor(), largest_cell(cells, all) * factor() + 0.0F);
    if (!(sums.sum > 0.0F) || !std::isfinite(sums.sum)) return false;
    max_[i] = sums.max;
    sum_[i] = sums.sum;
    factor_[i] = 1.0F;
    multiply_cells(cells, all, 1.0F / sums.sum);
    rows.push_back({b_, h_, i, std::vector<float>(cells, cells + key_.count)});
    for (std::int64_t n = 0; n < count(); ++n) {
      columns_[n * column_stride_ + i] = cells[position(n)];
      removed_[n * column_stride_ + i] = 0.0F;
    }
    return true;
  }

  const ReplacedPositions& replaced_;
  const ScoreRows& rule_;
  const std::int64_t b_, h_;
  const StridedRows query_, key_, value_, new_query_, new_key_, new_value_;
  const std::int64_t first_row_;
  const float* const max_before_;
  const float* const sum_before_;
  float* const max_;
  float* const sum_;
  float* const factor_;
  float* const columns_;
  float* const removed_;
  const std::int64_t column_stride_;
  std::int64_t queries_ = 0;
  float* olds_ = nullptr;
  float* news_ = nullptr;
  float* scale_ = nullptr;
  float* scores_ = nullptr;
  std::vector<std::int64_t> anew_;
};

}  // namespace

bool can_update(const ScoreRule& rule) {
  const ScoreRows rows(rule);
  return !rule.drops() && !rule.softcap && rule.sinks.empty() && rule.mask->added.empty() && !rule.mask_after_softmax &&
         (!rows.hides() || rows.hidden_score() == -kInfinity) && std::isfinite(rule.scale);
}

std::optional<UpdatedAttention> updated_attention(const CpuBackend& backend, const ReplacedPositions& replaced,
                                                  const ScoreRule& rule, const CancelToken& cancel) {
  HEADSCOPE_ASSERT(can_update(rule), "a rule that no row can be updated by");
  const Tensor& query = replaced.query;
  const std::int64_t heads = query.dim(1), len = query.dim(2), matrices = query.dim(0) * heads;
  const auto count = static_cast<std::int64_t>(replaced.positions.size());
  const Axes axes{Axis::batch, Axis::head, Axis::query};
  const Shape rows{query.dim(0), heads, len};
  UpdatedAttention result;
  result.statistics = {Tensor::zeros(rows, axes), Tensor::zeros(rows, axes)};
  result.factor = Tensor::zeros(rows, axes);
  result.columns = Tensor::zeros({count, matrices * len}, {Axis::key, Axis::query});
  result.removed = Tensor::zeros({count, matrices * len}, {Axis::key, Axis::query});
  const ScoreRows score_rows(rule);
  std::vector<std::vector<UpdatedAttention::Row>> anew(static_cast<std::size_t>(matrices));
  std::atomic<bool> possible = true;
  const std::int64_t scratch = HeadUpdate::scratch_floats(len, replaced.key.dim(2), count);
  const double work = static_cast<double>(matrices * len) * static_cast<double>(4 * count * query.dim(3));
  backend.run_with_scratch(matrices, work, scratch, cancel, [&](std::int64_t matrix, float* floats) {
    if (!possible) return;
    HeadUpdate update(replaced, score_rows, matrix / heads, matrix % heads, result);
    if (!update.compute(floats)) possible = false;
    anew[static_cast<std::size_t>(matrix)] = std::move(update.rows);
  });
  if (!possible) return std::nullopt;
  for (auto& own : anew) std::move(own.begin(), own.end(), std::back_inserter(result.rows));
  return result;
}

}  // namespace headscope
