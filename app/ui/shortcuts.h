// Turns keys into commands, by the table of app/ui/command_list.h.
#pragma once

#include <string>
#include <string_view>

#include "app/ui/ui.h"

namespace headscope::ui {

// Whether the event is the shortcut "Ctrl+Shift+Z". Unknown words match no event (a test checks the whole table).
bool shortcut_matches(std::string_view shortcut, const KeyEvent& event);

// The key named in a shortcut ("Z", "F8", "Plus", "PageDown"); KeyName::unknown for another name.
KeyName key_named(std::string_view name);

// Pushes the commands of the keys and characters that no control took in this frame. While a dialog is open, only the
// commands allowed over it (theme, size, quit).
void push_shortcuts(Ui& ui);

// Executes a command. False when it needs the window itself: quit, show_window_picture, report_problem.
bool execute_command(Ui& ui, const Command& command);

// Call it once a frame: a copy that the user requested while a preview was shown is made when the exact numbers are
// shown.
void copy_when_exact(Ui& ui);

// The name of the control that edits a request option: "heads" -> "request/num_heads"; "" when there is none.
std::string control_of_option(std::string_view option);

// Opens the request's panel with the focus on the control that edits an option. False when there is none.
bool focus_option(Ui& ui, std::string_view option);

// The shortest decimals that read back to the same float32.
std::string float_text(float value);

// The text that "copy" puts on the clipboard: a number, its row, or its whole matrix, with tokens; or what the selected
// head and each of its rows attend to, in words (core/heads/head_words.h). `cell`: the number; nullopt: the picked cell
// of the matrix that the inspector shows. "" where there is none, or where a matrix or head does not fit.
enum class CopyWhat { cell, row, matrix, summary };
std::string copied_text(const Session& session, CopyWhat what, const std::optional<CellPlace>& cell = std::nullopt);

// Whether the inspector's matrix, or the weights of a head, have few enough cells for the clipboard: 2^22. Also false
// without a result.
bool matrix_fits_clipboard(const Session& session);
bool summary_fits_clipboard(const Session& session);

// The text of the number or cell under the mouse when the mouse was used last, else of the picked one: numbers of the
// explanation, cells of pictures.
std::string text_at_cursor(Ui& ui, CopyWhat what);

}  // namespace headscope::ui
