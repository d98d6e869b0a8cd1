// The guided tour: a dozen callouts through the pipeline, with the numbers of the phrase on screen.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/ui.h"

namespace headscope::ui {

struct TourStop {
  std::string id;                     // its texts in assets/languages
  std::vector<std::string> controls;  // what it points at, see Callout
  std::optional<StageId> stage;       // is selected on the way in
};
const std::vector<TourStop>& tour_stops();

// What texts may name in braces, of a trace and what is selected in the view: "tokens", "weight", "scores_shape" ...
std::map<std::string, std::string> tour_values(const Trace& trace, const ViewState& view);

// Begins, or goes on where it was left (Settings::tour_step).
void start_tour(Ui& ui);
bool tour_runs(const Ui& ui);
// Over the panels, while it runs.
void draw_tour(Ui& ui, const Rect& window);

// What the first start offers; nothing while the tour runs and ever after.
std::optional<Notice> tour_offer(const Ui& ui);
std::string tour_offer_button(const Ui& ui);

}  // namespace headscope::ui
