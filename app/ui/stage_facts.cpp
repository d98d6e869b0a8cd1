#include "app/ui/stage_facts.h"
#include "core/attention/stage_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

// What each stage is computed from, before asking which of these the trace has.
std::vector<StageId> possible_sources(StageId stage) {
  using S = StageId;
  switch (stage) {
    case S::qkv:
      return {S::input};
    case S::qkv_split:
      return {S::qkv};
    case S::qkv_heads:
      return {S::qkv_split};
    case S::query_proj:
      return {S::qkv, S::input};
    case S::key_proj:
      return {S::qkv, S::key_input, S::input};
    case S::value_proj:
      return {S::qkv, S::value_input, S::key_input, S::input};
    case S::query:
      return {S::qkv_heads, S::query_proj};
    case S::key:
      return {S::qkv_heads, S::key_proj};
    case S::value:
      return {S::qkv_heads, S::value_proj};
    case S::scores:
      return {S::raw_scores};
    case S::capped_scores:
      return {S::scores};
    case S::masked_scores:
      return {S::capped_scores, S::scores};
    case S::weights:
      return {S::masked_scores};
    case S::dropped_weights:
      return {S::weights};
    case S::concat:
      return {S::context};
    case S::output:
      return {S::concat};
    default:
      return {};
  }
}

}  // namespace

Tensor slice_matrix(const Trace& trace, StageId stage, std::int64_t batch, std::int64_t slice) {
  const Tensor& tensor = trace.tensor(stage);
  if (stage == StageId::qkv_split && tensor.rank() == 4) return matrix_at(tensor.permuted({0, 2, 1, 3}), batch, slice);
  return matrix_at(tensor, batch, slice);
}

std::vector<std::string> row_names(const Trace& trace, StageId stage) {
  return rows_are_keys(stage) ? trace.key_labels() : trace.query_labels();
}

std::vector<std::string> column_names(const Trace& trace, StageId stage) {
  return is_score_like(stage) ? trace.key_labels() : std::vector<std::string>();
}

std::vector<StageId> feeding_stages(const Trace& trace, StageId stage) {
  const auto has = [&](StageId id) { return trace.find(id) != nullptr; };
  std::vector<StageId> sources;
  if (stage == StageId::raw_scores) sources = {StageId::query, StageId::key};
  if (stage == StageId::context) {
    sources = {has(StageId::dropped_weights) ? StageId::dropped_weights : StageId::weights, StageId::value};
  }
  if (!sources.empty()) {
    std::erase_if(sources, [&](StageId id) { return !has(id); });
    return sources;
  }
  for (const StageId source : possible_sources(stage)) {
    if (has(source)) return {source};
  }
  return {};
}

std::vector<StageId> quantities_of(const Trace& trace) {
  std::vector<StageId> result;
  for (const StageId id : {StageId::weights, StageId::dropped_weights, StageId::masked_scores, StageId::capped_scores,
                           StageId::scores, StageId::raw_scores}) {
    if (trace.find(id) != nullptr) result.push_back(id);
  }
  return result;
}

Selection selection_of(const ViewState& view, const Trace& trace) {
  Selection selection;
  const auto existing = [&](StageId wanted, StageId otherwise) {
    return trace.find(wanted) != nullptr ? wanted : otherwise;
  };
  const StageId weights = existing(StageId::weights, trace.stages.empty() ? StageId::weights : trace.stages.back().id);
  selection.stage = existing(view.stage, weights);
  selection.quantity = is_score_like(view.quantity) ? existing(view.quantity, weights) : weights;
  const auto clamped = [](std::int64_t index, std::int64_t count) {
    return std::clamp<std::int64_t>(index, 0, std::max<std::int64_t>(0, count - 1));
  };
  selection.batch = clamped(view.batch, trace.inputs ? trace.inputs->batch : 1);
  selection.head = clamped(view.head, trace.num_heads());
  if (view.cell && trace.find(view.stage) != nullptr) {
    const Tensor& tensor = trace.tensor(selection.stage);
    const int rows = selection.stage == StageId::qkv_split ? 1 : tensor.rank() - 2;
    const bool inside = view.cell->row >= 0 && view.cell->row < tensor.dim(rows) && view.cell->column >= 0 &&
                        view.cell->column < tensor.dim(tensor.rank() - 1);
    if (inside) selection.cell = view.cell;
  }
  return selection;
}

void select_stage(ViewState& view, StageId stage) {
  if (stage == view.stage) return;
  if (is_score_like(stage)) view.quantity = stage;
  if (!is_score_like(stage) || !is_score_like(view.stage)) {
    // Only the row, a token, means the same in both.
    if (view.cell) view.cell->column = 0;
    view.stage_viewport = {};
  }
  view.stage = stage;
}

ColorMap color_map_of(const ViewState& view, bool weight_like) {
  const std::optional<ColorMap>& chosen = weight_like ? view.weight_map : view.signed_map;
  return chosen.value_or(default_color_map(!weight_like, view.theme));
}

std::string pixel_holds(std::int64_t rows, std::int64_t columns, float width, float height, const std::string& noun) {
  if (width < 1 || height < 1) return {};
  const double across = static_cast<double>(columns) / width;
  const double down = static_cast<double>(rows) / height;
  if (across <= 1 && down <= 1) return {};
  const auto cells = [](double share) {
    // A pixel that does not start on a cell's edge touches one more.
    const double whole = std::round(share);
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::abs(share - whole) < 1e-9 ? whole : std::ceil(share) + 1));
  };
  const bool even = (across <= 1 || across == std::round(across)) && (down <= 1 || down == std::round(down));
  const std::int64_t most = (across > 1 ? cells(across) : 1) * (down > 1 ? cells(down) : 1);
  return fmt::format("Each pixel is the largest of {}{} {}.", even ? "" : "up to ", most, noun);
}

}  // namespace headscope::ui
