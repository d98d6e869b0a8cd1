#include "tests/monkey/promises.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/session/documents.h"
#include "app/session/state_json.h"
#include "app/session/timeline_file.h"
#include "core/base/utf8.h"
#include "core/export/session_file.h"
#include "core/request/problem.h"
#include "core/request/same_request.h"

namespace headscope::ui {

namespace {

bool mistake_planted = false;

std::string bad_rectangle(const Driver& driver) {
  for (const auto& [name, rect] : driver.probe.rects) {
    for (const float side : {rect.min.x, rect.min.y, rect.max.x, rect.max.y}) {
      if (!std::isfinite(side)) return "rectangle: that of " + name + " is no number";
    }
  }
  return "";
}

std::string doubled_name(const Driver& driver) {
  std::vector<std::string> names = driver.state.tab_order;
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  return twice == names.end() ? "" : "names: two controls are called " + *twice;
}

// Bytes that were typed or pasted and are no UTF-8 are kept and drawn as they are; all other text is.
bool holds_other_bytes(const Driver& driver) {
  const Request& draft = driver.session.draft;
  bool valid = is_valid_utf8(draft.phrase) && is_valid_utf8(draft.key_phrase.value_or("")) &&
               is_valid_utf8(draft.second_phrase.value_or(""));
  for (const auto& [name, edit] : driver.state.edits) valid = valid && is_valid_utf8(edit.buffer);
  return !valid;
}

std::string broken_text(const Driver& driver) {
  if (holds_other_bytes(driver)) return "";
  for (const DrawnText& drawn : driver.texts) {
    if (!is_valid_utf8(drawn.words)) return "text: what is drawn is no UTF-8: " + drawn.words;
  }
  return "";
}

std::string stale_picture(const Hand& hand) {
  const Session& session = hand.driver().session;
  if (hand.holds_work() || session.problem() || !session.failure().empty()) return "";
  if (session.stale()) return "stale: the draft can run, and what is shown is not its result";
  return session.computing() ? "stale: it computes without end" : "";
}

// What the driver says by EXPECT.
std::string driver_complaint() {
  return ::testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed() ? "driver: see above" : "";
}

std::string planted(const Driver& driver) {
  const bool broken = mistake_planted && driver.settings.theme == Theme::light && !driver.clipboard.empty();
  return broken ? "planted: the theme is light, and the clipboard holds something" : "";
}

void press_escape(Hand& hand) {
  hand.key({.key = KeyName::escape});
}

void let_go(Hand& hand) {
  hand.work().let_go();
  hand.driver().shift_held = false;
  for (int button = 0; button < 3; ++button) hand.button(button, false);
  hand.rest();
}

std::string differing_view(const ViewState& view) {
  const std::string written = view_state_json(view);
  return view_state_json(parse_view_state(written)) == written ? "" : "view: read back it is another: " + written;
}

}  // namespace

void plant_mistake() {
  mistake_planted = true;
}

std::string broken_promise(const Hand& hand) {
  for (const std::string& wrong : {driver_complaint(), bad_rectangle(hand.driver()), doubled_name(hand.driver()),
                                   broken_text(hand.driver()), stale_picture(hand), planted(hand.driver())}) {
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string undo_and_redo(Hand& hand, const Event&) {
  Session& session = hand.driver().session;
  session.end_undo_step();
  if (!session.can_undo()) return "";
  const Request draft = session.draft;
  const DocumentIdentity document = session.document;
  const Lesson lesson = session.view.lesson;
  session.undo();
  session.redo();
  const bool same = same_request(session.draft, draft) && session.document == document && session.view.lesson == lesson;
  return same ? "" : "undo: undo and redo do not give the same draft";
}

std::string leave_all(Hand& hand, const Event&) {
  let_go(hand);
  const UiState& state = hand.driver().state;
  for (int i = 0; i < 12; ++i) press_escape(hand);
  hand.rest();
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  if (size.x < 200 || size.y < 200) return "";  // nothing can be shown, and nothing be left
  if (state.dialog != DialogKind::none) return fmt::format("escape: dialog {} stays", static_cast<int>(state.dialog));
  if (!state.open_combo.empty()) return "escape: the list " + state.open_combo + " stays";
  if (state.top_layer != 0) return fmt::format("escape: layer {} stays", state.top_layer);
  return "";
}

std::string write_and_read(Hand& hand, const Event&) {
  const Driver& driver = hand.driver();
  const Session& session = driver.session;
  const std::string text = session_json(session.draft, std::nullopt, window_json(session.view));
  const Request read = parse_session(text, "what was written").request;
  // A number that no request can have is left out of what is kept.
  const bool can_be = !find_problem(session.draft).has_value();
  if (can_be && !same_request(read, session.draft) && is_valid_utf8(session.draft.phrase)) {
    return "session: read back it is another: " + text;
  }
  if (std::string wrong = differing_view(session.view); !wrong.empty()) return wrong;
  if (!(parse_settings(settings_json(driver.settings)) == driver.settings)) {
    return "settings: read back they are others: " + settings_json(driver.settings);
  }
  const KeptTimeline kept =
      read_timeline(timeline_text({session.draft, session.view, session.document}, session.timeline(4)));
  return kept.has_now && kept.damaged == 0 ? "" : fmt::format("timeline: {} lines cannot be read", kept.damaged);
}

std::string go_home(Hand& hand, const Event& event) {
  Driver& driver = hand.driver();
  driver.resize(1280, 800);
  driver.set_scale(1);
  hand.move({kNoPointer, kNoPointer});
  std::string wrong = leave_all(hand, event);
  driver.settings.theme = Theme::dark;
  driver.settings.ui_scale = 1;
  driver.clipboard.clear();
  hand.command(CommandId::unpin, "");
  // New opens a model, and what that keeps in memory would count as growth: home is the small request without one.
  const Document demo = demo_document();
  driver.session.open(demo.request, demo.view, demo.identity());
  driver.state.edits.clear();
  driver.settings.start_open = false;
  hand.scratch().tidy();
  hand.rest();
  return wrong;
}

}  // namespace headscope::ui
