#include "app/session/lesson_handout.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <ostream>

#include "app/session/lesson_stops.h"
#include "app/session/state_json.h"
#include "core/export/recipe.h"
#include "core/handout/handout_file.h"
#include "core/io/atomic_file.h"
#include "core/request/stage.h"

namespace headscope {

namespace {

// In the order of MainView.
constexpr auto kWays = std::to_array<ViewWay>({
    {MainView::layer, "Layer", "F2"},
    {MainView::layers, "Layers", "F3"},
    {MainView::follow, "Follow", "Ctrl+J"},
    {MainView::script, "Script", "Ctrl+Shift+P"},
    {MainView::bug_lab, "Bug lab", "Ctrl+B"},
    {MainView::mask, "Mask", "Ctrl+M"},
    {MainView::compare, "Compare", "Ctrl+D"},
    {MainView::sensitivity, "Sensitivity", "Ctrl+Shift+G"},
    {MainView::weights, "Weights", "Ctrl+Shift+W"},
    {MainView::text, "Text", "Ctrl+U"},
    {MainView::lens, "Lens", "Ctrl+R"},
    {MainView::sweep, "Sweep", "Ctrl+Shift+R"},
    {MainView::gradients, "Gradients", "Ctrl+Shift+B"},
    {MainView::score, "Score", "Ctrl+Shift+Y"},
    {MainView::circuits, "Circuits", "Ctrl+Shift+X"},
    {MainView::scatter, "Points", "Ctrl+Shift+J"},
    {MainView::generate, "Generate", "Ctrl+Shift+E"},
    {MainView::corpus, "Corpus", "Ctrl+Shift+A"},
});
static_assert(
    [] {
      for (std::size_t k = 0; k < kWays.size(); ++k) {
        if (kWays[k].view != static_cast<MainView>(k)) return false;
      }
      return kWays.size() == kMainViewWords.size();
    }(),
    "way_to() finds a row by its place");

// Says what the stop shows beside the map of its head; "" where that is all.
std::string elsewhere_of(const ViewState& view) {
  if (view.main_view != MainView::layer) {
    const ViewWay& way = way_to(view.main_view);
    return fmt::format("In the window this stop shows {} (the menu View, or {}).", way.name, way.key);
  }
  if (!is_score_like(view.stage)) {
    return fmt::format("In the window this stop shows the stage {}, in the pipeline.", stage_name(view.stage));
  }
  if (view.heads_show == HeadsShow::arcs) return "In the window this stop shows the same weights as arcs.";
  if (view.heads_show == HeadsShow::neurons) return "In the window this stop shows one query feature by feature.";
  return "";
}

HandoutStop stop_from(const LessonStop& stop) {
  const ViewState view = view_at(stop, ViewState());
  HandoutStop of;
  of.words = stop.words;
  of.elsewhere = elsewhere_of(view);
  of.view.view = ViewKind::head;
  of.view.theme = Theme::light;
  of.view.stage = is_score_like(view.quantity) ? view.quantity : StageId::weights;
  of.view.batch = view.batch;
  of.view.head = view.head;
  of.view.colormap = is_weight_like(of.view.stage) ? view.weight_map : view.signed_map;
  of.view.range = view.range_fixed ? RangeKind::fixed : view.range;
  of.view.range_low = view.range_low;
  of.view.range_high = view.range_high;
  of.view.log_scale = view.log_scale;
  if (view.main_view == MainView::layers) of.layer = view.layers.layer;
  if (view.cell && is_score_like(view.stage)) of.cell = StopCell{view.cell->row, view.cell->column};
  return of;
}

}  // namespace

const ViewWay& way_to(MainView view) {
  return kWays[static_cast<std::size_t>(view)];
}

Handout handout_of(const ViewState& view, const std::string& title) {
  Handout handout;
  handout.title = title;
  for (const LessonStop& stop : view.lesson) handout.stops.push_back(stop_from(stop));
  return handout;
}

int write_handout(const HandoutFile& file, const Trace& run, const Handout& handout, const ViewState& view,
                  const CancelToken& cancel, const std::function<void(double)>& progress) {
  if (!file.page) {
    int pages = 0;
    write_file_atomically(file.path, [&](std::ostream& out) {
      pages = write_handout_pdf(out, run, handout, file.paper, cancel, progress);
    });
    return pages;
  }
  const HtmlPage page = handout_page(run, handout, cancel);
  const auto recipe =
      recipe_of(run, view_spec_of(view, Theme::light), window_json(view), {.whole_model = true, .cancel = cancel});
  write_file_atomically(file.path, [&](std::ostream& out) { page.write(out, recipe, progress); });
  return 0;
}

}  // namespace headscope
