#include "core/attention/row_edits.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/backend/score_steps.h"
#include "core/base/assert.h"

namespace headscope {
namespace {

constexpr int kFirst = static_cast<int>(StageId::raw_scores);
constexpr int kLast = static_cast<int>(StageId::dropped_weights);
constexpr std::int64_t kRowsAtOnce = 64;  // of a frozen head

// Copies rows [1, 1, queries, columns] of (b, h) into a region's values.
void store(const Tensor& rows, std::int64_t b, std::int64_t h, Range queries, const Region& region,
           std::span<float> values) {
  const std::int64_t columns = region[3].size();
  for (std::int64_t i = queries.begin; i < queries.end; ++i) {
    const std::int64_t row =
        ((b - region[0].begin) * region[1].size() + h - region[1].begin) * region[2].size() + i - region[2].begin;
    const std::int64_t at = i - queries.begin;
    rows.read({{0, 1}, {0, 1}, {at, at + 1}, region[3]},
              values.subspan(static_cast<std::size_t>(row * columns), static_cast<std::size_t>(columns)));
  }
}

// The same into a stored tensor [b, h, i, columns] whose last axis has no gaps.
void store(const Tensor& rows, std::int64_t b, std::int64_t h, Range queries, Tensor& to) {
  const Strides& steps = to.strides();
  const std::int64_t columns = to.dim(3);
  for (std::int64_t i = queries.begin; i < queries.end; ++i) {
    const std::int64_t at = i - queries.begin;
    float* row = to.mutable_data() + b * steps[0] + h * steps[1] + i * steps[2];
    rows.read({{0, 1}, {0, 1}, {at, at + 1}, {0, columns}}, {row, static_cast<std::size_t>(columns)});
  }
}

}  // namespace

RowEdits::RowEdits(const Request& request, const Inputs& inputs, const Heads& heads, ScoreRule rule,
                   std::shared_ptr<const Backend> backend)
    : heads_(heads),
      rule_(std::move(rule)),
      backend_(std::move(backend)),
      diagonal_(own_diagonal(request, inputs)),
      edits_(static_cast<std::size_t>(kLast - kFirst + 1)) {
  for (const FrozenHead& head : request.freeze) {
    if (head.on && head.place.layer == inputs.layer) frozen_.push_back(head);
  }
  for (int stage = kFirst; stage <= kLast; ++stage) {
    const auto id = static_cast<StageId>(stage);
    edits_at(id) = edits_of(request, inputs.layer, id);
    for (const NumberEdit& edit : edits_at(id)) {
      rows_.push_back({edit.index[0], edit.index[1], edit.index[2], id});
    }
  }
  const auto place = [](const Row& row) { return std::tuple(row.b, row.h, row.i); };
  std::stable_sort(rows_.begin(), rows_.end(), [&](const Row& a, const Row& b) { return place(a) < place(b); });
  rows_.erase(std::unique(rows_.begin(), rows_.end(), [&](const Row& a, const Row& b) { return place(a) == place(b); }),
              rows_.end());
}

std::vector<NumberEdit>& RowEdits::edits_at(StageId stage) {
  return edits_[static_cast<std::size_t>(static_cast<int>(stage) - kFirst)];
}

const std::vector<NumberEdit>& RowEdits::edits_at(StageId stage) const {
  return edits_[static_cast<std::size_t>(static_cast<int>(stage) - kFirst)];
}

const FrozenHead* RowEdits::frozen(std::int64_t h) const {
  const auto found =
      std::find_if(frozen_.begin(), frozen_.end(), [h](const FrozenHead& head) { return head.place.head == h; });
  return found == frozen_.end() ? nullptr : &*found;
}

bool RowEdits::edits(StageId stage) const {
  return !edits_at(stage).empty();
}

Tensor RowEdits::edited(StageId stage, const Tensor& tensor) const {
  return with_edits(edits_at(stage), tensor);
}

void RowEdits::freeze(Tensor& weights) const {
  const Strides& steps = weights.strides();
  for (const FrozenHead& head : frozen_) {
    for (std::int64_t b = 0; b < weights.dim(0); ++b) {
      for (std::int64_t i = 0; i < weights.dim(2); ++i) {
        float* row = weights.mutable_data() + b * steps[0] + head.place.head * steps[1] + i * steps[2];
        read_frozen_row(head.as, rule_.mask->hidden,
                        {.batch = b, .head = head.place.head, .query = i, .diagonal = diagonal_},
                        {row, static_cast<std::size_t>(weights.dim(3))});
      }
    }
  }
}

RowEdits::Computed RowEdits::compute(StageId stage, std::int64_t b, std::int64_t h, Range queries,
                                     const CancelToken& cancel) const {
  const Region region{{b, b + 1}, {h, h + 1}, queries, {0, heads_.key.dim(2)}};
  const auto edit = [&](StageId id, Tensor& rows) {
    if (edits(id)) edit_region(edits_at(id), region, {rows.mutable_data(), static_cast<std::size_t>(rows.size())});
  };
  Computed result;
  const FrozenHead* head = frozen(h);
  if (head != nullptr && is_weight_like(stage)) {
    result.weights =
        Tensor::zeros({1, 1, queries.size(), region[3].size()}, {Axis::batch, Axis::head, Axis::query, Axis::key});
    for (std::int64_t i = queries.begin; i < queries.end; ++i) {
      float* row = result.weights.mutable_data() + (i - queries.begin) * region[3].size();
      read_frozen_row(head->as, rule_.mask->hidden, {.batch = b, .head = h, .query = i, .diagonal = diagonal_},
                      {row, static_cast<std::size_t>(region[3].size())});
    }
  } else {
    Tensor rows = backend_->query_key_products(heads_.query, heads_.key, region, cancel);
    edit(StageId::raw_scores, rows);
    StageId last = StageId::raw_scores;
    for (const StageId next : {StageId::scores, StageId::capped_scores, StageId::masked_scores}) {
      if (next > stage || (next == StageId::capped_scores && !rule_.softcap)) continue;
      rows = next_score_stage(next, rows, rule_, region, cancel).dense_copy();
      edit(next, rows);
      last = next;
    }
    HEADSCOPE_ASSERT(last == std::min(stage, StageId::masked_scores), std::string(stage_name(stage)));
    result.score = rows;
    if (!is_weight_like(stage)) return result;
    result.weights = softmax_of(*backend_, rows, rule_, region[1], &result.statistics, cancel);
    finish_weights(result.weights, rule_, region);
  }
  edit(StageId::weights, result.weights);
  if (stage == StageId::weights || !rule_.drops()) return result;
  result.dropped = dropped_weights(result.weights, rule_, region, cancel);
  edit(StageId::dropped_weights, result.dropped);
  return result;
}

Tensor RowEdits::context(const Tensor& weights, std::int64_t b, std::int64_t h, Range queries,
                         const CancelToken& cancel) const {
  const std::int64_t keys = heads_.value.dim(2);
  const std::int64_t g = h / (heads_.query.dim(1) / heads_.value.dim(1));
  HiddenCells hidden(1, 1, queries.size(), keys);
  if (rule_.mask->hidden.any()) {
    for (std::int64_t i = queries.begin; i < queries.end; ++i) {
      std::uint8_t* row = hidden.mutable_row(0, 0, i - queries.begin);
      rule_.mask->hidden.read_row(b, h, i, {row, static_cast<std::size_t>(keys)});
    }
    hidden.refresh_any();
  }
  return backend_->weighted_values(weights, heads_.value.sliced(0, b, b + 1).sliced(1, g, g + 1), hidden, cancel);
}

// Calls visit(b, h, queries) for the runs of rows in `rows` that `stage` has otherwise than the rule gives it.
template <typename Visit>
void RowEdits::visit(StageId stage, const Region& rows, const CancelToken& cancel, const Visit& visit) const {
  const bool weight_like = stage >= StageId::weights;
  for (const FrozenHead& head : frozen_) {
    const std::int64_t h = head.place.head;
    if (!weight_like || h < rows[1].begin || h >= rows[1].end) continue;
    for (std::int64_t b = rows[0].begin; b < rows[0].end; ++b) {
      for (std::int64_t i = rows[2].begin; i < rows[2].end; i += kRowsAtOnce) {
        cancel.check();
        visit(b, h, Range{i, std::min(i + kRowsAtOnce, rows[2].end)});
      }
    }
  }
  for (const Row& row : rows_) {
    const bool inside = rows[0].begin <= row.b && row.b < rows[0].end && rows[1].begin <= row.h &&
                        row.h < rows[1].end && rows[2].begin <= row.i && row.i < rows[2].end;
    if (inside && row.from <= stage && !(weight_like && frozen(row.h) != nullptr)) {
      visit(row.b, row.h, Range{row.i, row.i + 1});
    }
  }
}

void RowEdits::apply(StageId stage, const Region& region, std::span<float> values, const CancelToken& cancel) const {
  visit(stage, region, cancel, [&](std::int64_t b, std::int64_t h, Range queries) {
    const Computed rows = compute(stage, b, h, queries, cancel);
    store(rows.of(stage), b, h, queries, region, values);
  });
}

std::vector<ChangedRow> RowEdits::changed_rows(StageId stage, std::int64_t b, std::int64_t h, Range queries, Range keys,
                                               const CancelToken& cancel) const {
  std::vector<ChangedRow> changed;
  visit(stage, {{b, b + 1}, {h, h + 1}, queries}, cancel, [&](std::int64_t, std::int64_t, Range rows) {
    const Computed computed = compute(stage, b, h, rows, cancel);
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
      ChangedRow row{i, std::vector<float>(static_cast<std::size_t>(keys.size()))};
      computed.of(stage).read({{0, 1}, {0, 1}, {i - rows.begin, i - rows.begin + 1}, keys}, row.cells);
      changed.push_back(std::move(row));
    }
  });
  return changed;
}

