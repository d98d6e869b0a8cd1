#include "app/ui/widgets/text_edit.h"

#include <algorithm>

#include "core/base/utf8.h"
#include "core/text/byte_alphabet.h"

namespace headscope::ui {

namespace {

constexpr std::size_t kMostEdits = 200;
constexpr std::size_t kMostEditBytes = std::size_t{8} << 20;

enum class Kind { space, punctuation, word };

Kind kind_at(std::string_view text, std::size_t at) {
  const CodePoint c = code_point_at(text, at);
  if (!c.valid) return Kind::word;
  if (is_space(c.value)) return Kind::space;
  const std::uint32_t v = c.value;
  const bool letter =
      v >= 0x80 || v == '_' || (v >= '0' && v <= '9') || (v >= 'a' && v <= 'z') || (v >= 'A' && v <= 'Z');
  return letter ? Kind::word : Kind::punctuation;
}

std::size_t clamp_to_boundary(std::string_view text, std::size_t at) {
  if (at >= text.size()) return text.size();
  if (at == 0) return 0;
  // A boundary is what next_grapheme lands on from the boundary before.
  const std::size_t before = previous_grapheme(text, at);
  return next_grapheme(text, before) == at ? at : before;
}

void remember(TextEdit& edit) {
  edit.redo.clear();
  edit.undo.emplace_back(edit.buffer, edit.caret);
  std::size_t bytes = 0;
  std::size_t keep = edit.undo.size();
  while (keep > 0 && edit.undo.size() - keep < kMostEdits) {
    bytes += edit.undo[keep - 1].first.size();
    if (bytes > kMostEditBytes && keep < edit.undo.size()) break;
    --keep;
  }
  edit.undo.erase(edit.undo.begin(), edit.undo.begin() + static_cast<std::ptrdiff_t>(keep));
}

void replace_range(TextEdit& edit, std::size_t begin, std::size_t end, std::string_view with) {
  edit.buffer.replace(begin, end - begin, with);
  edit.caret = edit.anchor = begin + with.size();
  edit.wished_x = -1;
}

void erase_range(TextEdit& edit, std::size_t begin, std::size_t end) {
  if (begin == end) return;
  remember(edit);
  edit.typing = false;
  replace_range(edit, begin, end, {});
}

}  // namespace

bool has_selection(const TextEdit& edit) {
  return edit.caret != edit.anchor;
}
std::size_t selection_begin(const TextEdit& edit) {
  return std::min(edit.caret, edit.anchor);
}
std::size_t selection_end(const TextEdit& edit) {
  return std::max(edit.caret, edit.anchor);
}
std::string selected_text(const TextEdit& edit) {
  return edit.buffer.substr(selection_begin(edit), selection_end(edit) - selection_begin(edit));
}

void replace_text(TextEdit& edit, const std::string& text) {
  if (text == edit.buffer) return;
  const std::string& old = edit.buffer;
  std::size_t tail = 0;
  const std::size_t most = std::min(old.size(), text.size());
  std::size_t head = 0;
  while (head < most && old[head] == text[head]) ++head;
  while (tail < most - head && old[old.size() - 1 - tail] == text[text.size() - 1 - tail]) ++tail;
  const std::size_t caret = text.size() - tail;
  edit.buffer = text;
  edit.undo.clear();
  edit.redo.clear();
  edit.typing = false;
  edit.wished_x = -1;
  edit.caret = edit.anchor = clamp_to_boundary(edit.buffer, caret);
}

void move_caret(TextEdit& edit, std::size_t to, bool select) {
  edit.caret = clamp_to_boundary(edit.buffer, to);
  if (!select) edit.anchor = edit.caret;
  edit.typing = false;
  edit.wished_x = -1;
}

void move_left(TextEdit& edit, bool select) {
  const bool collapse = has_selection(edit) && !select;
  move_caret(edit, collapse ? selection_begin(edit) : previous_grapheme(edit.buffer, edit.caret), select);
}

void move_right(TextEdit& edit, bool select) {
  const bool collapse = has_selection(edit) && !select;
  move_caret(edit, collapse ? selection_end(edit) : next_grapheme(edit.buffer, edit.caret), select);
}

void move_word_left(TextEdit& edit, bool select) {
  move_caret(edit, word_begin(edit.buffer, edit.caret), select);
}
void move_word_right(TextEdit& edit, bool select) {
  move_caret(edit, word_end(edit.buffer, edit.caret), select);
}
void move_home(TextEdit& edit, bool select) {
  move_caret(edit, 0, select);
}
void move_end(TextEdit& edit, bool select) {
  move_caret(edit, edit.buffer.size(), select);
}

void select_all(TextEdit& edit) {
  edit.anchor = 0;
  edit.caret = edit.buffer.size();
  edit.typing = false;
}

void select_word(TextEdit& edit, std::size_t at) {
  const std::string_view text = edit.buffer;
  if (text.empty()) return;
  at = clamp_to_boundary(text, std::min(at, text.size()));
  if (at == text.size()) at = previous_grapheme(text, at);
  const Kind kind = kind_at(text, at);
  std::size_t begin = at, end = next_grapheme(text, at);
  while (begin > 0) {
    const std::size_t before = previous_grapheme(text, begin);
    if (kind_at(text, before) != kind) break;
    begin = before;
  }
  while (end < text.size() && kind_at(text, end) == kind) end = next_grapheme(text, end);
  edit.anchor = begin;
  edit.caret = end;
  edit.typing = false;
}

std::size_t word_begin(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  const auto before_is = [&](Kind kind) { return at > 0 && kind_at(text, previous_grapheme(text, at)) == kind; };
  while (before_is(Kind::space)) at = previous_grapheme(text, at);
  if (at == 0) return 0;
  const Kind kind = kind_at(text, previous_grapheme(text, at));
  while (before_is(kind)) at = previous_grapheme(text, at);
  return at;
}

std::size_t word_end(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  while (at < text.size() && kind_at(text, at) == Kind::space) at = next_grapheme(text, at);
  if (at == text.size()) return at;
  const Kind kind = kind_at(text, at);
  while (at < text.size() && kind_at(text, at) == kind) at = next_grapheme(text, at);
  return at;
}

void type_text(TextEdit& edit, std::string_view text) {
  if (text.empty()) return;
  const CodePoint first = code_point_at(text, 0);
  const bool blank = first.valid && is_space(first.value);
  // A word and the blank after it are one step.
  const bool after_blank =
      edit.caret > 0 && kind_at(edit.buffer, previous_grapheme(edit.buffer, edit.caret)) == Kind::space;
  const bool joins = edit.typing && !has_selection(edit) && (blank || !after_blank);
  if (!joins) remember(edit);
  replace_range(edit, selection_begin(edit), selection_end(edit), text);
  edit.typing = true;
}

void paste_text(TextEdit& edit, std::string_view text) {
  if (text.empty()) return;
  remember(edit);
  edit.typing = false;
  replace_range(edit, selection_begin(edit), selection_end(edit), text);
}

void erase_left(TextEdit& edit) {
  if (has_selection(edit)) return erase_range(edit, selection_begin(edit), selection_end(edit));
  erase_range(edit, previous_grapheme(edit.buffer, edit.caret), edit.caret);
}

void erase_right(TextEdit& edit) {
  if (has_selection(edit)) return erase_range(edit, selection_begin(edit), selection_end(edit));
  erase_range(edit, edit.caret, next_grapheme(edit.buffer, edit.caret));
}

void erase_word_left(TextEdit& edit) {
  if (has_selection(edit)) return erase_left(edit);
  erase_range(edit, word_begin(edit.buffer, edit.caret), edit.caret);
}

void erase_word_right(TextEdit& edit) {
  if (has_selection(edit)) return erase_right(edit);
  erase_range(edit, edit.caret, word_end(edit.buffer, edit.caret));
}

namespace {

bool exchange(TextEdit& edit, std::vector<std::pair<std::string, std::size_t>>& from,
              std::vector<std::pair<std::string, std::size_t>>& to) {
  if (from.empty()) return false;
  to.emplace_back(std::move(edit.buffer), edit.caret);
  edit.buffer = std::move(from.back().first);
  edit.caret = edit.anchor = from.back().second;
  from.pop_back();
  edit.typing = false;
  edit.wished_x = -1;
  return true;
}

}  // namespace

bool undo(TextEdit& edit) {
  return exchange(edit, edit.undo, edit.redo);
}
bool redo(TextEdit& edit) {
  return exchange(edit, edit.redo, edit.undo);
}

std::string single_line(std::string_view pasted) {
  const std::string text = replaced_invalid(pasted);
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    if (c == '\n' || c == '\r' || c == '\t') {
      result += ' ';
    } else if (c >= 0x20 && c != 0x7F) {
      result += text[i];
    }
  }
  return result;
}

std::string without_nuls(std::string_view text) {
  std::string result(text);
  std::erase(result, '\0');
  return result;
}

}  // namespace headscope::ui
