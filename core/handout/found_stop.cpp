#include "core/handout/found_stop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention/model_trace.h"
#include "core/attention/shown_mask.h"
#include "core/base/error.h"
#include "core/heads/showing.h"
#include "core/heads/shown_weights.h"
#include "core/heads/token_groups.h"

namespace headscope {

namespace {

const Trace& layer_of(const Trace& run, std::int64_t layer) {
  if (layer < 0 || run.model == nullptr || run.model->layer == layer) return run;
  const auto& layers = run.model->layers;
  if (layer >= std::ssize(layers)) {
    throw UsageError("layer", fmt::format("{} asked for, the layers are 0 to {}", layer, std::ssize(layers) - 1));
  }
  const Trace* found = layers[static_cast<std::size_t>(layer)].get();
  if (found == nullptr) throw UsageError("layer", fmt::format("{} asked for, which is not computed", layer));
  return *found;
}

bool is_shown_otherwise(const Trace& run, StageId stage) {
  return is_shown_stage(stage) && shows_otherwise(run);
}

std::optional<Trace> shown_of(const Trace& run, const Trace& layer, StageId stage) {
  if (!is_shown_otherwise(run, stage)) return std::nullopt;
  return shown_layer(layer, showing_of(run.request), HiddenColumns::removed);
}

ViewSpec view_of_map(ViewSpec view) {
  view.view = ViewKind::head;
  view.theme = Theme::light;
  if (!is_score_like(view.stage)) {
    throw UsageError("stage", fmt::format("found {}", stage_name(view.stage)),
                     "a map of queries and keys: weights, scores, raw_scores ...");
  }
  return view;
}

}  // namespace

std::vector<std::int64_t> MapRow::by_size() const {
  std::vector<std::int64_t> columns;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (hidden[j] == 0 && !std::isnan(values[j])) columns.push_back(static_cast<std::int64_t>(j));
  }
  const auto larger = [&](std::int64_t a, std::int64_t b) {
    return values[static_cast<std::size_t>(a)] > values[static_cast<std::size_t>(b)];
  };
  std::stable_sort(columns.begin(), columns.end(), larger);
  return columns;
}

FoundStop::FoundStop(const Trace& run, const HandoutStop& stop, const CancelToken& cancel)
    : stop_(stop),
      computed_(layer_of(run, stop.layer)),
      of_model_(run.model != nullptr),
      view_(view_of_map(stop.view)),
      shown_(shown_of(run, computed_, view_.stage)),
      picture_(layer(), view_.stage, view_, cancel),
      mask_(shown_mask(layer(), view_.stage)) {
  if (picture_.heads() == 0) {
    throw UsageError("stage", fmt::format("found {}, which has no heads", stage_name(view_.stage)));
  }
  if (view_.head < 0 || view_.head >= picture_.heads()) {
    throw UsageError("head", fmt::format("head {} asked for, the heads are 0 to {}", view_.head, picture_.heads() - 1));
  }
  cell_ = found_cell();
}

std::optional<PickedCell> FoundStop::found_cell() const {
  if (!stop_.cell) return std::nullopt;
  const StopCell& asked = *stop_.cell;
  if (asked.query < 0 || asked.query >= computed_.query_len() || asked.key >= computed_.key_len()) {
    throw UsageError(
        "at", asked.key < 0
                  ? fmt::format("query {} is picked, the queries are 0 to {}", asked.query, computed_.query_len() - 1)
                  : fmt::format("query {} and key {} are picked, the queries are 0 to {}, the keys 0 to {}",
                                asked.query, asked.key, computed_.query_len() - 1, computed_.key_len() - 1));
  }
  PickedCell cell{asked.query, asked.key};
  if (shown_ && showing_of(computed_.request).changes_tokens()) {
    const TokenGroups groups = token_groups(showing_of(computed_.request), computed_);
    const std::optional<std::int64_t> row = group_of(groups.rows, asked.query);
    if (!row) return std::nullopt;
    cell = {*row, asked.key < 0 ? -1 : group_of(groups.columns, asked.key).value_or(-1)};
  }
  if (cell.column < 0) {
    const std::vector<std::int64_t> columns = row(cell.row).by_size();
    if (!columns.empty()) cell.column = columns.front();
  }
  return cell;
}

MapRow FoundStop::row(std::int64_t i) const {
  const auto columns = static_cast<std::size_t>(picture_.columns());
  MapRow row{std::vector<float>(columns), std::vector<std::uint8_t>(columns, 0)};
  picture_.matrix(view_.head).read(Region{{i, i + 1}, {0, picture_.columns()}}, row.values);
  if (mask_) mask_->hidden.read_row(view_.batch, view_.head, i, row.hidden);
  return row;
}

void for_each_stop(const Trace& run, const Handout& handout, const CancelToken& cancel,
                   const std::function<void(const FoundStop& stop, std::size_t k)>& use) {
  for (std::size_t k = 0; k < handout.stops.size(); ++k) {
    cancel.check();
    try {
      use(FoundStop(run, handout.stops[k], cancel), k);
    } catch (const UsageError& error) {
      throw Error(fmt::format("stop {}: {}", k + 1, error.reason()));
    }
  }
}

}  // namespace headscope
