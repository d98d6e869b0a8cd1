#include "app/ui/head_effect.h"

#include <cstdint>
#include <optional>

#include "app/session/background/models/predictions.h"
#include "app/session/session.h"
#include "app/ui/request/head_changes.h"
#include "core/attention/model_trace.h"
#include "core/heads/arcs.h"
#include "core/model/checkpoint.h"
#include "core/request/intervention_kinds.h"

namespace headscope::ui {
namespace {

// A run without the head begins after this rest, in seconds, and where the forward took no longer than this.
constexpr double kRest = 0.2, kLongestRun = 0.3;

struct HeadEffectState {
  std::optional<std::uint64_t> version;  // of the shown numbers
  double since = -kRest;                 // they are shown; the first ones follow no keystroke
  bool waits = false;
  std::shared_ptr<const HeadEffects::Result> last;
};

bool says_words(const Trace& trace) {
  return trace.model != nullptr && has_predictions(*trace.model) && !trace.preview &&
         !trace.model->checkpoint->architecture().of_decoder();
}

bool without_is_wanted(Ui& ui, const Trace& trace, const LayerHead& head) {
  return trace.seconds <= kLongestRun && !ui.session.computing() && trace.num_heads() > 0 &&
         !is_ablated(trace.request, head) && why_heads_stay(ui) == nullptr;
}

}  // namespace

std::optional<Cell> looked_at(PanelData& data, const Selection& selection) {
  const Trace& trace = data.trace();
  if (trace.find(StageId::weights) == nullptr) return std::nullopt;
  const std::optional<Cell>& cell = selection.cell;
  if (cell && is_score_like(selection.stage) && cell->row >= 0 && cell->column >= 0) return cell;
  if (cell && !is_score_like(selection.stage) && cell->row >= 0 && cell->row < trace.query_len()) {
    return Cell{cell->row, strongest_key(trace, selection.batch, selection.head, cell->row)};
  }
  const HeadSummary* summary = data.summary(selection.batch, selection.head);
  if (summary == nullptr || summary->query < 0 || summary->key < 0) return std::nullopt;
  return Cell{summary->query, summary->key};
}

std::shared_ptr<const HeadEffect> head_effect(Ui& ui) {
  auto& state = ui.state.panels.get<HeadEffectState>();
  state.waits = false;
  PanelData* data = panel_data(ui);
  if (data == nullptr || !says_words(data->trace())) {
    if (state.last != nullptr) ui.session.background.head_effects.forget();
    state = {};
    // What follows a preview follows a keystroke.
    if (data != nullptr) state.version = data->version();
    return nullptr;
  }
  if (state.version != data->version()) {
    if (state.version) state.since = ui.state.time;
    state.version = data->version();
  }
  const std::shared_ptr<const Trace>& trace = data->shared_trace();
  const Selection selection = selection_of(ui.session.view, *trace);
  HeadEffectQuery query{trace, selection.batch, {trace->model->layer, selection.head}, false};
  const double rested = state.since < 0 ? kRest : ui.state.time - state.since;
  if (without_is_wanted(ui, *trace, query.head)) {
    query.without = rested >= kRest;
    state.waits = true;
    if (!query.without) ui.wake_in(kRest - rested);
  }
  const auto result = ui.session.background.head_effects.want(query);
  if (result != nullptr) state.last = result;
  const HeadEffects::Result* known = state.last.get();
  if (known == nullptr || known->question.trace != trace || !known->answer) return nullptr;
  if (known->question.batch != query.batch || known->answer->top.empty()) return nullptr;
  const bool of_head = known->question.head == query.head && query.without;
  if (of_head && (known->whole || !known->failure.empty())) state.waits = false;
  // Without another head, or of a run that is not wanted any more: what the model says with all heads is the same.
  if (!known->answer->without.empty() && !of_head) {
    auto all = std::make_shared<HeadEffect>(*known->answer);
    all->without.clear();
    return all;
  }
  return {state.last, &*known->answer};
}

bool head_effect_waits(Ui& ui) {
  return ui.state.panels.get<HeadEffectState>().waits;
}

}  // namespace headscope::ui
