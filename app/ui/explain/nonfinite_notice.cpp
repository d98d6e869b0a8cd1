#include "app/ui/explain/nonfinite_notice.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "app/session/background/work/executor.h"
#include "app/session/background/work/latest_work.h"
#include "app/session/session.h"
#include "app/ui/main_view.h"
#include "app/ui/map/cell_places.h"
#include "app/ui/map/panel_sentences.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/explain/first_nonfinite.h"

namespace headscope::ui {
namespace {

using TracePointer = std::shared_ptr<const Trace>;
using NonfiniteWork = LatestWork<TracePointer, std::optional<FirstNonfinite>>;

constexpr double kAgain = 0.1;  // seconds until it is looked whether the thread has found it

// A last stage of so many numbers is looked at within a frame; a larger one by the thread.
constexpr std::int64_t kAtOnce = std::int64_t{1} << 20;

struct NonfiniteState {
  std::weak_ptr<const Trace> looked_at;  // the newest result
  bool searches = false;                 // it may hold such a number
  std::unique_ptr<NonfiniteWork> work;   // made with the first search
  std::optional<FirstNonfinite> found;   // of it, or until that is known of the result before
  std::optional<CellPlace> wanted;       // a place that is shown once its layer is
  std::optional<std::int64_t> wanted_layer;
};

std::optional<FirstNonfinite> answer(const TracePointer& trace, const CancelToken& cancel) {
  if (!ends_nonfinite(*trace)) return std::nullopt;
  return first_nonfinite(*trace, cancel);
}

// Rows that see no key have a bar of their own. In the mask editor a bar that came would move the cells under the
// mouse.
bool is_said_elsewhere(const Ui& ui, const Trace& trace, const FirstNonfinite& found) {
  return shown_main_view(ui) == MainView::mask ||
         (trace.fully_masked_rows > 0 && found.stages.front().stage == StageId::weights);
}

void search(Ui& ui, NonfiniteState& state, const TracePointer& trace) {
  if (state.work == nullptr) {
    state.work = std::make_unique<NonfiniteWork>(
        make_thread_executor(), [] {}, answer);
  }
  const auto result = state.work->want(trace);
  if (result == nullptr || result->question != trace) return ui.wake_in(kAgain);
  state.found = result->answer ? *result->answer : std::nullopt;
}

// The place that was asked for, once its layer is shown.
void show_wanted(Ui& ui, NonfiniteState& state, const Trace& trace) {
  if (!state.wanted || trace.inputs->layer != state.wanted_layer.value_or(trace.inputs->layer)) return;
  if (is_inside(trace, *state.wanted)) show_place(ui.session.view, trace, *state.wanted);
  state.wanted.reset();
}

}  // namespace

std::optional<Notice> nonfinite_notice(Ui& ui) {
  NonfiniteState& state = ui.state.panels.get<NonfiniteState>();
  const TracePointer trace = ui.session.trace();
  if (trace == nullptr || trace->preview) return std::nullopt;
  if (state.looked_at.lock() != trace) {
    state.looked_at = trace;
    state.searches = !trace->stages.empty() && (trace->stages.back().tensor.size() > kAtOnce || ends_nonfinite(*trace));
  }
  if (state.searches) {
    search(ui, state, trace);
  } else {
    state.found.reset();
    if (state.work != nullptr) state.work->forget();
  }
  if (!state.found || is_said_elsewhere(ui, *trace, *state.found)) return std::nullopt;
  show_wanted(ui, state, *trace);
  const std::string sentence = nonfinite_sentence(*state.found);
  const std::size_t colon = sentence.find(": ");
  return Notice{Notice::Kind::warn, as_sentence(sentence.substr(0, colon)), sentence.substr(colon + 2) + ".",
                "nonfinite"};
}

void show_nonfinite(Ui& ui) {
  NonfiniteState& state = ui.state.panels.get<NonfiniteState>();
  if (!state.found) return;
  state.wanted = CellPlace{state.found->stages.front().stage, state.found->index};
  state.wanted_layer = state.found->layer;
  if (state.found->layer) {
    ui.session.end_undo_step();
    ui.session.draft.layer = state.found->layer;
  }
  ui.session.view.main_view = MainView::layer;
  ui.state.wants_frame = true;
}

}  // namespace headscope::ui
