#include "core/heads/shown_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "core/attention/hidden_weight.h"
#include "core/attention/model_trace.h"
#include "core/attention/stage_layout.h"
#include "core/base/error.h"
#include "core/heads/grouped_mask.h"
#include "core/heads/shown_rows.h"
#include "core/tensor/row_strips.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostMaskBytes = std::int64_t{1} << 30;
constexpr StageId kShownStages[] = {StageId::weights, StageId::dropped_weights};

// The lengths of all values [batch, kv_heads, key_len, value_head_dim], computed when first read.
class ValueNorms {
 public:
  explicit ValueNorms(Tensor value) : value_(std::move(value)) {}

  std::span<const double> of(std::int64_t batch, std::int64_t kv_head) const {
    std::call_once(once_, [this] {
      norms_.reserve(static_cast<std::size_t>(value_.dim(0) * value_.dim(1) * value_.dim(2)));
      for_each_row(value_, [this](const Index&, std::int64_t, std::span<const float> row) {
        double sum = 0;
        for (const float number : row) sum += static_cast<double>(number) * static_cast<double>(number);
        norms_.push_back(std::sqrt(sum));
      });
    });
    const auto keys = static_cast<std::size_t>(value_.dim(2));
    return std::span(norms_).subspan(static_cast<std::size_t>(batch * value_.dim(1) + kv_head) * keys, keys);
  }
  std::int64_t kv_heads() const { return value_.dim(1); }

 private:
  const Tensor value_;
  mutable std::once_flag once_;
  mutable std::vector<double> norms_;
};

std::shared_ptr<const ValueNorms> value_norms(const Trace& trace, const Showing& view) {
  if (view.weighting == Weighting::weights) return nullptr;
  const Stage* value = trace.find(StageId::value);
  if (value != nullptr) return std::make_shared<const ValueNorms>(value->tensor);
  throw UsageError("weighting",
                   fmt::format("found value-norm, and layer {} has no values, whose lengths weights could be "
                               "multiplied by",
                               trace.inputs->layer),
                   "weights, or a capture that holds layers.N.value");
}

std::shared_ptr<const TokenGroups> groups_of(const Trace& trace, const Showing& view, HiddenColumns hidden) {
  auto groups = std::make_shared<const TokenGroups>(token_groups(view, trace, hidden));
  if (groups->columns.empty()) {
    throw UsageError("hide-tokens", "no key is left: every token of this text would be hidden",
                     "none, or a longer text");
  }
  return groups;
}

// The stage through `rows`, its value norms included; computed when read.
Tensor shown_rows_of(const Trace& trace, StageId stage, const ShownRows& rows) {
  const Tensor weights = trace.tensor(stage);
  const std::shared_ptr<const ValueNorms> norms = value_norms(trace, rows.view);
  const auto read = [weights, rows, norms](const Region& region, std::span<float> out) {
    const std::int64_t share = norms == nullptr ? 1 : weights.dim(1) / norms->kv_heads();
    const auto cells = static_cast<std::size_t>(region[2].size() * region[3].size());
    for (std::int64_t b = region[0].begin; b < region[0].end; ++b) {
      for (std::int64_t h = region[1].begin; h < region[1].end; ++h) {
        const std::span<const double> lengths = norms == nullptr ? std::span<const double>() : norms->of(b, h / share);
        rows.read(matrix_at(weights, b, h), lengths, region[2], region[3], out.first(cells));
        out = out.subspan(cells);
      }
    }
  };
  return Tensor::computed({weights.dim(0), weights.dim(1), rows.rows(), rows.columns()}, weights.axes(), read);
}

