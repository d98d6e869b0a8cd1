#include "app/ui/phrase/phrase_box.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/phrase/wrapped_text.h"
#include "app/ui/widgets/text_line.h"
#include "core/base/utf8.h"

namespace headscope::ui {

namespace {

constexpr Type kType = kPhraseType;
constexpr float kPadding = 13;

struct Lines {
  const std::string& text;
  const std::vector<std::size_t>& begins;

  int count() const { return static_cast<int>(begins.size()); }
  std::size_t begin(int line) const { return begins[static_cast<std::size_t>(line)]; }
  // Without the line feed that ends it. Of a line that is not broken yet, its beginning.
  std::size_t end(int line) const {
    std::size_t e = line + 1 < count() ? begin(line + 1) : text.size();
    if (e - begin(line) > 2 * kMostLineBytes) e = previous_grapheme(text, begin(line) + kMostLineBytes);
    if (e > begin(line) && text[e - 1] == '\n') --e;
    return e;
  }
  std::string_view words(int line) const { return std::string_view(text).substr(begin(line), end(line) - begin(line)); }
  int line_of(std::size_t at) const {
    const auto after = std::upper_bound(begins.begin(), begins.end(), at);
    return std::max(0, static_cast<int>(after - begins.begin()) - 1);
  }
};

float caret_x(Ui& ui, const Lines& lines, std::size_t at) {
  const int line = lines.line_of(at);
  return caret_place(ui, kType, lines.words(line), at - lines.begin(line));
}

// Up and Down keep the x that the caret had where the walk began.
void move_by_lines(Ui& ui, TextEdit& edit, const Lines& lines, int by, bool select) {
  const int line = lines.line_of(edit.caret);
  const double wish = edit.wished_x >= 0 ? edit.wished_x : static_cast<double>(caret_x(ui, lines, edit.caret));
  const int next = line + by;
  std::size_t to = by < 0 ? 0 : edit.buffer.size();
  if (next >= 0 && next < lines.count()) {
    to = lines.begin(next) + byte_at(ui, kType, lines.words(next), static_cast<float>(wish));
    // The end of a wrapped line is the begin of the next: stay on the line.
    if (next + 1 < lines.count() && to == lines.begin(next + 1) && to > lines.begin(next)) {
      to = previous_grapheme(edit.buffer, to);
    }
  }
  move_caret(edit, to, select);
  edit.wished_x = wish;
  ui.state.caret_time = ui.state.time;
}

void vertical_keys(Ui& ui, TextEdit& edit, const Lines& lines) {
  for (const bool select : {false, true}) {
    while (ui.take_key(KeyName::up, false, select)) move_by_lines(ui, edit, lines, -1, select);
    while (ui.take_key(KeyName::down, false, select)) move_by_lines(ui, edit, lines, 1, select);
    while (ui.take_key(KeyName::page_up, false, select)) move_by_lines(ui, edit, lines, -5, select);
    while (ui.take_key(KeyName::page_down, false, select)) move_by_lines(ui, edit, lines, 5, select);
    // Home and End are of the line seen; with Ctrl of the whole text.
    if (lines.count() > 1) {
      const int line = lines.line_of(edit.caret);
      if (ui.take_key(KeyName::home, false, select)) move_caret(edit, lines.begin(line), select);
      if (ui.take_key(KeyName::end, false, select)) {
        std::size_t to = lines.end(line);
        if (line + 1 < lines.count() && to == lines.begin(line + 1)) to = previous_grapheme(edit.buffer, to);
        move_caret(edit, to, select);
      }
    }
  }
}

// The part of the lines that is seen.
struct Seen {
  Rect box, inner;
  float width = 0, pitch = 0;  // at which lines are wrapped; from line to line
  int first = 0, shown = 1;
  bool grows = false;  // not all of a long text was broken into lines when the frame began
};

void draw_token_lines(Ui& ui, const Lines& lines, const Seen& seen, const PhraseBox& box) {
  if (box.tokens == nullptr) return;
  const Palette& c = ui.colors;
  const std::vector<Range>& tokens = *box.tokens;
  const auto first =
      std::lower_bound(tokens.begin(), tokens.end(), lines.begin(seen.first),
                       [](const Range& r, std::size_t at) { return r.end <= static_cast<std::int64_t>(at); });
  for (auto token = first; token != tokens.end(); ++token) {
    const std::size_t begin = static_cast<std::size_t>(token->begin), end = static_cast<std::size_t>(token->end);
    if (end > lines.text.size() || begin >= end) break;
    const int from = lines.line_of(begin), to = lines.line_of(end - 1);
    if (from >= seen.first + seen.shown) break;
    const std::int64_t index = token - tokens.begin();
    const bool is_query = index == box.query, is_key = index == box.key;
    const Rgba color = is_query ? c.query : is_key ? c.key : c.line;
    for (int line = std::max(from, seen.first); line <= std::min(to, seen.first + seen.shown - 1); ++line) {
      const std::size_t a = std::max(begin, lines.begin(line)), b = std::min(end, lines.end(line));
      if (a >= b) continue;
      const float y = seen.inner.min.y + static_cast<float>(line - seen.first + 1) * seen.pitch - ui.px(1);
      const float t = is_query || is_key ? std::max(1.0f, ui.px(2)) : std::max(1.0f, ui.px(1));
      for (const Stretch& part :
           stretches_of(ui, kType, lines.words(line), a - lines.begin(line), b - lines.begin(line))) {
        fill({{std::round(seen.inner.min.x + part.from), y}, {std::round(seen.inner.min.x + part.to), y + t}}, color);
      }
    }
  }
}

void draw_lines(Ui& ui, const Seen& seen, const Lines& lines, const TextEdit& edit, const PhraseBox& box,
                bool focused) {
  const Palette& c = ui.colors;
  canvas().PushClipRect({seen.inner.min.x - ui.px(2), seen.box.min.y}, {seen.inner.max.x + ui.px(2), seen.box.max.y},
                        true);
  draw_token_lines(ui, lines, seen, box);
  for (int line = seen.first; line < std::min(lines.count(), seen.first + seen.shown); ++line) {
    const float top = seen.inner.min.y + static_cast<float>(line - seen.first) * seen.pitch;
    const std::string_view words = lines.words(line);
    if (focused && has_selection(edit)) {
      const std::size_t a = std::clamp(selection_begin(edit), lines.begin(line), lines.end(line));
      const std::size_t b = std::clamp(selection_end(edit), lines.begin(line), lines.end(line));
      for (const Stretch& part : stretches_of(ui, kType, words, a - lines.begin(line), b - lines.begin(line))) {
        fill({{std::round(seen.inner.min.x + part.from), top},
              {std::round(seen.inner.min.x + part.to), top + seen.pitch}},
             mix(c.well, c.accent, 0.38f));
      }
    }
    text(ui, {seen.inner.min.x, text_top(ui, kType, top + seen.pitch / 2)}, kType, c.text, given(words));
  }
  if (focused && caret_shown(ui)) {
    const int line = lines.line_of(edit.caret);
    if (line >= seen.first && line < seen.first + seen.shown) {
      const float x = std::round(seen.inner.min.x + caret_x(ui, lines, edit.caret));
      const float top = seen.inner.min.y + static_cast<float>(line - seen.first) * seen.pitch;
      vertical_line(ui, std::min(x, seen.inner.max.x + ui.px(1)), top, top + seen.pitch, c.accent);
    }
  }
  canvas().PopClipRect();
  // How much of the text is seen.
  if (lines.count() > seen.shown) {
    const float whole = seen.box.height() - ui.px(8);
    const float share = static_cast<float>(seen.shown) / static_cast<float>(lines.count());
    const float thumb = std::max(ui.px(8), whole * share);
    const float top = seen.box.min.y + ui.px(4) +
                      (whole - thumb) * static_cast<float>(seen.first) / static_cast<float>(lines.count() - seen.shown);
    fill({{seen.box.max.x - ui.px(7), std::round(top)}, {seen.box.max.x - ui.px(4), std::round(top + thumb)}}, c.edge,
         ui.px(1));
  }
}

// The box on `rect` with so many lines; more than one grow over what lies below.
Seen seen_of(const Ui& ui, const Rect& rect, int shown) {
  Seen seen;
  seen.pitch = ui.px(20);
  seen.shown = shown;
  // Two lines cover the row of chips whole rather than cutting through it.
  const float grown = shown == 1 ? 0 : std::max(static_cast<float>(shown - 1) * seen.pitch, ui.px(34));
  seen.box = {rect.min, {rect.max.x, rect.max.y + grown}};
  const float padding = ui.px(kPadding), top = std::round(rect.min.y + (rect.height() - seen.pitch) / 2);
  seen.inner = {{rect.min.x + padding, top}, {rect.max.x - padding, seen.box.max.y}};
  return seen;
}

// A line a notch, where not all of `count` lines are seen.
void scroll_by_wheel(Ui& ui, TextEdit& edit, const Seen& seen, int count) {
  edit.scroll = std::clamp(edit.scroll, 0.0f, static_cast<float>(std::max(0, count - seen.shown)));
  ImGuiIO& io = ImGui::GetIO();
  if (count <= seen.shown || io.MouseWheel == 0 || !mouse_over(ui, seen.box)) return;
  edit.scroll = std::clamp(edit.scroll - std::round(io.MouseWheel), 0.0f, static_cast<float>(count - seen.shown));
  io.MouseWheel = 0;
}

// What mouse and keys do to the text; the line of a moved caret comes into sight. True when the text changed.
bool edit_lines(Ui& ui, TextEdit& edit, Seen& seen, const PhraseBox& box, const Interaction& it) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const WrappedText& wrapped = ui.state.panels.get<WrappedTexts>().by_name[box.name];
  const Lines lines{edit.buffer, wrapped.begins};
  // A mouse that is nowhere is very far up.
  const float lines_down = std::floor((mouse.y - seen.inner.min.y) / seen.pitch);
  const float last = static_cast<float>(lines.count() - 1), first = static_cast<float>(seen.first);
  const int line = static_cast<int>(std::clamp(first + lines_down, 0.0f, last));
  std::size_t under = 0;
  if (it.held || it.hovered)
    under = lines.begin(line) + byte_at(ui, kType, lines.words(line), mouse.x - seen.inner.min.x);
  edit_by_mouse(ui, edit, it, under);
  if (!it.focused) return false;
  const std::size_t caret_before = edit.caret;
  vertical_keys(ui, edit, lines);
  const bool changed = edit_by_keys(ui, edit, true);
  const bool moved = changed || edit.caret != caret_before || it.held || seen.grows;
  if (changed) wrapped_lines(ui, box.name, edit.buffer, seen.width);
  const Lines now{edit.buffer, wrapped.begins};
  if (!moved && seen.first <= now.count() - seen.shown) return changed;
  const int at = now.line_of(edit.caret);
  seen.first = std::clamp(seen.first, std::max(0, at - seen.shown + 1), at);
  seen.first = std::clamp(seen.first, 0, std::max(0, now.count() - seen.shown));
  edit.scroll = static_cast<float>(seen.first);
  return changed;
}

// What a box without the focus scrolled to last.
struct FollowedTokens {
  struct Followed {
    bool had_focus = false;
    std::int64_t picked = -1;
  };
  std::map<std::string, Followed> by_name;
};

// Of a box that shows one line of several: that of the caret, where typing ended, and that of a newly picked token.
void follow_in_one_line(Ui& ui, TextEdit& edit, const PhraseBox& box, bool focused) {
  FollowedTokens::Followed& followed = ui.state.panels.get<FollowedTokens>().by_name[box.name];
  const bool left = std::exchange(followed.had_focus, focused);
  const bool another = std::exchange(followed.picked, box.picked) != box.picked;
  if (focused) return;
  const Lines lines{edit.buffer, ui.state.panels.get<WrappedTexts>().by_name[box.name].begins};
  if (left) edit.scroll = static_cast<float>(lines.line_of(edit.caret));
  if (!another || box.picked < 0 || box.tokens == nullptr || box.picked >= std::ssize(*box.tokens)) return;
  const Range& token = (*box.tokens)[static_cast<std::size_t>(box.picked)];
  edit.scroll = static_cast<float>(lines.line_of(static_cast<std::size_t>(std::max<std::int64_t>(token.begin, 0))));
}

void draw_box(Ui& ui, const Seen& seen, const PhraseBox& box, const Interaction& it, bool focused) {
  field_box(ui, seen.box, box.state, it, ui.px(size::radius_field));
  const TextEdit& shown = ui.state.edits[box.name];
  const Lines lines{shown.buffer, ui.state.panels.get<WrappedTexts>().by_name[box.name].begins};
  if (seen.shown == 1 && shown.buffer.empty())
    text_in(ui, {seen.inner.min, {seen.inner.max.x, seen.inner.min.y + seen.pitch}}, kType, ui.colors.text3, box.hint);
  draw_lines(ui, seen, lines, shown, box, focused);
}

}  // namespace

