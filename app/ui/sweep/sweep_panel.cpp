// The view 'sweep': what is asked of the background, and its controls.
#include "app/ui/sweep/sweep_panel.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"

namespace headscope::ui {
namespace {

bool takes_tokens(SweepMeasure measure) {
  return measure == SweepMeasure::logit || measure == SweepMeasure::probability;
}

void draw_sentence(Ui& ui, const Rect& area, Rgba color, const std::string& sentence) {
  const float pad = ui.px(size::panel_padding);
  ui.mark("sweep/sentence: " + sentence, area);
  paragraph(ui, {{area.min.x + pad, area.min.y + pad}, {std::min(area.max.x - pad, area.min.x + ui.px(640)), 0}},
            Type::words13, color, sentence);
}

void draw_nothing_pinned(Ui& ui, const Rect& area) {
  draw_sentence(ui, area, ui.colors.text,
                "Pin the result on screen as A, and then change the text. Each part of the model in turn takes its "
                "numbers from A, and the map says what becomes of the prediction: which part carries the difference.");
  const float top = std::round(area.min.y + ui.px(90)), left = area.min.x + ui.px(size::panel_padding);
  const Rect place{{left, top}, {left + ui.px(190), top + ui.px(size::control_height)}};
  const bool ready = ui.session.trace() != nullptr;
  if (button(ui, "sweep/pin", place, "Pin this result as A", {ready, false, "Ctrl+Shift+D does the same anywhere."},
             true)) {
    ui.push(CommandId::pin);
  }
}

void draw_header(Ui& ui, const Rect& area) {
  SweepView& view = ui.session.view.sweep;
  Rect all = area;
  Rect line{{area.min.x, std::round(area.center().y - ui.px(12))}, {area.max.x - ui.px(size::panel_padding), 0}};
  line.max.y = line.min.y + ui.px(size::control_height);
  color_map_combo(ui, "sweep/colormap", take_right(line, ui.px(92), ui.px(6)), false);
  int direction = static_cast<int>(view.direction);
  if (segments(
          ui, "sweep/direction", take_right(line, ui.px(150), ui.px(6)), {"A into B", "B into A"}, direction,
          {true, false, "Denoise: what is on screen, B, takes numbers of the pinned A. Noise: A takes those of B."})) {
    view.direction = static_cast<SweepDirection>(direction);
  }
  int patch = static_cast<int>(view.patch);
  if (segments(ui, "sweep/patch", take_right(line, ui.px(220), ui.px(6)), {"heads", "positions", "stages"}, patch,
               {true, false,
                "What is patched: a head's context at all positions, the stream before a layer at one position, or a "
                "whole stage of a layer."})) {
    view.patch = static_cast<SweepPatch>(patch);
    view.cell.reset();
  }
  all.max.x = line.max.x;
  panel_header(ui, all, "Sweep", "one part after the other takes numbers of the other run");
}

// What is measured; returns the y below.
float draw_measure(Ui& ui, const Rect& area) {
  SweepView& view = ui.session.view.sweep;
  const float pad = ui.px(size::panel_padding);
  Rect line{{area.min.x + pad, area.min.y + ui.px(3)},
            {area.max.x - pad, area.min.y + ui.px(3) + ui.px(size::control_height)}};
  text_in(ui, take_left(line, ui.px(64), ui.px(6)), Type::words12, ui.colors.text2, "measure");
  static const std::vector<std::string> names = {"A's answer less B's", "logit", "probability", "mean loss",
                                                 "divergence"};
  int measure = static_cast<int>(view.measure);
  if (combo(
          ui, "sweep/measure", take_left(line, ui.px(190), ui.px(8)), names, measure,
          {{true, false,
            "The logit of the most probable token of A less that of B's; the logit of a token, or of one less another; "
            "a probability; the loss of the text; or how far the prediction moved, in nats."}})) {
    view.measure = static_cast<SweepMeasure>(measure);
  }
  if (takes_tokens(view.measure)) {
    text_field(ui, "sweep/tokens", take_left(line, ui.px(220), ui.px(8)), view.tokens,
               view.measure == SweepMeasure::logit ? "a token, or two: tired-wide" : "a token",
               {true, false, "As the vocabulary spells it, or its id. Of two the second is taken from the first."});
  }
  return line.max.y + ui.px(6);
}

bool is_whole(const std::shared_ptr<const Trace>& trace) {
  return trace != nullptr && trace->model != nullptr && !trace->model->final_hidden.empty() && !trace->preview;
}

// The answer to what is asked now; until there is one the last. Null: none yet.
std::shared_ptr<const Sweeps::Result> known_sweep(Ui& ui, const std::string& metric) {
  std::shared_ptr<const Sweeps::Result>& last = ui.state.panels.get<SweepPanelState>().last;
  const std::shared_ptr<const Trace>& a = ui.session.pinned();
  const std::shared_ptr<const Trace> b = ui.session.trace();
  if (!is_whole(a) || !is_whole(b)) return last;
  const SweepView& view = ui.session.view.sweep;
  const auto result = ui.session.background.sweeps.want({a, b, view.patch, view.direction, metric});
  if (result != nullptr) last = result;
  return last;
}

}  // namespace

std::optional<std::string> metric_text(const SweepView& view) {
  if (takes_tokens(view.measure) && view.tokens.empty()) return std::nullopt;
  switch (view.measure) {
    case SweepMeasure::usual:
      return "";
    case SweepMeasure::logit:
      return "logit:" + view.tokens;
    case SweepMeasure::probability:
      return "prob:" + view.tokens;
    case SweepMeasure::loss:
      return "loss";
    case SweepMeasure::kl:
      return "kl";
  }
  return std::nullopt;
}

void draw_sweep_panel(Ui& ui, const Rect& area) {
  ui.mark("sweep", area);
  const Rect header{area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}};
  draw_header(ui, header);
  Rect body{{area.min.x, header.max.y}, area.max};
  if (ui.session.pinned() == nullptr) {
    ui.state.panels.get<SweepPanelState>().last.reset();
    return draw_nothing_pinned(ui, body);
  }
  body.min.y = draw_measure(ui, body);
  const std::optional<std::string> metric = metric_text(ui.session.view.sweep);
  if (!metric) return draw_sentence(ui, body, ui.colors.text2, "Type a token that the metric is about.");
  const std::shared_ptr<const Trace>& a = ui.session.pinned();
  if (a->model == nullptr || a->model->checkpoint == nullptr) {
    return draw_sentence(
        ui, body, ui.colors.text,
        "A is no result of a whole model. Pin one of a checkpoint: Model, weights, or File, Open folder.");
  }
  const auto result = known_sweep(ui, *metric);
  if (result == nullptr) return draw_sentence(ui, body, ui.colors.text2, "Computing …");
  if (!result->answer) return draw_sentence(ui, body, ui.colors.text, result->failure);
  draw_sweep_grid(ui, *result, body);
}

}  // namespace headscope::ui
