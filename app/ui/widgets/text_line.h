// Editing and drawing of one line of text: what text_field, number_field and stepper share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/ui/widgets/text_places.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

// Applies this frame's keys and characters to the text of the focused field. Ctrl+Z and Ctrl+Y are the field's own in
// dialogs; over the panels they belong to the session, whose undo covers every field there. True when the text changed.
bool edit_by_keys(Ui& ui, TextEdit& edit, bool allow_line_breaks);

// Click sets the caret, Shift+click and dragging select, double click a word, triple click everything.
// `at` is the byte under the mouse.
void edit_by_mouse(Ui& ui, TextEdit& edit, const Interaction& it, std::size_t at);

// Blinks for ten seconds after the caret moved last, then stays.
bool caret_shown(Ui& ui);

// Selection, text and caret within rect, scrolled so that the caret is inside.
void draw_edited_line(Ui& ui, const Rect& rect, Type type, TextEdit& edit, bool focused);

// The shortest decimals that read back to the same double; "-inf", "inf", "nan".
std::string plain_number(double value);

// Finite decimals (and "-inf", "inf" when allowed; U+2212 counts as minus). False leaves `value` alone.
bool parse_number(std::string_view text, bool allow_infinite, double& value);

// Focus by Tab selects everything, so that typing replaces. Once a frame a field, after it knows its focus.
void select_on_focus(Ui& ui, const std::string& name, TextEdit& edit, bool focused);

// Ground and edge of a field: its focus is its own edge.
void field_box(Ui& ui, const Rect& rect, const ControlState& state, const Interaction& it, float radius);

}  // namespace headscope::ui