bool phrase_box(Ui& ui, const Rect& rect, std::string& text, const PhraseBox& box, int most_lines) {
  TextEdit& edit = ui.state.edits[box.name];
  replace_text(edit, text);
  const float width = rect.width() - 2 * ui.px(kPadding);
  const bool grows = ui.state.panels.get<WrappedTexts>().by_name[box.name].done < edit.buffer.size();
  const int count = static_cast<int>(wrapped_lines(ui, box.name, edit.buffer, width).begins.size());
  const bool had_focus = ui.state.focus == box.name && ui.on_top() && box.state.enabled;
  Seen seen = seen_of(ui, rect, had_focus ? std::clamp(count, 1, most_lines) : 1);
  seen.width = width;
  seen.grows = grows;

  const Interaction it = interact_mouse(ui, box.name, seen.box, box.state);
  const bool focused = it.focused && box.state.enabled;
  follow_in_one_line(ui, edit, box, had_focus);
  scroll_by_wheel(ui, edit, seen, count);
  seen.first = static_cast<int>(edit.scroll);
  const bool changed = box.state.enabled && edit_lines(ui, edit, seen, box, it);
  if (changed) text = edit.buffer;
  if (seen.shown == 1) {
    draw_box(ui, seen, box, it, focused);
    return changed;
  }
  // Over what lies below, which must not see the mouse then.
  ui.state.covered.push_back(seen.box);
  ui.overlays.push_back([seen, box, focused, it](Ui& over) { draw_box(over, seen, box, it, focused); });
  return changed;
}

}  // namespace headscope::ui
