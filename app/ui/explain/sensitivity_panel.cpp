// What the picked number depends on: its derivative by every weight or score as a map, beside it those by token.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/background/background_queries.h"
#include "app/session/control_words.h"
#include "app/session/session.h"
#include "app/ui/explain/sensitivity_shown.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/map/map_with_axes.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/panels.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/view_head.h"
#include "app/ui/widgets/fitting_words.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/stage_layout.h"
#include "core/request/stage_info.h"

namespace headscope::ui {
namespace {

constexpr float kTokens = 470, kNarrowTokens = 360, kNarrowBelow = 1200, kSensitivityTitle = 30, kReadout = 26;

// The picked cell of the selected stage, in the stage's own axes.
Index target_of(const PanelData& data, const Selection& selection) {
  const Trace& trace = data.trace();
  if (!selection.cell) return {};
  const Cell cell = *selection.cell;
  const Tensor& tensor = trace.tensor(selection.stage);
  const std::int64_t row = cell.row, column = std::max<std::int64_t>(cell.column, 0);
  if (row >= tensor.dim(tensor.rank() - 2) || column >= tensor.dim(tensor.rank() - 1)) return {};
  if (tensor.rank() == 3) return {selection.batch, row, column};
  return {selection.batch, slice_of_head(trace, selection.stage, selection.head), row, column};
}

// The cell to show when the user picked none: the strongest arc of the head; for other stages the last token's first
// number.
std::optional<Cell> usual_cell(PanelData& data, const Selection& selection) {
  if (!is_score_like(selection.stage)) {
    const Tensor& tensor = data.trace().tensor(selection.stage);
    return Cell{tensor.dim(tensor.rank() - 2) - 1, 0};
  }
  const HeadSummary* summary = data.summary(selection.batch, selection.head);
  if (summary == nullptr || summary->query < 0 || summary->key < 0) return std::nullopt;
  return Cell{summary->query, summary->key};
}

std::string target_name(const SensitivityShown& shown) {
  std::string text(stage_name(shown.selection.stage));
  text += "[";
  for (int axis = 0; axis < shown.target.count; ++axis) {
    text += (axis == 0 ? "" : ", ") + std::to_string(shown.target[axis]);
  }
  return text + "]";
}

bool by_scores(const Ui& ui, const SensitivityShown& shown) {
  return ui.session.view.sensitivity_by.value_or(usual_by(shown.selection.stage)) == SensitivityBy::scores;
}

void draw_header(Ui& ui, const SensitivityShown& shown, const Rect& area) {
  const std::string fact = shown.target.count == 0 ? "no cell is picked" : "";
  Rect line = panel_header(ui, area, "", fact);
  if (shown.target.count > 0) {
    const double value = static_cast<double>(shown.data.trace().tensor(shown.selection.stage).at(shown.target));
    say_finding(ui, MainView::sensitivity, fmt::format("{} is {}.", target_name(shown), number_label(value, 4)));
  }
  line.min.y = std::round(line.center().y - ui.px(12));
  line.max.y = line.min.y + ui.px(size::control_height);
  ViewState& view = ui.session.view;
  color_map_combo(ui, "sensitivity/colormap", take_right(line, ui.px(92), ui.px(6)), false);
  int by = by_scores(ui, shown) ? 1 : 0;
  if (segments(
          ui, "sensitivity/by", take_right(line, ui.px(150), ui.px(6)), {"weights", "scores"}, by,
          {true, false, "By which cells the map shows the derivative: free weights, or scores before the mask."})) {
    view.sensitivity_by = by == 1 ? SensitivityBy::scores : SensitivityBy::weights;
  }
  const std::string label = "by";
  text_in(ui, take_right(line, std::ceil(text_width(ui, Type::words12, label)) + 1, ui.px(14)), Type::words12,
          ui.colors.text2, label, 1);
  const Trace& trace = shown.data.trace();
  std::int64_t head = shown.selection.head;
  if (index_stepper(ui, "sensitivity/head", take_right(line, ui.px(92), ui.px(6)), head, trace.num_heads(),
                    {true, false, "The head of the map, and of the cell where its stage has heads."})) {
    view.head = head;
  }
  const std::string head_label = "head";
  text_in(ui, take_right(line, std::ceil(text_width(ui, Type::words12, head_label)) + 1, ui.px(14)), Type::words12,
          ui.colors.text2, head_label, 1);
  const Tensor& tensor = trace.tensor(shown.selection.stage);
  const bool keys = is_score_like(shown.selection.stage);
  Cell cell = shown.selection.cell.value_or(Cell{0, 0});
  cell.column = std::max<std::int64_t>(cell.column, 0);
  const auto step = [&](const char* name, const char* words, std::int64_t& value, std::int64_t count) {
    const Rect box = take_right(line, ui.px(92), ui.px(6));
    const bool changed =
        index_stepper(ui, name, box, value, count, {true, false, "Which cell of the stage the derivatives are of."});
    text_in(ui, take_right(line, std::ceil(text_width(ui, Type::words12, words)) + 1, ui.px(10)), Type::words12,
            ui.colors.text2, words, 1);
    return changed;
  };
  const int rank = tensor.rank();
  bool moved = step("sensitivity/column", keys ? "key" : "feature", cell.column, tensor.dim(rank - 1));
  moved = step("sensitivity/row", keys ? "query" : "position", cell.row, tensor.dim(rank - 2)) || moved;
  if (moved) view.cell = cell;
  std::vector<std::string> names;
  std::vector<StageId> stages;
  int selected = 0;
  for (const Stage& stage : trace.stages) {
    if (shown_by_heads(stage.id) != stage.id) continue;
    if (stage.id == shown.selection.stage) selected = static_cast<int>(stages.size());
    stages.push_back(stage.id);
    names.emplace_back(stage_name(stage.id));
  }
  if (line.width() > ui.px(90) && combo(ui, "sensitivity/stage", take_right(line, ui.px(142), ui.px(12)), names,
                                        selected, {{true, false, "The tensor that holds the number."}})) {
    select_stage(view, stages[static_cast<std::size_t>(selected)]);
  }
}

void draw_words(Ui& ui, const Rect& area, const std::string& words) {
  const float left = area.min.x + ui.px(14), top = area.min.y + ui.px(12);
  paragraph(ui, {{left, top}, {std::min(area.max.x - ui.px(14), left + ui.px(620)), top}}, Type::words13,
            ui.colors.text2, words);
  ui.mark("sensitivity/words", area);
}

double largest_of(const Tensor& tensor) {
  double largest = 0;
  for (const float value : tensor.values()) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  return largest;
}

// The derivative by the weights or scores of one head, in the colours of all heads together.
void draw_sensitivity_map(Ui& ui, const SensitivityShown& shown, const Sensitivity& found, const Rect& area) {
  const bool scores = by_scores(ui, shown);
  const Tensor& all = scores ? found.scores : found.weights;
  const char* const name = scores ? "scores" : "weights";
  const float left = area.min.x + ui.px(14);
  text_in(ui, {{left, area.min.y}, {area.max.x, area.min.y + ui.px(kSensitivityTitle)}}, Type::title12, ui.colors.text,
          fmt::format("d {} / d {}, head {}", stage_name(shown.selection.stage), name, shown.selection.head));
  const Rect body{{area.min.x, area.min.y + ui.px(kSensitivityTitle)}, area.max};
  if (all.empty()) {
    return draw_words(ui, body,
                      fmt::format("This number does not come from {}: they are computed later, or not at all.", name));
  }
  const double largest = std::max(largest_of(all), 1e-30);
  HeatmapView view;
  view.matrix = all.sliced(0, shown.selection.head, shown.selection.head + 1)
                    .reshaped({all.dim(1), all.dim(2)}, {Axis::query, Axis::key});
  view.mask = shown.data.mask(StageId::weights);
  view.batch = shown.selection.batch;
  view.head = shown.selection.head;
  view.weight_like = false;
  view.map = color_map_of(ui, false);
  view.range = {-largest, largest, false, false};
  const MapAxes axes{shown.data.rows(StageId::weights), shown.data.columns(StageId::weights), true};
  const MapPlace place{.area = body, .most_height = body.height() - ui.px(kReadout + 44)};
  const bool picked = is_score_like(shown.selection.stage);
  const DrawnMap map = draw_map_with_axes(ui, "sensitivity/picture", view, axes, place, {.picked = picked});
  std::string number;
  if (map.at) {
    number = "d/d " + std::string(scores ? "score " : "weight ") +
             number_label(static_cast<double>(view.matrix.at({map.at->row, map.at->column})), 4, true);
  }
  const float y = map.bottom + ui.px(8);
  const Rect box{{left, y}, {area.max.x - ui.px(14), y + ui.px(kReadout)}};
  draw_map_readout(ui, box, axes, map.at, number);
  const Rect line{{left, box.max.y + ui.px(6)}, {area.max.x - ui.px(14), box.max.y + ui.px(26)}};
  const std::string growth = scores ? "How much the number grows per unit added to a score."
                                    : "How much the number grows per unit added to a weight, the others as they are.";
  text_in(ui, line, Type::words11, ui.colors.text3,
          fitting_words(ui, Type::words11, line.width(),
                        {growth + " One range for all heads.", growth, "One range for all heads."}));
}

}  // namespace

void draw_sensitivity_panel(Ui& ui, const Rect& area) {
  ui.mark("sensitivity", area);
  PanelData* const data = panel_data(ui);
  if (data == nullptr) return;
  SensitivityShown shown{*data, selection_of(ui.session.view, data->trace()), {}, nullptr};
  shown.selection.stage = shown_by_heads(shown.selection.stage);
  const std::optional<std::string> problem = sensitivity_problem(data->trace());
  if (!shown.selection.cell && !problem) {
    shown.selection.cell = ui.session.view.cell = usual_cell(*data, shown.selection);
  }
  shown.target = target_of(*data, shown.selection);
  const float header = ui.px(size::panel_header);
  draw_header(ui, shown, {area.min, {area.max.x, area.min.y + header}});
  Rect rest{{area.min.x, area.min.y + header}, area.max};
  horizontal_line(ui, rest.min.x, rest.max.x, rest.min.y - std::max(1.0f, ui.px(1)), ui.colors.line);
  if (problem) return draw_words(ui, rest, "No derivatives: " + *problem + ".");
  if (shown.target.count == 0) {
    return draw_words(ui, rest,
                      "Pick a cell of scores, weights, context, concat or output (in the panels of one layer, or with "
                      "the steppers above): what it depends on is shown here, as exact derivatives.");
  }
  if (!data->trace().preview) {
    shown.result =
        ui.session.background.sensitivities.want({data->shared_trace(), shown.selection.stage, shown.target});
  }
  const bool current = shown.result != nullptr && shown.result->question.stage == shown.selection.stage &&
                       shown.result->question.trace->num_heads() == data->trace().num_heads() &&
                       shown.result->question.trace->query_len() == data->trace().query_len() &&
                       shown.result->question.trace->key_len() == data->trace().key_len();
  if (!current) return draw_words(ui, rest, "Computing …");
  if (!shown.result->answer) return draw_words(ui, rest, control_words(shown.result->failure));
  const bool narrow = area.width() < ui.px(kNarrowBelow);
  const Rect tokens = take_right(rest, ui.px(narrow ? kNarrowTokens : kTokens), 0);
  draw_sensitivity_map(ui, shown, *shown.result->answer, rest);
  vertical_line(ui, tokens.min.x, tokens.min.y, tokens.max.y, ui.colors.line);
  draw_sensitivity_tokens(ui, shown, *shown.result->answer, tokens);
}

}  // namespace headscope::ui
