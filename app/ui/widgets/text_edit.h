// The model of an editable UTF-8 text: caret, selection, word jumps, undo. Pure: no Dear ImGui, no clipboard, no clock.
// The caret moves over invalid bytes one by one; they are never changed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::ui {

// A text field that is being edited. Caret and anchor are byte offsets on grapheme boundaries.
struct TextEdit {
  std::string buffer;
  std::size_t caret = 0, anchor = 0;                            // the selection lies between them
  float scroll = 0;                                             // pixels: x of a single line, y of the phrase box
  std::vector<std::pair<std::string, std::size_t>> undo, redo;  // text and caret
  bool typing = false;   // the last change was typing: the next character joins its undo step
  double wished_x = -1;  // pixels: the x that Up and Down keep; < 0: the x of the caret
};

bool has_selection(const TextEdit& edit);
std::size_t selection_begin(const TextEdit& edit);
std::size_t selection_end(const TextEdit& edit);
std::string selected_text(const TextEdit& edit);

// Sets a text that was changed outside of the field (undo of the session, a file): keeps the undo steps and puts the
// caret after the part that differs. Does nothing when the text is the same.
void replace_text(TextEdit& edit, const std::string& text);

// Moves the caret to a byte offset (clamped, pulled back to a grapheme boundary); `select` keeps the anchor.
void move_caret(TextEdit& edit, std::size_t to, bool select);
void move_left(TextEdit& edit, bool select);  // a selection collapses to its left end
void move_right(TextEdit& edit, bool select);
void move_word_left(TextEdit& edit, bool select);
void move_word_right(TextEdit& edit, bool select);
void move_home(TextEdit& edit, bool select);  // of the whole text
void move_end(TextEdit& edit, bool select);
void select_all(TextEdit& edit);
void select_word(TextEdit& edit, std::size_t at);

// Word boundaries: runs of white space, of ASCII punctuation, and of everything else.
std::size_t word_begin(std::string_view text, std::size_t at);  // the nearest to the left, blanks skipped
std::size_t word_end(std::string_view text, std::size_t at);    // the nearest to the right, blanks skipped

// Typed text joins the undo step of the text typed just before, until a blank follows a letter; pasted text is a
// separate step. Both replace the selection.
void type_text(TextEdit& edit, std::string_view text);
void paste_text(TextEdit& edit, std::string_view text);
void erase_left(TextEdit& edit);   // Backspace: the selection, else one grapheme
void erase_right(TextEdit& edit);  // Delete
void erase_word_left(TextEdit& edit);
void erase_word_right(TextEdit& edit);

// The field's own undo; for fields that the session's undo does not cover (file names). False when there is none.
bool undo(TextEdit& edit);
bool redo(TextEdit& edit);

// The text for a single-line field: line breaks and tabs become blanks, other control characters are removed, and what
// is no UTF-8 becomes U+FFFD, as which it is drawn.
std::string single_line(std::string_view pasted);

// The text for a field of several lines: all of it but NULs, which no session and no command line can hold.
std::string without_nuls(std::string_view text);

}  // namespace headscope::ui
