// Keys to commands, by the one table of app/ui/command.h.
#pragma once

#include <string>
#include <string_view>

#include "app/ui/ui.h"

namespace headscope::ui {

// "Ctrl+Shift+Z" against an event. Unknown words match nothing (a test reads the whole table).
bool shortcut_matches(std::string_view shortcut, const KeyEvent& event);

// The key named in a shortcut ("Z", "F8", "Plus", "PageDown"), or KeyName::unknown.
KeyName key_named(std::string_view name);

// Pushes the commands of the keys and characters that nobody took in this frame. With a dialog open only those that
// make sense over one (theme, size, quit).
void push_shortcuts(Ui& ui);

// Carries a command out. False when it needs the window itself: quit, show_window_picture.
bool execute_command(Ui& ui, const Command& command);

// Numbers that were to be copied while a preview was on screen, once the exact ones are. Once a frame.
void copy_when_exact(Ui& ui);

// The name of the control that edits a request option: "heads" -> "request/num_heads"; "" when there is none.
std::string control_of_option(std::string_view option);

// The shortest decimals that read back to the same float32.
std::string float_text(float value);

// What "copy" puts on the clipboard: a number, its row, or the whole matrix that it lies in, with tokens. Of `cell`; of
// what the inspector shows, with the picked cell, where there is none.
enum class CopyWhat { cell, row, matrix };
std::string copied_text(const Session& session, CopyWhat what, const std::optional<CellPlace>& cell = std::nullopt);

// What is under the mouse while that was used last, else what is picked: numbers of the explanation, cells of pictures.
std::string text_at_cursor(Ui& ui, CopyWhat what);

}  // namespace headscope::ui
