// Editing and drawing of one line of text, shared by text_field, number_field and stepper.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/ui/widgets/text_places.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

// Applies this frame's keys and characters to the text of the focused field. In dialogs Ctrl+Z and Ctrl+Y are the
// field's own undo; in panels they are left to the session, whose undo covers every field there. True when the text
// changed.
bool edit_by_keys(Ui& ui, TextEdit& edit, bool allow_line_breaks);

// Click sets the caret, Shift+click and dragging select, double click a word, triple click everything.
// `at` is the byte under the mouse.
void edit_by_mouse(Ui& ui, TextEdit& edit, const Interaction& it, std::size_t at);

// Whether the caret is drawn in this frame: it blinks for ten seconds after its last move, then stays visible.
bool caret_shown(Ui& ui);

// Selection, text and caret within rect, scrolled so that the caret is inside.
void draw_edited_line(Ui& ui, const Rect& rect, Type type, TextEdit& edit, bool focused);

// The shortest decimals that read back to the same double; "-inf", "inf", "nan".
std::string plain_number(double value);

// Parses finite decimals (and "-inf", "inf" when allowed; U+2212 counts as minus). When it returns false, `value` is
// unchanged.
bool parse_number(std::string_view text, bool allow_infinite, double& value);

// Selects the whole text when the field gets the focus by Tab, so that typing replaces it. Call it once a frame for
// each field, after its focus is known.
void select_on_focus(Ui& ui, const std::string& name, TextEdit& edit, bool focused);

// Background and edge of a field; the edge also shows the focus.
void field_box(Ui& ui, const Rect& rect, const ControlState& state, const Interaction& it, float radius);

}  // namespace headscope::ui
