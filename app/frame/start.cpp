#include "app/frame/start.h"

#include "app/session/documents.h"
#include "app/ui/guide_state.h"
#include "core/base/error.h"

namespace headscope {

void add_notice(ui::UiState& state, ui::Notice::Kind kind, const std::string& key, const std::string& fact,
                const std::string& advice) {
  if (fact.empty()) return;
  put_notice(state, {.kind = kind, .fact = fact, .advice = advice, .key = key});
}

void open_first(Session& session, Settings& settings, ui::UiState& state, const std::string& path, bool may_resume) {
  Document first = first_document();
  // Another document does not begin at the cell that the demo points at.
  ViewState view = demo_document().view;
  LastSession last;
  std::string notice;
  if (may_resume && load_last_session(last, notice)) {
    first.request = last.request;
    first.view = view = last.view;
    first.title = "last session";
  } else if (may_resume && path.empty() && settings.recent_files.empty() && settings.tour_step == 0) {
    state.panels.get<ui::TourState>().offered = true;
  }
  add_notice(state, ui::Notice::Kind::warn, "last-session", notice);
  if (!path.empty()) {
    try {
      first = open_document(path, demo_document().request, view);
      if (first.theme) settings.theme = *first.theme;
      if (!path.starts_with("demo:")) remember_recent(settings, path);
    } catch (const std::exception& error) {
      add_notice(state, ui::Notice::Kind::bad, "open", error.what(), "The window shows what it showed last.");
    }
  }
  state.title = first.title;
  session.open(first.request, first.view);
}

}  // namespace headscope
