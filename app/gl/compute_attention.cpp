#include "app/gl/compute_attention.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/gl/attention_step.h"
#include "app/gl/finite_numbers.h"
#include "app/gl/seen_keys.h"
#include "app/gl/weight_totals.h"
#include "core/backend/operands.h"
#include "core/backend/score_rows.h"
#include "core/backend/score_steps.h"

namespace headscope {
namespace {

constexpr std::int64_t kProductsPerWeight = 40;  // what masking, exp and division cost, about

struct Sizes {
  explicit Sizes(const ScoreOperands& of)
      : head_dim(of.query.dim(3)), key_len(of.key.dim(2)), heads_per_group(of.query.dim(1) / of.key.dim(1)) {}
  std::int64_t head_dim, key_len, heads_per_group;
};

std::int64_t matrices_of(const Region& cells) {
  return cells[0].size() * cells[1].size();
}

HeadGroups heads_of(const Region& cells, const Sizes& size) {
  return {cells[1].begin, cells[1].size(), size.heads_per_group};
}

OperandRows rows_of(const Range& part, const Range& uploaded) {
  return {part.begin - uploaded.begin, uploaded.size()};
}

// Scores of `cells` at `stage` (raw_scores ... masked_scores) into buffers.result. `uploaded`: the queries and keys of
// these heads that go to the device together, for these cells and others.
void make_scores(ComputeDevice& device, const ScoreOperands& of, StageId stage, const Region& cells,
                 const Region& uploaded) {
  ComputeBuffers& buffers = *device.buffers;
  const ScoreRule& rule = of.rule;
  const Sizes size(of);
  const HeadGroups heads = heads_of(cells, size);
  buffers.left.upload(of.query, {cells[0], cells[1], uploaded[2], {0, size.head_dim}});
  buffers.right.upload(of.key, {cells[0], heads.group_range(), uploaded[3], {0, size.head_dim}});
  buffers.result.reserve(element_count(cells));
  device.kernels->dot_products({.batch = cells[0].size(),
                                .rows = cells[2].size(),
                                .columns = cells[3].size(),
                                .depth = size.head_dim,
                                .heads = heads,
                                .left = rows_of(cells[2], uploaded[2]),
                                .right = rows_of(cells[3], uploaded[3])},
                               buffers.left, buffers.right, nullptr, buffers.result);
  if (stage == StageId::raw_scores) return;

  ComputeKernels::ScoreSteps steps;
  steps.heads = cells[1].size();
  steps.queries = cells[2].size();
  steps.keys = cells[3].size();
  steps.first_key = cells[3].begin;
  steps.scale = static_cast<float>(rule.scale);
  steps.softcap = static_cast<float>(rule.softcap.value_or(0.0));
  steps.mask_first = rule.mask_order == MaskOrder::before_scale && rule.masks();
  steps.stops_before_softcap = !steps.mask_first && stage == StageId::scores;
  steps.stops_before_mask = !steps.mask_first && stage != StageId::masked_scores;
  steps.hides = !rule.mask_after_softmax && rule.mask->hidden.any();
  steps.hidden_value = ScoreRows(rule).hidden_score();
  const Tensor& added = rule.mask->added;
  steps.caps_added = rule.caps_added();
  steps.adds = !added.empty() && !(steps.caps_added ? steps.stops_before_softcap : steps.stops_before_mask);
  if (steps.hides) buffers.mask.upload(rule.mask->hidden, cells[0], cells[1], cells[2]);
  if (steps.adds) {
    const Region part{added.dim(0) == 1 ? Range{0, 1} : cells[0], added.dim(1) == 1 ? Range{0, 1} : cells[1], cells[2],
                      cells[3]};
    steps.added_batches = part[0].size();
    steps.added_heads = part[1].size();
    buffers.added.upload(added, part);
  }
  device.kernels->masked_scores(steps, matrices_of(cells) * cells[2].size(), buffers.result, buffers.mask,
                                buffers.added);
}

// Masked scores in buffers.result into weights, by the statistics in buffers.maxima and sums.
void make_weights(ComputeDevice& device, const ScoreRule& rule, const Region& cells) {
  ComputeBuffers& buffers = *device.buffers;
  const HiddenCells& hidden = rule.mask->hidden;
  ComputeKernels::WeightSteps steps;
  steps.rows = matrices_of(cells) * cells[2].size();
  steps.keys = cells[3].size();
  steps.first_key = cells[3].begin;
  steps.clears_hidden = rule.mask_after_softmax && hidden.any();
  steps.rewrites_hidden_rows = rule.fully_masked != FullyMasked::as_computed && hidden.any();
  if (steps.clears_hidden) buffers.mask.upload(hidden, cells[0], cells[1], cells[2]);
  if (steps.rewrites_hidden_rows) {
    steps.hidden_row_value =
        rule.fully_masked == FullyMasked::zero ? 0.0F : 1.0F / static_cast<float>(hidden.key_len());
    std::vector<std::uint32_t> rows;
    for (std::int64_t b = cells[0].begin; b < cells[0].end; ++b) {
      for (std::int64_t h = cells[1].begin; h < cells[1].end; ++h) {
        for (std::int64_t i = cells[2].begin; i < cells[2].end; ++i) {
          rows.push_back(hidden.all_hidden(b, h, i) ? 1 : 0);
        }
      }
    }
    buffers.all_hidden.upload(rows);
  }
  device.kernels->softmax_weights(steps, buffers.result, buffers.maxima, buffers.sums, buffers.mask,
                                  buffers.all_hidden);
}

// The weights in buffers.result, after dropout.
void drop_weights(ComputeDevice& device, const ScoreRule& rule, const Region& cells, const CancelToken& cancel) {
  ComputeBuffers& buffers = *device.buffers;
  const std::int64_t rows = matrices_of(cells) * cells[2].size(), keys = cells[3].size();
  ComputeKernels::DropSteps steps;
  steps.first_key = cells[3].begin;
  if (!rule.dropout_mask.empty()) {
    Tensor ones = Tensor::zeros({cells[0].size(), cells[1].size(), cells[2].size(), keys},
                                {Axis::batch, Axis::head, Axis::query, Axis::key});
    std::fill_n(ones.mutable_data(), ones.size(), 1.0F);
    const Tensor factors = dropped_weights(ones, rule, cells, cancel);
    buffers.factors.upload(factors, whole(factors.shape()));
    device.kernels->dropped_weights(steps, rows, keys, buffers.result, buffers.draws, &buffers.factors);
    return;
  }
  std::vector<std::uint32_t> draws;
  draws.reserve(static_cast<std::size_t>(2 * rows));
  for (std::int64_t b = cells[0].begin; b < cells[0].end; ++b) {
    for (std::int64_t h = cells[1].begin; h < cells[1].end; ++h) {
      for (std::int64_t i = cells[2].begin; i < cells[2].end; ++i) {
        const std::uint64_t state = DropoutDraw(rule.dropout_seed, b, h, i).state();
        draws.push_back(static_cast<std::uint32_t>(state));
        draws.push_back(static_cast<std::uint32_t>(state >> 32));
      }
    }
  }
  buffers.draws.upload(draws);
  // A draw of n 2^-53 keeps a weight when it is at least P.
  steps.least = static_cast<std::uint64_t>(std::ceil(std::ldexp(rule.dropout, 53)));
  steps.gain = dropout_gain(rule.dropout);
  device.kernels->dropped_weights(steps, rows, keys, buffers.result, buffers.draws, nullptr);
}

// weights · value into buffers.context, the weights in buffers.result.
void make_context(ComputeDevice& device, const AttentionStep& step, const HeadGroups& heads) {
  ComputeBuffers& buffers = *device.buffers;
  const Region& cells = step.cells;
  const std::int64_t features = step.value.dim(3);
  buffers.value.upload(step.value, {cells[0], heads.group_range(), step.uploaded[3], {0, features}});
  if (step.hidden != nullptr) buffers.mask.upload(*step.hidden, cells[0], cells[1], cells[2]);
  buffers.context.reserve(matrices_of(cells) * cells[2].size() * features);
  device.kernels->weighted_values({.batch = cells[0].size(),
                                   .rows = cells[2].size(),
                                   .columns = features,
                                   .depth = cells[3].size(),
                                   .heads = heads,
                                   .right = rows_of(cells[3], step.uploaded[3])},
                                  buffers.result, buffers.value, step.hidden != nullptr ? &buffers.mask : nullptr,
                                  cells[3].begin, buffers.context);
}

// One step into `to`, whose statistics are sized.
void run_step(ComputeDevice& device, const ScoreOperands& of, const AttentionStep& step, AttentionResults& to,
              const CancelToken& cancel) {
  ComputeBuffers& buffers = *device.buffers;
  const Region& cells = step.cells;
  const HeadGroups heads = heads_of(cells, Sizes(of));
  const std::int64_t count = matrices_of(cells) * cells[2].size();
  const bool has_context = !to.context.empty();
  const bool drops = of.rule.drops() && (has_context || !to.dropped.empty());
  const bool checks = has_totals(of.rule);
  const bool weighs = checks || has_context || drops || !to.weights.empty();
  make_scores(device, of, StageId::masked_scores, cells, step.uploaded);
  buffers.maxima.reserve(count);
  buffers.sums.reserve(count);
  device.kernels->row_statistics(count, cells[3].size(), buffers.result, buffers.maxima, buffers.sums);
  if (weighs) make_weights(device, of.rule, cells);
  if (checks) make_totals(device, cells);
  if (has_context && !drops) make_context(device, step, heads);
  glFlush();  // it begins, while the processor clears
  clear_beside(device, step, to.weights);
  clear_beside(device, step, to.dropped);
  const Region rows{step.local[0], step.local[1], step.local[2]};
  read_part(buffers.maxima, rows, to.statistics.max);
  read_part(buffers.sums, rows, to.statistics.sum);
  if (checks) check_totals(device, of.rule, cells, to.statistics, rows);
  if (!to.weights.empty()) read_weights(device, step, to.statistics, to.weights);
  if (drops) {
    drop_weights(device, of.rule, cells, cancel);
    if (has_context) make_context(device, step, heads);
    if (!to.dropped.empty()) read_weights(device, step, to.statistics, to.dropped);
  }
  if (has_context) {
    read_part(buffers.context, {step.local[0], step.local[1], step.local[2], {0, step.value.dim(3)}}, to.context);
  }
}

}  // namespace

void attention_on(ComputeDevice& device, const ScoreOperands& of, const Tensor& value, const QueryRange& part,
                  AttentionResults& to, const CancelToken& cancel) {
  const Sizes size(of);
  const ScoreRule& rule = of.rule;
  if (!rule.sinks.empty()) throw Error("It does not compute the learned sinks that this model's heads have.");
  const std::int64_t features = to.context.empty() ? 0 : value.dim(3);
  const bool any_value = features > 0 && rule.mask->hidden.any() && !all_finite(value, device.threads);
  const Region all{part.batch, part.heads, part.queries};
  AttentionResults results = to;
  if (results.statistics.max.empty() || results.statistics.sum.empty()) {
    results.statistics = sized_row_statistics({all[0].size(), all[1].size(), all[2].size()});
  }
  const auto takes_rows = [&](std::int64_t matrices, std::int64_t queries) {
    const std::int64_t count = matrices * queries;
    return count <= kMostGroups && device.holds(count * std::max({size.key_len, size.head_dim, features})) &&
           device.takes(count * size.key_len, size.head_dim + features + kProductsPerWeight);
  };
  // Heads whose keys and values fit, and all their queries.
  const auto fits = [&](const Region& rows) {
    const std::int64_t matrices = matrices_of(rows);
    return device.holds(matrices * size.key_len * std::max(size.head_dim, features)) &&
           device.holds(matrices * rows[2].size() * size.head_dim) && takes_rows(matrices, 1);
  };
  for (const Region& rows : parts_of(all, fits)) {
    const std::int64_t matrices = matrices_of(rows);
    std::int64_t at_once = std::min(rows[2].size(), queries_at_once(rule, size.key_len));
    while (at_once > 1 && !takes_rows(matrices, at_once)) at_once = (at_once + 1) / 2;
    for (std::int64_t begin = rows[2].begin; begin < rows[2].end; begin += at_once) {
      cancel.check();
      const Region block{rows[0], rows[1], {begin, std::min(begin + at_once, rows[2].end)}};
      const Range keys = seen_keys(rule, block, size.key_len);
      const Region local = shifted(block, all);
      run_step(device, of,
               {.value = value,
                .hidden = any_value ? &rule.mask->hidden : nullptr,
                .cells = {block[0], block[1], block[2], keys},
                .uploaded = {rows[0], rows[1], rows[2], {0, size.key_len}},
                .local = {local[0], local[1], local[2], keys}},
               results, cancel);
    }
  }
}

void make_cells(ComputeDevice& device, const ScoreOperands& of, const ScoreCells& cells, const Region& statistic_rows,
                const CancelToken& cancel) {
  const bool weighs = is_weight_like(cells.stage);
  make_scores(device, of, weighs ? StageId::masked_scores : cells.stage, cells.region, cells.region);
  if (!weighs) return;
  device.buffers->maxima.upload(cells.statistics->max, statistic_rows);
  device.buffers->sums.upload(cells.statistics->sum, statistic_rows);
  make_weights(device, of.rule, cells.region);
  if (cells.stage == StageId::dropped_weights) drop_weights(device, of.rule, cells.region, cancel);
}

void read_scores_on(ComputeDevice& device, const ScoreOperands& of, const ScoreCells& cells, std::span<float> out,
                    const CancelToken& cancel) {
  const Sizes size(of);
  const Region& region = cells.region;
  Tensor result = Tensor::zeros({region[0].size(), region[1].size(), region[2].size(), region[3].size()},
                                {Axis::batch, Axis::head, Axis::query, Axis::key});
  const RowStatistics* statistics = cells.statistics;
  RowStatistics made;
  if (is_weight_like(cells.stage) && statistics == nullptr) {
    const Shape rows{region[0].size(), region[1].size(), region[2].size()};
    const Axes axes{Axis::batch, Axis::head, Axis::query};
    AttentionResults rows_only;
    rows_only.statistics = made = {Tensor::zeros(rows, axes), Tensor::zeros(rows, axes)};
    attention_on(device, of, {}, {region[0], region[1], region[2]}, rows_only, cancel);
    statistics = &made;
  }
  const auto fits = [&](const Region& part) {
    const std::int64_t matrices = matrices_of(part);
    return matrices * part[2].size() <= kMostGroups && device.holds(element_count(part)) &&
           device.holds(matrices * std::max(part[2].size(), part[3].size()) * size.head_dim) &&
           device.takes(element_count(part), size.head_dim + kProductsPerWeight);
  };
  for (const Region& part : parts_of(region, fits)) {
    cancel.check();
    const Region local = shifted(part, region);
    make_cells(device, of, {.stage = cells.stage, .region = part, .statistics = statistics},
               {local[0], local[1], local[2]}, cancel);
    read_part(device.buffers->result, local, result);
  }
  result.read(whole(result.shape()), out);
}

}  // namespace headscope
