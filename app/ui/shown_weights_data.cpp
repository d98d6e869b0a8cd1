#include "app/ui/shown_weights_data.h"

#include <memory>
#include <utility>

#include "app/session/session.h"
#include "app/ui/data_versions.h"
#include "core/base/error.h"
#include "core/heads/shown_weights.h"
#include "core/heads/token_groups.h"

namespace headscope::ui {
namespace {

// What is kept of the trace that is shown.
struct ShownWeightsState {
  std::shared_ptr<const Trace> computed;
  std::shared_ptr<PanelData> shown;  // null: cannot be shown otherwise
};

bool is_asked_for(const std::shared_ptr<const Trace>& trace, StageId quantity) {
  return trace != nullptr && is_shown_stage(quantity) && trace->find(quantity) != nullptr && shows_otherwise(*trace);
}

std::shared_ptr<const Trace> shown_of(const Trace& trace) {
  if (trace.num_heads() * trace.query_len() * trace.key_len() > kMostShownOtherwise) return nullptr;
  try {
    return std::make_shared<const Trace>(shown_layer(trace, showing_of(trace.request), HiddenColumns::removed));
  } catch (const UsageError&) {  // the text has no key that is left, or the capture no values
    return nullptr;
  }
}

}  // namespace

PanelData* shown_weights_data(Ui& ui, StageId quantity) {
  const std::shared_ptr<const Trace> trace = ui.session.trace();
  ShownWeightsState& state = ui.state.panels.get<ShownWeightsState>();
  if (!is_asked_for(trace, quantity)) {
    if (trace == nullptr || !shows_otherwise(*trace)) state = {};
    return nullptr;
  }
  if (state.computed != trace) {
    state.computed = trace;
    state.shown = nullptr;
    if (std::shared_ptr<const Trace> shown = shown_of(*trace)) {
      std::uint64_t& made = ui.state.panels.get<DataVersions>().made;
      made += 1;
      state.shown = std::make_shared<PanelData>(std::move(shown), made, &ui.session.background);
    }
  }
  return state.shown.get();
}

std::string words_of_shown(const Ui& ui, StageId quantity, const PanelData* shown) {
  const std::shared_ptr<const Trace> trace = ui.session.trace();
  if (!is_asked_for(trace, quantity)) return "";
  if (shown != nullptr) {
    return "Shown: " + shown_sentence(*trace) + ". The inspector has the computed weights.";
  }
  return "Weights as computed: there are too many, or too few, to show them otherwise here; exports and metrics do.";
}

}  // namespace headscope::ui
