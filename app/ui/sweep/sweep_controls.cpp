// The controls of the view 'sweep'.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/shown_name.h"
#include "app/ui/sweep/metric_controls.h"
#include "app/ui/sweep/sweep_panel.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"

namespace headscope::ui {
namespace {

struct Patched {
  const char* words;
  SweepPatch patch;
  bool into;
};
constexpr Patched kPatched[] = {{"heads", SweepPatch::heads, false},
                                {"positions", SweepPatch::positions, false},
                                {"stages", SweepPatch::stages, false},
                                {"paths from a head", SweepPatch::paths, false},
                                {"paths into a head", SweepPatch::paths, true},
                                {"heads at positions", SweepPatch::heads_positions, false},
                                {"parts of heads", SweepPatch::head_parts, false},
                                {"MLPs", SweepPatch::mlps, false},
                                {"neurons", SweepPatch::neurons, false}};

int patched_index(const SweepView& view) {
  for (int k = 0; k < static_cast<int>(std::size(kPatched)); ++k) {
    if (kPatched[k].patch == view.patch && (view.patch != SweepPatch::paths || kPatched[k].into == view.into)) return k;
  }
  return 0;
}

// Paths begin or end at the head that was picked in the map of heads, else at the one on screen.
void set_patched(Ui& ui, const Patched& chosen) {
  SweepView& view = ui.session.view.sweep;
  if (chosen.patch == SweepPatch::paths && view.patch != SweepPatch::paths) {
    const std::shared_ptr<const Trace> trace = ui.session.trace();
    if (view.patch == SweepPatch::heads && view.cell) {
      view.end = {view.cell->row, view.cell->column};
    } else if (trace != nullptr) {
      view.end = {trace->inputs->layer, std::max<std::int64_t>(ui.session.view.head, 0)};
    }
  }
  view.patch = chosen.patch;
  view.into = chosen.into;
  view.cell.reset();
}

void draw_patched(Ui& ui, const Rect& rect) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> words;
    for (const Patched& each : kPatched) words.emplace_back(each.words);
    return words;
  }();
  int index = patched_index(ui.session.view.sweep);
  if (combo(ui, "sweep/patch", rect, names, index,
            {{true, false,
              "What is patched: a head's context at all positions, the stream before a layer at one position, a whole "
              "stage of a layer, what one head alone brings to the query, key or value of a later one, a head at one "
              "position, a part of a head, an MLP, or one neuron of it."}})) {
    set_patched(ui, kPatched[index]);
  }
}

void draw_numbers(Ui& ui, const Rect& rect) {
  static const std::vector<std::string> names = {"A into B", "B into A", "zeros", "means"};  // of SweepNumbers
  SweepView& view = ui.session.view.sweep;
  int numbers = static_cast<int>(view.numbers);
  if (combo(
          ui, "sweep/numbers", rect, names, numbers,
          {{true, false,
            "With which numbers. A into B, to denoise: what is on screen takes those of the pinned A. B into A, noise. "
            "Zeros, or at every position the mean over positions: ablation."}})) {
    view.numbers = static_cast<SweepNumbers>(numbers);
  }
}

void draw_measure(Ui& ui, Rect line) {
  SweepView& view = ui.session.view.sweep;
  int estimate = static_cast<int>(view.estimate);
  if (segments(ui, "sweep/estimate", take_right(line, ui.px(190), ui.px(8)), {"runs", "both", "estimates"}, estimate,
               {true, false,
                "A run a cell; its estimate of first order, gradient x difference, from one backward pass; or both "
                "beside each other, with their correlation."})) {
    view.estimate = static_cast<SweepEstimate>(estimate);
  }
  const MetricControls controls{
      "sweep",
      {ablation_of(view) ? "the model's answer" : "A's answer less B's", "logit", "probability", "mean loss",
       "divergence", "a number"},
      "The logit of the most probable token of A less that of B's, or of the one that the model says; the logit of a "
      "token, or of one less another; a probability; the loss of the text; how far the prediction moved, in nats; or "
      "any "
      "number of a stage."};
  draw_metric(ui, line, controls, view.measure, view.tokens, &view.number);
}