// What sinks take of the shown rows: the mean over the queries of a row, as its weights are. Nothing where rows are
// divided by their sums, or where weights are lengths of what they move: a sink moves nothing.
std::optional<Stage> shown_sinks(const Trace& trace, const ShownRows& rows) {
  const Stage* sinks = trace.find(StageId::sink_weights);
  if (sinks == nullptr || rows.view.renormalise || rows.view.weighting != Weighting::weights) return std::nullopt;
  const auto read = [shares = sinks->tensor, groups = rows.groups](const Region& region, std::span<float> out) {
    std::vector<float> strip;
    auto to = out.begin();
    for (std::int64_t b = region[0].begin; b < region[0].end; ++b) {
      for (std::int64_t h = region[1].begin; h < region[1].end; ++h) {
        for (std::int64_t r = region[2].begin; r < region[2].end; ++r) {
          const std::vector<std::int64_t>& queries = groups->rows[static_cast<std::size_t>(r)];
          strip.resize(queries.size());
          shares.read({{b, b + 1}, {h, h + 1}, {queries.front(), queries.back() + 1}}, strip);
          const double sum = std::accumulate(strip.begin(), strip.end(), 0.0);
          *to++ = static_cast<float>(sum / static_cast<double>(strip.size()));
        }
      }
    }
  };
  Stage shown = *sinks;
  shown.operation += ", as shown";
  shown.tensor = Tensor::computed({shown.tensor.dim(0), shown.tensor.dim(1), rows.rows()}, shown.tensor.axes(), read);
  return shown;
}

// The same stages with the shown ones replaced.
std::vector<Stage> shown_stages(const Trace& trace, const ShownRows& rows, bool others) {
  std::vector<Stage> stages;
  for (const Stage& stage : trace.stages) {
    if (!is_shown_stage(stage.id)) {
      if (others) stages.push_back(stage);
      continue;
    }
    stages.push_back(stage);
    Stage& shown = stages.back();
    shown.tensor = shown_rows_of(trace, stage.id, rows);
    shown.operation += ", as shown";
    shown.equals_previous = false;
  }
  if (others) return stages;
  if (auto sinks = shown_sinks(trace, rows)) stages.push_back(std::move(*sinks));
  return stages;
}

// What stands at the first position of every group.
template <typename Value>
std::vector<Value> of_first(const std::vector<Value>& values, const std::vector<std::vector<std::int64_t>>& groups) {
  std::vector<Value> result;
  if (values.empty()) return result;
  for (const auto& group : groups) result.push_back(values.at(static_cast<std::size_t>(group.front())));
  return result;
}

std::shared_ptr<const Inputs> shown_inputs(const Trace& trace, const TokenGroups& groups) {
  auto inputs = std::make_shared<Inputs>(*trace.inputs);
  const bool extra = trace.key_len() > inputs->key_len;  // the key of bias_k, which is never hidden
  inputs->tokens = groups.row_labels;
  inputs->key_tokens = groups.column_labels;
  if (extra) inputs->key_tokens.pop_back();
  inputs->offsets.clear();
  inputs->key_offsets.clear();
  const bool merged = groups.rows.size() != static_cast<std::size_t>(inputs->query_len);
  inputs->words = of_first(inputs->words, groups.rows);
  inputs->token_types = of_first(inputs->token_types, groups.rows);
  if (merged) inputs->token_ids.clear();  // a word of several has none
  const auto second = std::find_if(groups.rows.begin(), groups.rows.end(),
                                   [&](const auto& row) { return row.front() >= inputs->second_begin; });
  if (inputs->second_begin > 0) inputs->second_begin = second - groups.rows.begin();
  inputs->query_len = std::ssize(groups.rows);
  inputs->key_len = std::ssize(groups.columns) - (extra ? 1 : 0);
  return inputs;
}

// Rows, numbered anew, with a query whose every key was hidden when weights were computed.
void set_fully_masked(Trace& shown, const HiddenCells& computed, const TokenGroups& groups) {
  const std::vector<std::int64_t> queries = std::move(shown.fully_masked_queries);
  shown.fully_masked_queries.clear();
  shown.fully_masked_rows = 0;
  const auto masked = [&](std::int64_t b, std::int64_t h, const std::vector<std::int64_t>& row) {
    return std::any_of(row.begin(), row.end(), [&](std::int64_t i) { return computed.all_hidden(b, h, i); });
  };
  for (std::size_t r = 0; r < groups.rows.size(); ++r) {
    const auto& row = groups.rows[r];
    const bool any = std::any_of(row.begin(), row.end(),
                                 [&](std::int64_t i) { return std::binary_search(queries.begin(), queries.end(), i); });
    if (!any) continue;
    shown.fully_masked_queries.push_back(static_cast<std::int64_t>(r));
    for (std::int64_t b = 0; b < shown.inputs->batch; ++b) {
      for (std::int64_t h = 0; h < shown.inputs->num_heads; ++h) shown.fully_masked_rows += masked(b, h, row) ? 1 : 0;
    }
  }
}

