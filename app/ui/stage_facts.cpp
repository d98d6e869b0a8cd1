#include "app/ui/stage_facts.h"
#include "core/attention/stage_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/shown_name.h"
#include "app/ui/ui.h"

namespace headscope::ui {

namespace {

std::vector<std::string> shown_names(std::vector<std::string> names) {
  for (std::string& name : names) {
    if (name.size() > kLongestName) name = shown_name(name);
  }
  return names;
}

}  // namespace

std::vector<std::string> row_names(const Trace& trace, StageId stage) {
  return shown_names(row_tokens(trace, stage));
}

std::vector<std::string> column_names(const Trace& trace, StageId stage) {
  return is_score_like(stage) ? shown_names(trace.key_labels()) : std::vector<std::string>();
}

std::vector<StageId> quantities_of(const Trace& trace) {
  std::vector<StageId> weights, scores;
  for (const Stage& stage : trace.stages) {
    if (is_score_like(stage.id)) (is_weight_like(stage.id) ? weights : scores).push_back(stage.id);
  }
  weights.insert(weights.end(), scores.rbegin(), scores.rend());
  return weights;
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
    const MatrixLayout layout = stage_layout(selection.stage);
    const bool inside = view.cell->row >= 0 && view.cell->row < tensor.dim(layout.rows) && view.cell->column >= 0 &&
                        view.cell->column < tensor.dim(layout.columns);
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

void note_heads_chosen(Ui& ui) {
  const HeadsShow shows = ui.session.view.heads_show;
  const bool of_maps = shows == HeadsShow::one || shows == HeadsShow::grid;
  if (of_maps) ui.settings.one_head = shows == HeadsShow::one;
  if (!of_maps) select_stage(ui.session.view, StageId::weights);
}

ColorMap color_map_of(const Ui& ui, bool weight_like) {
  const ViewState& view = ui.session.view;
  const std::optional<ColorMap>& chosen = weight_like ? view.weight_map : view.signed_map;
  return chosen.value_or(default_color_map(!weight_like, ui.settings.theme));
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
