// The view 'sweep': what is asked of the background, and what is said where there is nothing to ask.
#include "app/ui/sweep/sweep_panel.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "app/session/session.h"
#include "app/ui/file_choice.h"
#include "app/ui/sweep/metric_controls.h"
#include "app/ui/widgets/view_parts.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"

namespace headscope::ui {
namespace {

void draw_nothing_pinned(Ui& ui, const Rect& area) {
  view_sentence(ui, "sweep", area, ui.colors.text,
                "Pin the result on screen as A, and then change the text. Each part of the model in turn takes its "
                "numbers from A, and the map says what becomes of the prediction: which part carries the difference. "
                "Without another text each part is set to zeros, and the map says what the prediction needs it for.");
  const float top = std::round(area.min.y + ui.px(110)), left = area.min.x + ui.px(size::panel_padding);
  Rect line{{left, top}, {area.max.x, top + ui.px(size::control_height)}};
  const bool ready = ui.session.trace() != nullptr;
  if (button(ui, "sweep/pin", take_left(line, ui.px(190), ui.px(8)), "Pin this result as A",
             {ready, false, "Ctrl+Shift+D does the same anywhere."}, true)) {
    ui.push(CommandId::pin);
  }
  if (button(ui, "sweep/zeros", take_left(line, ui.px(190), ui.px(8)), "Set each part to zeros",
             {true, false, "Ablation: no other text is needed."})) {
    ui.session.view.sweep.numbers = SweepNumbers::zeros;
  }
}

bool is_whole(const std::shared_ptr<const Trace>& trace) {
  return trace != nullptr && trace->model != nullptr && !trace->model->final_hidden.empty() && !trace->preview;
}

SweepQuery asked_sweep(const SweepView& view, const std::string& metric) {
  SweepQuery query;
  query.patch = view.patch;
  query.direction = view.numbers == SweepNumbers::b_into_a ? SweepDirection::noise : SweepDirection::denoise;
  query.ablation = ablation_of(view);
  if (query.ablation == Ablation::mean) query.list = view.list;
  query.estimate = view.estimate;
  if (view.patch == SweepPatch::paths) (view.into ? query.into : query.from) = view.end;
  query.metric = metric;
  return query;
}

// The answer to what is asked now; until there is one the last. Null: none yet.
std::shared_ptr<const Sweeps::Result> known_sweep(Ui& ui, const std::string& metric) {
  std::shared_ptr<const Sweeps::Result>& last = ui.state.panels.get<SweepPanelState>().last;
  SweepQuery query = asked_sweep(ui.session.view.sweep, metric);
  query.b = ui.session.trace();
  if (!query.ablation) query.a = ui.session.pinned();
  if (!is_whole(query.b) || (!query.ablation && !is_whole(query.a))) return last;
  const auto result = ui.session.background.sweeps.want(std::move(query));
  if (result != nullptr) last = result;
  return last;
}

}  // namespace

void choose_sweep_list(Ui& ui, const std::string& path) {
  if (!path.empty()) {
    SweepView& view = ui.session.view.sweep;
    view.list = std::filesystem::absolute(path).lexically_normal().string();
    view.numbers = SweepNumbers::means;
    return;
  }
  ui.state.panels.get<FileChoice>().purpose = kSweepListPurpose;
  ui.state.open_combo.clear();
  ui.state.dialog = DialogKind::choose_file;
}

void draw_sweep_panel(Ui& ui, const Rect& area) {
  ui.mark("sweep", area);
  const Rect header{area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}};
  draw_sweep_header(ui, header);
  Rect body{{area.min.x, header.max.y}, area.max};
  const SweepView& view = ui.session.view.sweep;
  const std::shared_ptr<const Trace>& a = ui.session.pinned();
  const bool ablates = ablation_of(view).has_value();
  if (!ablates && a == nullptr) {
    ui.state.panels.get<SweepPanelState>().last.reset();
    return draw_nothing_pinned(ui, body);
  }
  body.min.y = draw_sweep_controls(ui, body);
  const std::optional<std::string> metric = metric_text(view);
  if (!metric)
    return view_sentence(ui, "sweep", body, ui.colors.text2,
                         "Type what is measured: a token, or the place of a number.");
  if (!ablates && (a->model == nullptr || a->model->checkpoint == nullptr)) {
    return view_sentence(
        ui, "sweep", body, ui.colors.text,
        "A is no result of a whole model. Pin one of a checkpoint: Model, weights, or File, Open folder.");
  }
  const auto result = known_sweep(ui, *metric);
  if (result == nullptr) return view_sentence(ui, "sweep", body, ui.colors.text2, "Computing …");
  if (!result->answer) return view_sentence(ui, "sweep", body, ui.colors.text, result->failure);
  draw_sweep_grid(ui, *result, body);
}

}  // namespace headscope::ui