void RowEdits::apply_to_context(const Region& region, std::span<float> values, const CancelToken& cancel) const {
  visit(StageId::context, region, cancel, [&](std::int64_t b, std::int64_t h, Range queries) {
    const Computed rows = compute(StageId::dropped_weights, b, h, queries, cancel);
    store(context(rows.kept(), b, h, queries, cancel), b, h, queries, region, values);
  });
}

void RowEdits::apply(AttentionResults& results, const CancelToken& cancel) const {
  const Tensor& whole = results.weights;
  const Region all{{0, whole.dim(0)}, {0, whole.dim(1)}, {0, whole.dim(2)}, {0, whole.dim(3)}};
  visit(StageId::context, all, cancel, [&](std::int64_t b, std::int64_t h, Range queries) {
    const Computed rows = compute(StageId::dropped_weights, b, h, queries, cancel);
    store(rows.weights, b, h, queries, results.weights);
    if (!results.dropped.empty()) store(rows.dropped, b, h, queries, results.dropped);
    store(context(rows.kept(), b, h, queries, cancel), b, h, queries, results.context);
    if (rows.statistics.max.empty()) return;
    for (const auto& [from, to] :
         {std::pair{&rows.statistics.max, &results.statistics.max}, {&rows.statistics.sum, &results.statistics.sum}}) {
      const Strides& steps = to->strides();
      float* row = to->mutable_data() + b * steps[0] + h * steps[1] + queries.begin * steps[2];
      from->read({{0, 1}, {0, 1}, {0, 1}}, {row, 1});
    }
  });
}

}  // namespace headscope
