// The guided tour: about twelve callouts through the pipeline, with the numbers of the shown phrase.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/session.h"
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

// The result that is on screen, and the session that shows it.
struct TourRun {
  const Trace& trace;
  const Session& session;
};

// A result of which the usual sentences of a stop would be false, and which of its texts are said then.
struct TourCase {
  std::string_view stop, name;
  bool (*holds)(const TourRun& run);
};
// In the order in which they are tried.
std::span<const TourCase> tour_cases();
// Where the title and the text of a stop lie in a language: "tour/phrase", or "tour/phrase/one" in a case.
std::string tour_texts(const std::string& stop, const TourRun& run);

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
