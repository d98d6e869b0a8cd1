// The guided tour: about twelve callouts through the pipeline, with the numbers of the shown phrase.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/guide_state.h"
#include "app/ui/ui.h"
#include "core/attention/trace.h"

namespace headscope::ui {

struct TourStop {
  std::string id;                     // the key of its texts in assets/languages
  std::vector<std::string> controls;  // what it points at, see Callout
  std::optional<StageId> stage;       // selected when the stop is entered; nullopt: unchanged
};
const std::vector<TourStop>& tour_stops();

// The values of the names that texts may have in braces, from a trace and the selection of the view: "tokens",
// "weight", "scores_shape" ...
std::map<std::string, std::string> tour_values(const Trace& trace, const ViewState& view);

// Begins the tour, or continues at Settings::tour_step.
void start_tour(Ui& ui);
bool tour_runs(const Ui& ui);
// Draws the tour over the panels while it runs.
void draw_tour(Ui& ui, const Rect& window);

// The notice that offers the tour at the first start, and to go on with one that was left; nullopt while the tour runs
// and afterwards.
std::optional<Notice> tour_offer(const Ui& ui);
std::string tour_offer_button(const Ui& ui);

}  // namespace headscope::ui
