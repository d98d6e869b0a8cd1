#include "app/frame/start.h"

#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "app/session/documents.h"
#include "app/session/last_session.h"
#include "app/session/panel_layout.h"
#include "app/session/phrase_file.h"
#include "app/session/view_state.h"
#include "app/ui/document_title.h"
#include "app/ui/guide_state.h"
#include "app/ui/lesson_notice.h"
#include "app/ui/recipe_check.h"
#include "core/base/error.h"
#include "core/base/memory_failures.h"
#include "core/picture/text/text_fonts.h"

namespace headscope {
namespace {

void offer(ui::UiState& state, const KeptSession& kept) {
  ui::Notice notice;
  notice.key = "kept" + kept.suffix;
  notice.button = "Open it";
  notice.command = {ui::CommandId::open_kept_session, kept.suffix};
  if (kept.put_aside) {
    notice.kind = ui::Notice::Kind::warn;
    notice.fact = "A session was put aside.";
    notice.advice = fmt::format("The program ended twice while it opened it. It was left at {}.", kept.left_at);
  } else {
    notice.fact = "Another window's session is kept.";
    notice.advice = fmt::format("It was left at {}.", kept.left_at);
  }
  put_notice(state, std::move(notice));
}

// The last session, unless it has ended the program before the window could show it. `counts`: this start is the next
// try.
std::optional<LastSession> resumed(SessionSlot& slot, bool counts, ui::UiState& state) {
  if (counts && slot.begin_start() >= kMostFailedStarts) {
    slot.put_aside();
    slot.end_start();
  }
  LastSession last;
  std::string notice;
  const bool found = load_last_session(last, notice, slot.suffix());
  add_notice(state, ui::Notice::Kind::warn, "last-session", notice);
  for (const KeptSession& kept : kept_sessions(slot.suffix())) offer(state, kept);
  return found ? std::optional(std::move(last)) : std::nullopt;
}

// Opens the file as one step of undo; throws when it cannot be opened.
void open_path(Session& session, Settings& settings, ui::UiState& state, const std::string& path,
               const ViewState& view) {
  const Document demo = demo_document();
  const Document document = open_document(path, demo.request, view, demo.given_phrase);
  session.open(document.request, with_layout_of(document.view, session.view), document.identity());
  ui::note_recipe(state, path);
  // A text of several lines with the caret in it would open over the panels below.
  if (is_phrase_file(path)) state.focus = "inspector/picture";
  if (document.view.main_view == MainView::corpus) state.focus = "corpus/grid";
  note_opened(state, document.identity().title, {document.request, document.view.lesson});
  if (!document.view.lesson.empty()) put_notice(state, ui::lesson_notice(document.view.lesson));
  if (document.theme) settings.theme = *document.theme;
  std::error_code passed_over;  // names of demos and the like are no files
  if (std::filesystem::exists(path, passed_over)) remember_recent(settings, path);
}

}  // namespace

void add_notice(ui::UiState& state, ui::Notice::Kind kind, const std::string& key, const std::string& fact,
                const std::string& advice) {
  if (fact.empty()) return;
  put_notice(state, {.kind = kind, .fact = fact, .advice = advice, .key = key});
}

void keep_window_size(Settings& settings, int width, int height, double scale) {
  if (width < 1 || height < 1) return;
  settings.window_width = static_cast<int>(width / scale + 0.5);
  settings.window_height = static_cast<int>(height / scale + 0.5);
}

void note_fonts(ui::UiState& state) {
  add_notice(state, ui::Notice::Kind::info, "fonts", draws_with_built_in_font() ? "No font is installed." : "",
             "Text is drawn with the font that the program carries; it has no letters of many scripts.");
}

void say_what_is_saved(Autosave& autosave, ui::UiState& state) {
  const std::optional<SaveNotice> saving = autosave.take_notice(std::time(nullptr));
  if (!saving) return;
  add_notice(state, saving->refused ? ui::Notice::Kind::bad : ui::Notice::Kind::info, "last-session", saving->fact,
             saving->advice);
}

void open_first(Session& session, Settings& settings, ui::UiState& state, const std::string& path, SessionSlot* slot) {
  std::optional<LastSession> last;
  if (slot != nullptr) last = resumed(*slot, path.empty(), state);
  if (last) {
    session.resume({last->request, last->view, last->document}, std::move(last->timeline));
  } else {
    Document first = first_document();
    if (!settings.panels) settings.one_head = settings.one_head || settings.recent_files.empty();
    first.view.heads_show = usual_heads(settings);
    session.open(first.request, first.view, first.identity());
  }
  // To whoever is new, and to those who left it.
  const bool wanted = (!last && settings.recent_files.empty()) || settings.tour_step > 0;
  // Cards above the window at the very first start; they offer the tour, too.
  const bool new_here = !last && !settings.panels && settings.recent_files.empty() && settings.tour_step == 0;
  const bool first_start = slot != nullptr && path.empty() && new_here;
  if (first_start) settings.start_open = true;
  if (slot != nullptr && path.empty() && wanted && !first_start) state.panels.get<ui::TourState>().offered = true;
  set_panel_layout(session.view, settings.panels.value_or(first_panel_layout()));
  // Another document does not begin at the cell that the demo points at.
  if (path.empty()) return;
  ViewState before = last ? last->view : demo_document().view;
  if (!last) before.heads_show = usual_heads(settings);
  if (slot == nullptr) return open_path(session, settings, state, path, before);
  open_given(session, settings, state, path, before);
}

bool open_given(Session& session, Settings& settings, ui::UiState& state, const std::string& path,
                const ViewState& view) {
  try {
    open_path(session, settings, state, path, view);
    return true;
  } catch (const std::exception& error) {
    add_notice(state, ui::Notice::Kind::bad, "open", failure_words(error), "The window shows what it showed last.");
    return false;
  }
}

void open_kept_session(Session& session, const Settings& settings, ui::UiState& state, Autosave& autosave,
                       const std::string& suffix) {
  const auto lock = FileLock::take(last_session_files(suffix).lock);
  LastSession kept;
  std::string notice;
  if (!lock || !load_last_session(kept, notice, suffix)) {
    if (notice.empty()) notice = "The session is open in another window.";
    return add_notice(state, ui::Notice::Kind::warn, "kept" + suffix, notice);
  }
  add_notice(state, ui::Notice::Kind::warn, "last-session", notice);
  session.resume({kept.request, kept.view, kept.document}, std::move(kept.timeline));
  state.edits.clear();
  state.editing.clear();
  const std::string refused = autosave.save_now(session, settings);
  if (refused.empty()) return remove_last_session(suffix);
  add_notice(state, ui::Notice::Kind::warn, "last-session", refused);
}

}  // namespace headscope
