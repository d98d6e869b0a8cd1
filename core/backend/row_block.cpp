// Long because the steps of one pass over a block of rows are inlined into each other: in other files they would be
// calls within its inner loops.
#include "core/backend/row_block.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/backend/far_rows.h"
#include "core/backend/operands.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A row of scores in the buffer. Whole panels, and a cache line more, so that rows do not lie a power of two apart.
std::int64_t score_stride_of(std::int64_t key_len) {
  return rounded_up(std::max<std::int64_t>(key_len, 1), kPanelKeys) + kSumLanes;
}

KeySpan overlap(const KeySpan& a, KeySpan b) {
  const std::int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

std::int64_t keys_of(const KeySpans& spans) {
  return spans.first.size() + spans.second.size();
}

void fill_outside(const KeySpans& spans, std::int64_t key_len, float value, float* cells) {
  std::int64_t done = 0;
  for (const KeySpan& span : {spans.first, spans.second}) {
    if (span.size() == 0) continue;
    std::fill(cells + done, cells + span.begin, value);
    done = span.end;
  }
  std::fill(cells + done, cells + key_len, value);
}

// -inf up to where the loops over a span stop.
void pad(const KeySpans& spans, float* cells) {
  for (const KeySpan& span : {spans.first, spans.second}) {
    std::fill(cells + span.end, cells + rounded_up(span.end, kSumLanes), -kInfinity);
  }
}

bool any_nan(const KeySpans& spans, const float* cells) {
  for (const KeySpan& span : {spans.first, spans.second}) {
    for (std::int64_t j = span.begin; j < span.end; ++j) {
      if (std::isnan(cells[j])) return true;
    }
  }
  return false;
}

class RowBlock {
 public:
  RowBlock(const AttentionPass& pass, std::int64_t b, std::int64_t h, Range queries, float* scratch,
           const CancelToken& cancel)
      : pass_(pass),
        b_(b),
        h_(h),
        queries_(queries),
        key_len_(pass.rows.key_len()),
        score_stride_(score_stride_of(key_len_)),
        context_stride_(rounded_up(pass.value_head_dim, kPanelFeatures)),
        scores_(scratch),
        context_(scores_ + (pass.far ? 1 : queries.size()) * score_stride_),
        panel_(context_ + queries.size() * context_stride_),
        copy_(panel_ + pass.keys.panel_floats()),
        far_(copy_ + (pass.visited != nullptr ? key_len_ : 0), queries.size(), score_stride_),
        visits_scores_(pass.visited != nullptr && std::any_of(pass.visited->stages.begin(), pass.visited->stages.end(),
                                                              [](StageId stage) { return !is_weight_like(stage); })),
        sink_(pass.rows.sink(h)),
        cancel_(cancel) {
    for (std::int64_t row = 0; row < queries.size();) {
      const std::int64_t left = queries.size() - row;
      const std::int64_t parts = parts_over(left, kStripRows);
      const std::int64_t rows = parts_over(left, parts);
      const Range mine{queries.begin + row, queries.begin + row + rows};
      strips_[strip_count_++] = {row, rows, pass.rows.spans(b, h, mine)};
      row += rows;
    }
  }

  void compute() {
    multiply_scores();
    for (std::size_t s = 0; s < strip_count_; ++s) weigh(strips_[s]);
    if (pass_.values == nullptr) return;
    multiply_values();
    for (std::int64_t row = 0; row < queries_.size(); ++row) store_context(row);
  }

 private:
  struct Strip {
    std::int64_t row = 0, rows = 0;
    KeySpans spans;
  };

  // Of rows that lie far, the one that was read last.
  float* cells(std::int64_t row) const { return pass_.far ? scores_ : scores_ + row * score_stride_; }

  // The first place of row `row` in a result.
  float* place(Tensor& result, std::int64_t row) const {
    const Strides& strides = result.strides();
    return result.mutable_data() + (b_ - pass_.part.batch.begin) * strides[0] +
           (h_ - pass_.part.heads.begin) * strides[1] + (queries_.begin + row - pass_.part.queries.begin) * strides[2];
  }

  // Calls visit(first strip, last strip) for neighbours whose spans overlap with `keys` in the same keys.
  template <typename Visit>
  void visit_strips(KeySpan keys, const Visit& visit) const {
    for (std::size_t s = 0; s < strip_count_;) {
      const KeySpan first = overlap(strips_[s].spans.first, keys);
      const KeySpan second = overlap(strips_[s].spans.second, keys);
      std::size_t end = s + 1;
      while (end < strip_count_ && overlap(strips_[end].spans.first, keys) == first &&
             overlap(strips_[end].spans.second, keys) == second) {
        ++end;
      }
      const std::int64_t row = strips_[s].row;
      const std::int64_t rows = strips_[end - 1].row + strips_[end - 1].rows - row;
      if (first.size() > 0) visit(row, rows, first);
      if (second.size() > 0) visit(row, rows, second);
      s = end;
    }
  }

  // The keys from the first to the last that any strip sees.
  KeySpan reach() const {
    KeySpan result{key_len_, 0};
    for (std::size_t s = 0; s < strip_count_; ++s) {
      for (const KeySpan& span : {strips_[s].spans.first, strips_[s].spans.second}) {
        if (span.size() == 0) continue;
        result = {std::min(result.begin, span.begin), std::max(result.end, span.end)};
      }
    }
    return result.size() > 0 ? result : KeySpan{};
  }

  void multiply_scores() {
    constexpr std::int64_t kPanelsBetweenChecks = 64;
    const KeySpan all = visits_scores_ ? KeySpan{0, key_len_} : reach();
    const Strides& strides = pass_.query.strides();
    QueryKeyBlock block;
    block.query_stride = strides[2];
    block.head_dim = pass_.head_dim;
    block.score_stride = pass_.far ? FarRows::kGatheredStride : score_stride_;
    const float* query = pass_.query.data() + b_ * strides[0] + h_ * strides[1] + queries_.begin * strides[2];
    std::int64_t gathered = all.begin / kPanelKeys * kPanelKeys;
    for (std::int64_t first = gathered; first < all.end; first += kPanelKeys) {
      if (first / kPanelKeys % kPanelsBetweenChecks == 0) cancel_.check();
      block.key_panel = nullptr;
      // Strips whose last panel it is only in part are multiplied with all of it.
      for (std::size_t s = 0; s < strip_count_;) {
        std::size_t end = s;
        while (end < strip_count_ && (visits_scores_ || sees(strips_[end], first))) ++end;
        if (end == s) {
          ++s;
          continue;
        }
        if (block.key_panel == nullptr) {
          block.key_panel = pass_.keys.panel(b_, h_ / pass_.heads_per_kv_head, first / kPanelKeys, panel_);
          const bool another = pass_.keys.packed() && first + kPanelKeys < all.end;
          block.next_panel = another ? block.key_panel + pass_.keys.panel_floats() : nullptr;
        }
        block.query = query + strips_[s].row * strides[2];
        block.rows = strips_[end - 1].row + strips_[end - 1].rows - strips_[s].row;
        block.scores = pass_.far ? far_.gathered(strips_[s].row, first) : cells(strips_[s].row) + first;
        multiply_query_key(block);
        s = end;
      }
      const std::int64_t next = first + kPanelKeys;
      if (pass_.far && (next % FarRows::kKeys == 0 || next >= all.end)) {
        far_.write({gathered, next});
        gathered = next;
      }
    }
  }

  static bool sees(const Strip& strip, std::int64_t first) {
    const KeySpan panel{first, first + kPanelKeys};
    return overlap(strip.spans.first, panel).size() > 0 || overlap(strip.spans.second, panel).size() > 0;
  }

  // One row on its way from scores to weights.
  struct Row {
    KeySpans spans;
    float max = 0;
    RowExponentials sums;
  };

  // Scores of the strip to weights, in place and in the results. Three rows are under way at a time: each step of one
  // ends in a chain of few operations that the processor fills with another's. Of long rows each is finished while the
  // second cache still holds it.
  void weigh(Strip& strip) {
    constexpr std::int64_t kLongRow = std::int64_t{1} << 15;
    const std::int64_t apart = key_len_ > kLongRow || pass_.far ? 0 : 1;
    std::array<Row, kStripRows> rows;
    const auto at = [&](std::int64_t r) -> Row& { return rows[static_cast<std::size_t>(r)]; };
    for (std::int64_t r = 0; r < strip.rows + 2 * apart; ++r) {
      if (r < strip.rows) {
        at(r).spans = strip.spans;
        if (pass_.far) far_.read(strip.row + r, strip.spans, cells(strip.row + r));
        visit_scores(strip.row + r);
        mask_row(strip.row + r, at(r));
      }
      if (const std::int64_t second = r - apart; 0 <= second && second < strip.rows) {
        Row& row = at(second);
        row.sums = exponentials_of_row(cells(strip.row + second), row.spans, factor(), row.max, sink_);
      }
      if (const std::int64_t third = r - 2 * apart; 0 <= third) finish_row(strip.row + third, at(third));
    }
    if (pass_.visit_weights != nullptr) return;
    // Rows may have weights outside the spans: NaN, or what a finite fill or a policy gives.
    const auto as_the_strip = [&](std::int64_t r) { return at(r).spans == strip.spans; };
    bool all = true;
    for (std::int64_t r = 0; r < strip.rows; ++r) all = all && as_the_strip(r);
    if (all) return;
    for (std::int64_t r = 0; r < strip.rows; ++r) {
      if (as_the_strip(r)) fill_outside(strip.spans, key_len_, 0.0F, cells(strip.row + r));
    }
    strip.spans = whole_row(key_len_);
  }

  float factor() const { return pass_.rows.factor().value_or(1.0F); }

  // Hands out a row of raw scores, and what becomes of it on the way to masked scores.
  void visit_scores(std::int64_t number) const {
    if (!visits_scores_) return;
    const auto keys = static_cast<std::size_t>(key_len_);
    const std::int64_t i = queries_.begin + number;
    const float* const raw = cells(number);
    for (const StageId stage : pass_.visited->stages) {
      if (is_weight_like(stage)) return;
      const float* row = raw;
      if (stage != StageId::raw_scores) {
        std::copy_n(raw, keys, copy_);
        pass_.rows.apply(stage, b_, h_, i, {0, key_len_}, copy_);
        row = copy_;
      }
      pass_.visited->read(stage, b_, h_, i, {row, keys});
    }
  }

  // Hands out a row of weights or dropped weights that lies in the buffer, where it is wished for.
  void visit_weights(StageId stage, std::int64_t number, const KeySpans& spans) const {
    if (pass_.visited == nullptr) return;
    const std::vector<StageId>& stages = pass_.visited->stages;
    if (std::find(stages.begin(), stages.end(), stage) == stages.end()) return;
    fill_outside(spans, key_len_, 0.0F, cells(number));
    pass_.visited->read(stage, b_, h_, queries_.begin + number, {cells(number), static_cast<std::size_t>(key_len_)});
  }

  // What softmax begins with: masked scores, all but for factor(), and their maximum.
  void mask_row(std::int64_t number, Row& row) {
    const ScoreRows& rows = pass_.rows;
    const std::int64_t i = queries_.begin + number;
    float* const s = cells(number);
    for (const KeySpan& span : {row.spans.first, row.spans.second}) {
      const Range keys{span.begin, span.end};
      if (span.size() == 0) continue;
      if (rows.factor()) {
        rows.hide(b_, h_, i, keys, s + span.begin);
      } else {
        rows.apply(StageId::masked_scores, b_, h_, i, keys, s + span.begin);
      }
    }
    pad(row.spans, s);
    row.max = largest_cell(s, row.spans) * factor() + 0.0F;
    if (!rows.hides() || rows.hidden_score() == -kInfinity || keys_of(row.spans) == key_len_) return;
    // The hidden keys outside the spans hold the fill; where that makes no weight they need not be looked at.
    const float fill = rows.hidden_score();
    row.max = std::max(row.max, fill) + 0.0F;
    float fill_weight = 0;
    weights_by_statistics(&fill, 1, 1.0F, row.max, 1.0F, &fill_weight);
    if (fill_weight == 0.0F) return;
    fill_outside(row.spans, key_len_, fill, s);
    row.spans = whole_row(key_len_);
    pad(row.spans, s);
  }

  // Exponentials to weights.
  void finish_row(std::int64_t number, Row& row) {
    const ScoreRows& rows = pass_.rows;
    const std::int64_t i = queries_.begin + number;
    float* const s = cells(number);
    keep_statistics(number, row.sums);
    float inverse = 1.0F / row.sums.sum;
    const std::optional<float> all_weights = rows.weight_when_hidden(b_, h_, i);
    if (all_weights || !(row.sums.sum > 0.0F)) {
      std::fill(s, s + key_len_, all_weights.value_or(plain_nan()));
      row.spans = whole_row(key_len_);
      inverse = 1.0F;
    }
    if (!all_weights) rows.clear_hidden(b_, h_, i, {0, key_len_}, s);
    if (pass_.visit_weights != nullptr) {
      (*pass_.visit_weights)({b_, h_, i, row.spans, s, inverse});
      return;
    }
    if (pass_.to.weights.empty()) {
      multiply_cells(s, row.spans, inverse);
    } else {
      store(pass_.to.weights, number, row.spans, inverse);
    }
    visit_weights(StageId::weights, number, row.spans);
    drop_weights(number, row.spans);
  }

  void keep_statistics(std::int64_t row, RowExponentials sums) {
    RowStatistics& statistics = pass_.to.statistics;
    if (!statistics.max.empty()) *place(statistics.max, row) = sums.max;
    if (!statistics.sum.empty()) *place(statistics.sum, row) = sums.sum;
  }

  // Cells times `factor`, in place and as the row of a result, which may end before the last key.
  void store(Tensor& result, std::int64_t row, const KeySpans& spans, float factor) {
    const std::int64_t keys = result.dim(3);
    const KeySpan stored{0, keys};
    multiply_cells_to(cells(row), {overlap(spans.first, stored), overlap(spans.second, stored)}, factor,
                      place(result, row), keys, pass_.past_caches);
  }

  void drop_weights(std::int64_t row, const KeySpans& spans) {
    const bool wanted = pass_.values != nullptr || !pass_.to.dropped.empty() || pass_.visited != nullptr;
    if (!wanted || !pass_.rows.rule().drops()) return;
    float* const s = cells(row);
    for (const KeySpan& span : {spans.first, spans.second}) {
      if (span.size() > 0) {
        pass_.rows.drop(b_, h_, queries_.begin + row, {span.begin, span.end}, s + span.begin);
      }
    }
    if (!pass_.to.dropped.empty()) store(pass_.to.dropped, row, spans, 1.0F);
    visit_weights(StageId::dropped_weights, row, spans);
  }

  void multiply_values() {
    std::fill_n(context_, queries_.size() * context_stride_, 0.0F);
    const FiniteValues::Head head = pass_.values->head(b_, h_ / pass_.heads_per_kv_head);
    WeightValueBlock block;
    block.weight_stride = score_stride_;
    block.value_stride = head.stride;
    block.panel_distance = head.panel_distance;
    block.panels = pass_.values->panels();
    block.context_stride = context_stride_;
    const KeySpan all = reach();
    for (std::int64_t j = all.begin / kKeysAtOnce * kKeysAtOnce; j < all.end; j += kKeysAtOnce) {
      cancel_.check();
      visit_strips({j, j + kKeysAtOnce}, [&](std::int64_t row, std::int64_t rows, KeySpan keys) {
        block.weights = cells(row) + keys.begin;
        block.rows = rows;
        block.keys = keys.size();
        block.value = head.value + keys.begin * head.stride;
        block.context = context_ + row * context_stride_;
        block.fetches_next = head.stride == kPanelFeatures && keys.end + keys.size() <= all.end;
        multiply_weight_value(block);
      });
    }
  }

  void store_context(std::int64_t row) {
    float* sums = context_ + row * context_stride_;
    const std::int64_t i = queries_.begin + row;
    const KeySpans& spans = strip_of(row).spans;
    pass_.values->visit_others(b_, h_ / pass_.heads_per_kv_head, [&](const FiniteValues::Other& other) {
      const KeySpan key{other.key, other.key + 1};
      const bool weighed = overlap(spans.first, key).size() > 0 || overlap(spans.second, key).size() > 0;
      const float weight = weighed ? cells(row)[other.key] : 0.0F;
      if (weight == 0.0F && pass_.rows.rule().mask->hidden.hidden(b_, h_, i, other.key)) return;
      sums[other.feature] += weight * other.value;
    });
    finish_sums(sums, pass_.value_head_dim, place(pass_.to.context, row));
  }

  const Strip& strip_of(std::int64_t row) const {
    std::size_t s = 0;
    while (row >= strips_[s].row + strips_[s].rows) ++s;
    return strips_[s];
  }

  const AttentionPass& pass_;
  std::int64_t b_, h_;
  Range queries_;
  std::int64_t key_len_, score_stride_, context_stride_;
  float* scores_;
  float* context_;
  float* panel_;
  float* copy_;         // a row of scores; only when visits_scores_
  FarRows far_;         // only when pass_.far
  bool visits_scores_;  // rows of a stage before the weights are handed out: they are whole
  float sink_;          // of the head; -inf: none
  const CancelToken& cancel_;
  std::array<Strip, kBlockStrips> strips_;
  std::size_t strip_count_ = 0;
};

}  // namespace

