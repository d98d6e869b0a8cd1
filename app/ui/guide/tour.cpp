#include "app/ui/guide/tour.h"

#include <algorithm>

#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/guide/callout.h"
#include "app/ui/guide/languages.h"
#include "app/ui/stage_facts.h"
#include "core/attention/operation_text.h"

namespace headscope::ui {
namespace {

TourState& tour_of(const Ui& ui) {
  return ui.state.panels.get<TourState>();
}

// The query and key that the texts speak of: those that were picked when the tour began.
Cell spoken_of(const Ui& ui, const Trace& trace) {
  const auto within = [](std::int64_t at, std::int64_t size) {
    return std::clamp<std::int64_t>(at, 0, std::max<std::int64_t>(0, size - 1));
  };
  const Cell pair = tour_of(ui).pair.value_or(Cell{trace.query_len() - 1, 0});
  return {within(pair.row, trace.query_len()), within(pair.column, trace.key_len())};
}

// The picked cell, where its row is a query and its column a key.
std::optional<Cell> picked_pair(const ViewState& view) {
  return is_score_like(view.stage) ? view.cell : std::nullopt;
}

// One layer's panels, with a cell to speak of and the stop's stage selected.
void enter(Ui& ui, int step) {
  tour_of(ui).step = step;
  ui.settings.tour_step = step;
  ui.state.focus = ui.state.focus_before_dialog = "tour/next";  // a dialog that closes gives the focus back
  ui.state.focus_by_keyboard = true;
  const TourStop& stop = tour_stops()[static_cast<std::size_t>(step)];
  CalloutPlace place{stop.controls, stop.stage, {}, {}};
  const auto trace = ui.session.trace();
  if (trace != nullptr && stop.stage && is_score_like(*stop.stage)) place.cell = spoken_of(ui, *trace);
  show_place(ui, place);
}

void leave(Ui& ui, int next_time) {
  tour_of(ui).step.reset();
  ui.settings.tour_step = next_time;
  ui.state.focus = "phrase";
  forget_callout(ui);
}

}  // namespace

const std::vector<TourStop>& tour_stops() {
  static const std::vector<TourStop> stops = {
      {"phrase", {"phrase"}, {}},
      {"input", {"pipeline/input", "pipeline/query"}, StageId::input},
      {"projections", {"pipeline/qkv", "pipeline/query_proj", "pipeline/query"}, {}},
      {"heads", {"pipeline/query"}, StageId::query},
      {"positions", {"pipeline/query", "pipeline/key"}, StageId::query},
      {"scores", {"pipeline/scores", "pipeline/raw_scores"}, StageId::scores},
      {"mask", {"request/mask", "request/open", "pipeline/masked_scores"}, StageId::masked_scores},
      {"weights", {"heads", "pipeline/weights"}, StageId::weights},
      {"head", {"inspector/picture", "inspector"}, StageId::weights},
      {"where", {"inspector/where", "where", "inspector"}, StageId::weights},
      {"context", {"pipeline/context"}, StageId::context},
      {"concat", {"concat", "pipeline/concat"}, StageId::concat},
      {"why", {"views/sweep", "views/lens", "views/group"}, StageId::weights},
      {"corpus", {"views/corpus", "views/group"}, StageId::weights},
      {"take", {"menu/File"}, StageId::weights},
  };
  return stops;
}

void start_tour(Ui& ui) {
  tour_of(ui).offered = false;
  tour_of(ui).pair = picked_pair(ui.session.view);
  const int last = static_cast<int>(tour_stops().size()) - 1;
  enter(ui, std::clamp(ui.settings.tour_step, 0, last));
}

bool tour_runs(const Ui& ui) {
  return tour_of(ui).step.has_value();
}

namespace {

// Nothing is computed yet, so that there are no numbers to speak of: the phrase comes first.
void draw_tour_without_result(Ui& ui, const Rect& window, const Language& language) {
  Callout callout;
  callout.name = "tour";
  callout.controls = {"phrase"};
  callout.title = language.text("words/empty");
  callout.text = language.text("words/empty_text");
  callout.leave = language.text("words/skip");
  if (draw_callout(ui, window, callout, language) == CalloutAction::leave) leave(ui, ui.settings.tour_step);
}

}  // namespace

void draw_tour(Ui& ui, const Rect& window) {
  const auto trace = ui.session.trace();
  if (!tour_runs(ui)) return;
  if (trace == nullptr) return draw_tour_without_result(ui, window, language_of(ui));
  const int step = *tour_of(ui).step;
  const Language& language = language_of(ui);
  const TourStop& stop = tour_stops()[static_cast<std::size_t>(step)];
  const int count = static_cast<int>(tour_stops().size());
  std::map<std::string, std::string> values = tour_values(*trace, ui.session.view);
  values["step"] = std::to_string(step + 1);
  values["steps"] = std::to_string(count);
  const auto word = [&](const char* name) { return language.text(std::string("words/") + name); };
  if (mask_terms_of(trace->request, *trace->inputs).empty()) values["mask"] = word("no_mask");
  Callout callout;
  callout.name = "tour";
  callout.controls = stop.controls;
  callout.beside = stop.id == "head" || stop.id == "mask";  // what lies below belongs to it
  callout.counter = filled_in(word("step"), values);
  const std::string texts = tour_texts(stop.id, {*trace, ui.session});
  callout.title = filled_in(language.text(texts + "/title"), values);
  callout.text = filled_in(language.text(texts + "/text"), values);
  callout.back = step > 0 ? word("back") : "";
  callout.next = word(step + 1 < count ? "next" : "done");
  callout.leave = step + 1 < count ? word("skip") : "";
  switch (draw_callout(ui, window, callout, language)) {
    case CalloutAction::none:
    case CalloutAction::go:
      return;
    case CalloutAction::back:
      return enter(ui, step - 1);
    case CalloutAction::next:
      return step + 1 < count ? enter(ui, step + 1) : leave(ui, 0);
    case CalloutAction::leave: {
      put_notice(ui.state, {Notice::Kind::info, word("tour") + ".", filled_in(word("left"), values), "tour-left"});
      return leave(ui, step);
    }
  }
}

std::optional<Notice> tour_offer(const Ui& ui) {
  if (!tour_of(ui).offered || ui.session.trace() == nullptr) return {};
  const Language& language = language_of(ui);
  const std::map<std::string, std::string> values = {{"step", std::to_string(ui.settings.tour_step + 1)},
                                                     {"steps", std::to_string(tour_stops().size())}};
  const bool waits = ui.settings.tour_step > 0;
  return Notice{Notice::Kind::info, language.text(waits ? "words/waits" : "words/offer"),
                filled_in(language.text(waits ? "words/waits_text" : "words/offer_text"), values), "tour-offer"};
}

std::string tour_offer_button(const Ui& ui) {
  return language_of(ui).text(ui.settings.tour_step > 0 ? "words/waits_button" : "words/offer_button");
}

}  // namespace headscope::ui