// The head at which paths begin or end.
void draw_end(Ui& ui, Rect line) {
  const std::shared_ptr<const Trace> trace = ui.session.trace();
  if (trace == nullptr || trace->model == nullptr) return;
  SweepView& view = ui.session.view.sweep;
  text_in(ui, take_left(line, ui.px(58), ui.px(6)), Type::words12, ui.colors.text2, view.into ? "into" : "from");
  text_in(ui, take_left(line, ui.px(36), ui.px(6)), Type::words12, ui.colors.text2, "layer");
  const std::int64_t layers = static_cast<std::int64_t>(trace->model->layers.size()), heads = trace->num_heads();
  bool changed = index_stepper(ui, "sweep/end/layer", take_left(line, ui.px(96), ui.px(10)), view.end.layer, layers,
                               {true, false, "Paths go from a layer to a later one."});
  text_in(ui, take_left(line, ui.px(36), ui.px(6)), Type::words12, ui.colors.text2, "head");
  changed |= index_stepper(ui, "sweep/end/head", take_left(line, ui.px(96), ui.px(10)), view.end.head, heads);
  if (changed) view.cell.reset();
}

// What means are taken over.
void draw_list(Ui& ui, Rect line) {
  SweepView& view = ui.session.view.sweep;
  text_in(ui, take_left(line, ui.px(72), ui.px(6)), Type::words12, ui.colors.text2, "means over");
  const std::string words = view.list.empty()
                                ? "this text"
                                : "the phrases of " + shown_name(std::filesystem::path(view.list).filename().string());
  const float width = std::min(std::ceil(text_width(ui, Type::words12, words)) + 1, line.width() - ui.px(190));
  text_in(ui, take_left(line, width, ui.px(10)), Type::words12, ui.colors.text,
          given(shortened_to(ui, Type::words12, words, width)));
  if (button(ui, "sweep/list", take_left(line, ui.px(112), ui.px(8)), "Choose a list...",
             {true, false,
              "At every position the mean over all positions of the phrases of a file: what a part writes on other "
              "texts, too."})) {
    ui.push(CommandId::sweep_list);
  }
  if (view.list.empty()) return;
  if (icon_button(ui, "sweep/this_text", take_left(line, ui.px(24), 0), Icon::reset,
                  {true, false, "The mean over this text alone again."})) {
    view.list.clear();
  }
}

}  // namespace

void draw_sweep_header(Ui& ui, const Rect& area) {
  Rect all = area;
  Rect line{{area.min.x, std::round(area.center().y - ui.px(12))}, {area.max.x - ui.px(size::panel_padding), 0}};
  line.max.y = line.min.y + ui.px(size::control_height);
  color_map_combo(ui, "sweep/colormap", take_right(line, ui.px(92), ui.px(6)), false);
  draw_numbers(ui, take_right(line, ui.px(104), ui.px(6)));
  draw_patched(ui, take_right(line, ui.px(156), ui.px(6)));
  all.max.x = line.max.x;
  panel_header(ui, all, "", "one part after the other takes other numbers");
}

float draw_sweep_controls(Ui& ui, const Rect& area) {
  const float pad = ui.px(size::panel_padding), height = ui.px(size::control_height), gap = ui.px(6);
  Rect line{{area.min.x + pad, area.min.y + ui.px(3)}, {area.max.x - pad, area.min.y + ui.px(3) + height}};
  draw_measure(ui, line);
  const auto next = [&](void (*draw)(Ui&, Rect)) {
    line.min.y = line.max.y + gap;
    line.max.y = line.min.y + height;
    draw(ui, line);
  };
  if (ui.session.view.sweep.numbers == SweepNumbers::means) next(draw_list);
  if (ui.session.view.sweep.patch == SweepPatch::paths) next(draw_end);
  return line.max.y + gap;
}

}  // namespace headscope::ui
