// Opens the first document and what earlier windows left, keeps what the next one begins with, and shows notices.
#pragma once

#include <string>

#include "app/frame/autosave.h"
#include "app/session/session.h"
#include "app/session/session_slot.h"
#include "app/session/settings.h"
#include "app/ui/ui.h"

namespace headscope {

// Opens `path` when one is given, else the last session of `slot`, else the demo. With both, undo leads from the
// document to the last session. When one cannot be opened, a notice says so, and the next one is opened. Without a slot
// nothing is resumed, and a `path` that cannot be opened throws, since nobody would read the notice. A last session
// that failed to open twice is put aside, and it is offered in a notice, as are those of windows that do not run.
void open_first(Session& session, Settings& settings, ui::UiState& state, const std::string& path, SessionSlot* slot);

// Opens the file of the command line as one step of undo; `view`: how it is shown where it does not say. False when it
// cannot be opened: a notice says why.
bool open_given(Session& session, Settings& settings, ui::UiState& state, const std::string& path,
                const ViewState& view);

// Opens a session that a notice of open_first() offers, as one step of undo with all its own steps; the session's files
// are those of this window then. Opens nothing, with a notice, when a window has it meanwhile.
void open_kept_session(Session& session, const Settings& settings, ui::UiState& state, Autosave& autosave,
                       const std::string& suffix);

// Keeps the size of a window of `width` x `height` pixels at this scale for the next start; none where it was never
// drawn.
void keep_window_size(Settings& settings, int width, int height, double scale);

// Says so in a notice where text is drawn with the built-in font.
void note_fonts(ui::UiState& state);

// Says so in a notice when nothing can be saved, and when it can again.
void say_what_is_saved(Autosave& autosave, ui::UiState& state);

// Adds a notice, or replaces the one with this key; does nothing when `fact` is "".
void add_notice(ui::UiState& state, ui::Notice::Kind kind, const std::string& key, const std::string& fact,
                const std::string& advice = "");

}  // namespace headscope
