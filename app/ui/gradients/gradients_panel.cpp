// The view 'gradients': what is asked of the background, its controls, and where its parts stand.
#include "app/ui/gradients/gradients_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "app/session/session.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/sweep/metric_controls.h"
#include "app/ui/view_head.h"
#include "app/ui/widgets/view_parts.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"

namespace headscope::ui {
namespace {

void draw_header(Ui& ui, const Rect& area) {
  GradientsView& view = ui.session.view.gradients;
  Rect all = area;
  Rect line{{area.min.x, std::round(area.center().y - ui.px(12))}, {area.max.x - ui.px(size::panel_padding), 0}};
  line.max.y = line.min.y + ui.px(size::control_height);
  color_map_combo(ui, "gradients/colormap", take_right(line, ui.px(92), ui.px(6)), false);
  if (view.path) {
    stepper(ui, "gradients/steps", take_right(line, ui.px(104), ui.px(6)), view.steps, {.low = 1, .high = kMostSteps},
            {true, false, "Runs a layer. The more, the closer the sum of a layer comes to what its attention does."});
  }
  int path = view.path ? 1 : 0;
  if (segments(ui, "gradients/path", take_right(line, ui.px(190), ui.px(6)), {"at this run", "integrated"}, path,
               {true, false,
                "The gradient of the run itself; or integrated gradients: its mean over runs in which all weights of a "
                "layer grow from 0 to what they are. Their sum is what the layer's attention does, but for a gap that "
                "is said."})) {
    view.path = path == 1;
  }
  all.max.x = line.max.x;
  panel_header(ui, all, "", view.show == GradientsShow::maps ? "A map a head" : "Every head, word by word");
}

float draw_controls(Ui& ui, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  Rect line{{area.min.x + pad, area.min.y + ui.px(3)},
            {area.max.x - pad, area.min.y + ui.px(3) + ui.px(size::control_height)}};
  GradientsView& view = ui.session.view.gradients;
  const MetricControls controls{
      "gradients",
      {"the model's answer", "logit", "probability", "mean loss"},
      "The number that is derived: the logit of the most probable token, of a token, or of one "
      "less another; a probability; or the loss of the text."};
  const bool maps = view.show == GradientsShow::maps;
  int own = view.own_range ? 1 : 0;
  if (segments(
          ui, "gradients/range", take_right(line, ui.px(176), ui.px(8)),
          {maps ? "one range" : "by layer", "own ranges"}, own,
          {true, false,
           maps ? "Colours that mean the same in all maps, or that end at the largest number of each."
                : "Colours that mean the same in all heads of a layer, or that end at the largest of each row."})) {
    view.own_range = own == 1;
  }
  int show = static_cast<int>(view.show);
  if (segments(ui, "gradients/show", take_right(line, ui.px(214), ui.px(8)), {"looked at", "looking", "maps"}, show,
               {true, false,
                "A row a head, added for each word that is looked at, or for each that looks; or a map a head."})) {
    view.show = static_cast<GradientsShow>(show);
  }
  draw_metric(ui, line, controls, view.measure, view.tokens);
  return line.max.y + ui.px(6);
}

// The answer to what is asked now; until there is one the last. Null: none yet.
std::shared_ptr<const Gradients::Result> known_gradients(Ui& ui, const std::string& metric) {
  std::shared_ptr<const Gradients::Result>& last = ui.state.panels.get<GradientsPanelState>().last;
  const std::shared_ptr<const Trace> trace = ui.session.trace();
  if (trace == nullptr || trace->model == nullptr || trace->model->final_hidden.empty() || trace->preview) return last;
  const GradientsView& view = ui.session.view.gradients;
  const auto result = ui.session.background.gradients.want({trace, metric, view.path ? view.steps : 0});
  if (result != nullptr) last = result;
  return last;
}

const HeadWeightGradients& head_that_adds_most(const WeightGradients& found) {
  return *std::max_element(found.heads.begin(), found.heads.end(),
                           [](const auto& a, const auto& b) { return a.sum < b.sum; });
}

GradientsShown shown_of(const Ui& ui, const Gradients::Result& result) {
  const WeightGradients& found = *result.answer;
  const GradientsView& view = ui.session.view.gradients;
  GradientsShown shown{found, result.question, 0, 0, 0, view.own_range};
  // The head that the sentence names; of maps the one that does most.
  const HeadWeightGradients& first = view.show == GradientsShow::maps ? shown.strongest() : head_that_adds_most(found);
  const LayerHead picked = view.head.value_or(LayerHead{first.layer, first.head});
  shown.layer = std::clamp<std::int64_t>(picked.layer, 0, std::ssize(found.layers) - 1);
  shown.head = std::clamp<std::int64_t>(picked.head, 0, found.trace->num_heads() - 1);
  for (const HeadWeightGradients& head : found.heads) {
    if (std::isfinite(head.largest)) shown.largest = std::max(shown.largest, std::fabs(head.largest));
  }
  return shown;
}

// "adds 0.447", "takes away 0.447".
std::string adds_words(double number) {
  return fmt::format("{} {}", number < 0 ? "takes away" : "adds", number_label(std::fabs(number), 3));
}

// The head that adds most, its largest single look, and the layer that takes away most: each where there is one.
std::string finding_words(const GradientsShown& shown) {
  const WeightGradients& found = shown.found;
  const std::string metric = sweep_metric_text(*found.trace->model->checkpoint, found.metric);
  const HeadWeightGradients& most = head_that_adds_most(found);
  if (!(most.sum > 0)) return fmt::format("No head adds to the {}, to first order.", metric);
  std::string words = fmt::format("Layer {}, head {} adds most to the {}: {}", most.layer, most.head, metric,
                                  number_label(most.sum, 3));
  if (most.largest != 0 && std::isfinite(most.largest)) {
    words += fmt::format("; one look of it, {}, {}", gradient_look_words(shown, most), adds_words(most.largest));
  }
  const auto least = std::min_element(found.layers.begin(), found.layers.end(),
                                      [](const auto& a, const auto& b) { return a.sum < b.sum; });
  if (!(least->sum < 0)) return words + ".";
  return words + fmt::format(". Layer {} together {}.", least - found.layers.begin(), adds_words(least->sum));
}

}  // namespace

const HeadWeightGradients& GradientsShown::of(std::int64_t layer_index, std::int64_t head_index) const {
  return found.heads[static_cast<std::size_t>(layer_index * found.trace->num_heads() + head_index)];
}

const HeadWeightGradients& GradientsShown::strongest() const {
  return *std::max_element(found.heads.begin(), found.heads.end(),
                           [](const auto& a, const auto& b) { return a.absolute < b.absolute; });
}

double GradientsShown::end_of(const HeadWeightGradients& of_head) const {
  const double end = own_range ? std::fabs(of_head.largest) : largest;
  return end > 0 && std::isfinite(end) ? end : 1;
}

void let_gradients_go(Ui& ui) {
  ui.state.panels.get<GradientsPanelState>().last.reset();
  ui.session.background.gradients.forget();
}

void draw_gradients_panel(Ui& ui, const Rect& area) {
  ui.mark("gradients", area);
  const Rect header{area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}};
  draw_header(ui, header);
  Rect body{{area.min.x, header.max.y}, area.max};
  body.min.y = draw_controls(ui, body);
  const GradientsView& view = ui.session.view.gradients;
  const std::optional<std::string> metric = metric_text(view.measure, view.tokens);
  if (!metric) return view_sentence(ui, "gradients", body, ui.colors.text2, "Type a token that the number is about.");
  const auto result = known_gradients(ui, *metric);
  if (result == nullptr) return view_sentence(ui, "gradients", body, ui.colors.text2, "Computing …");
  if (!result->answer) return view_sentence(ui, "gradients", body, ui.colors.text, result->failure);
  const GradientsShown shown = shown_of(ui, *result);
  say_finding(ui, MainView::gradients, finding_words(shown));
  const Rect detail = take_detail(ui, body, {});
  if (view.show == GradientsShow::maps) {
    draw_gradients_grid(ui, shown, body);
  } else {
    draw_gradients_rows(ui, shown, body);
  }
  draw_gradients_detail(ui, shown, detail);
}

}  // namespace headscope::ui