RowExponentials exponentials_of_row(float* cells, const KeySpans& spans, float factor, float max, float sink) {
  if (sink != -kInfinity) max = std::max(max, sink);
  if (-kInfinity < max && max < kInfinity) {
    float sum = exponentials(cells, spans, factor, max);
    if (sink != -kInfinity) {
      float share = 0;
      weights_by_statistics(&sink, 1, 1.0F, max, 1.0F, &share);
      sum += share;
    }
    return std::isnan(sum) ? RowExponentials{plain_nan(), plain_nan()} : RowExponentials{max, sum};
  }
  if (any_nan(spans, cells)) return {plain_nan(), plain_nan()};
  return {max, max == -kInfinity ? 0.0F : plain_nan()};
}

bool rows_lie_far(std::int64_t key_len) {
  constexpr std::int64_t kFarKeys = std::int64_t{1} << 16, kMostKeys = std::int64_t{1} << 18;
  return kFarKeys <= key_len && key_len <= kMostKeys;
}

std::int64_t rows_of_block(std::int64_t key_len, bool far) {
  if (far) return kBlockStrips * kStripRows;
  constexpr std::int64_t kScoresAtOnce = std::int64_t{1} << 18;
  const std::int64_t strips = kScoresAtOnce / score_stride_of(key_len) / kStripRows;
  return std::clamp<std::int64_t>(strips, 1, kBlockStrips) * kStripRows;
}

std::int64_t scratch_of_block(const AttentionPass& pass, std::int64_t rows) {
  const std::int64_t context_stride = rounded_up(pass.value_head_dim, kPanelFeatures);
  const std::int64_t copy = pass.visited != nullptr ? pass.rows.key_len() : 0;
  const std::int64_t stride = score_stride_of(pass.rows.key_len());
  const std::int64_t scores = pass.far ? stride + FarRows::floats(rows, stride) : rows * stride;
  return scores + rows * context_stride + pass.keys.panel_floats() + copy;
}

void compute_row_block(const AttentionPass& pass, std::int64_t b, std::int64_t h, Range queries, float* scratch,
                       const CancelToken& cancel) {
  RowBlock(pass, b, h, queries, scratch, cancel).compute();
}

}  // namespace headscope