std::shared_ptr<const Mask> shown_mask_of(const Trace& trace, const Showing& view, const TokenGroups& groups) {
  const HiddenCells& hidden = trace.mask->hidden;
  const std::int64_t bytes = hidden.batch() * hidden.heads() * std::ssize(groups.rows) * std::ssize(groups.columns);
  if (!view.changes_tokens()) return trace.mask;
  const bool some = hidden.any() || view.hide_tokens != HideTokens::none;
  if (some && bytes > kMostMaskBytes) {
    throw UsageError(
        "groups",
        fmt::format("the mask of {} x {} merged or hidden tokens would take {:.1f} GiB", groups.rows.size(),
                    groups.columns.size(), static_cast<double>(bytes) / static_cast<double>(std::int64_t{1} << 30)),
        "pieces and --hide-tokens none, or a shorter text");
  }
  return grouped_mask(*trace.mask, groups);
}

}  // namespace

bool shows_otherwise(const Trace& trace) {
  return showing_of(trace.request).changes_something() && trace.find(StageId::weights) != nullptr;
}

bool is_shown_stage(StageId stage) {
  return std::find(std::begin(kShownStages), std::end(kShownStages), stage) != std::end(kShownStages);
}

Tensor weighted_weights(const Trace& trace, Weighting weighting) {
  if (weighting == Weighting::weights) return trace.tensor(StageId::weights);
  Showing alone;
  alone.weighting = weighting;
  return shown_rows_of(trace, StageId::weights,
                       {alone, std::make_shared<const TokenGroups>(token_groups(alone, trace))});
}

Tensor shown_weights(const Trace& trace, StageId stage) {
  const Showing view = showing_of(trace.request);
  if (!view.changes_something()) return trace.tensor(stage);
  return shown_rows_of(trace, stage, {view, groups_of(trace, view, HiddenColumns::removed)});
}

Trace shown_layer(const Trace& trace, const Showing& view, HiddenColumns hidden) {
  const std::shared_ptr<const TokenGroups> groups = groups_of(trace, view, hidden);
  Trace shown = trace;
  shown.stages = shown_stages(trace, {view, groups}, false);
  shown.inputs = shown_inputs(trace, *groups);
  shown.mask = shown_mask_of(trace, view, *groups);
  shown.row_statistics = {};
  shown.on_demand = nullptr;
  shown.row_edits = nullptr;
  shown.kept_positions = shown.kept_queries = 0;
  if (shown.fully_masked_rows > 0) set_fully_masked(shown, trace.mask->hidden, *groups);
  if (shown.hidden_weight != nullptr) shown.hidden_weight = hidden_weight_of(shown);
  return shown;
}

Trace shown_trace(const Trace& trace, HiddenColumns hidden) {
  const Showing view = showing_of(trace.request);
  Trace shown = shown_layer(trace, view, hidden);
  if (trace.model == nullptr) return shown;
  auto model = std::make_shared<ModelTrace>(*trace.model);
  for (auto& layer : model->layers) {
    if (layer == nullptr || layer->find(StageId::weights) == nullptr) continue;
    layer = std::make_shared<const Trace>(shown_layer(*layer, view, hidden));
  }
  shown.model = std::move(model);
  return shown;
}

std::vector<std::string> TraceToExport::row_names(StageId stage) const {
  return groups != nullptr && is_shown_stage(stage) ? groups->row_labels : row_names_of(trace, stage);
}

std::vector<std::string> TraceToExport::column_names(StageId stage) const {
  return groups != nullptr && is_shown_stage(stage) ? groups->column_labels : column_names_of(trace, stage);
}

TraceToExport trace_to_export(const Trace& trace) {
  TraceToExport result{trace, nullptr};
  if (!shows_otherwise(trace)) return result;
  const Showing view = showing_of(trace.request);
  result.groups = groups_of(trace, view, HiddenColumns::removed);
  result.trace.stages = shown_stages(trace, {view, result.groups}, true);
  return result;
}

AsShown::AsShown(const Trace& trace, std::optional<HiddenColumns> hidden)
    : trace_(hidden && shows_otherwise(trace) ? std::make_shared<const Trace>(shown_trace(trace, *hidden))
                                              : std::shared_ptr<const Trace>(std::shared_ptr<const Trace>(), &trace)) {}

}  // namespace headscope
