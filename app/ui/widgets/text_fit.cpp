// Text in the room that there is: cut with an ellipsis, or wrapped into lines.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "app/ui/widgets/shown_line.h"
#include "app/ui/widgets/text_pieces.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/utf8.h"
#include "core/picture/text/text.h"

namespace headscope::ui {

namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

// The ellipsis stands at a word, so that what was cut differs from words that go on ("Computing …").
std::string_view without_blank_end(std::string_view s) {
  while (s.ends_with(' ')) s.remove_suffix(1);
  return s;
}

// Of a line that is laid out: what is left of a text may be wider than it was within the text.
std::string cut_shown_line(Ui& ui, Type type, std::string_view s, float width) {
  const std::shared_ptr<ShownLine> line = shown_line(ui, type, s);
  float x = text_width(ui, type, given(kEllipsis));
  std::size_t count = 0;  // how many graphemes are left
  for (; count < line->in_text.size(); ++count) {
    const ShownGrapheme& grapheme = line->graphemes[line->in_text[count]];
    x += grapheme.right - grapheme.left;
    if (x > width) break;
  }
  for (std::size_t less = 1;; less *= 2) {
    const std::size_t end = count == 0 ? 0 : line->graphemes[line->in_text[count - 1]].end;
    std::string result(without_blank_end(s.substr(0, end)));
    result += kEllipsis;
    if (count == 0 || text_width(ui, type, given(result)) <= width) return result;
    count -= std::min(count, less);
  }
}

}  // namespace

std::string cut_to_width(Ui& ui, Type type, const Words& words, float width) {
  const std::string_view s = said(ui, type, words, width);
  // A long text is never measured whole: no line of the window holds more than this.
  const std::size_t most = static_cast<std::size_t>(std::max(8.0f, width)) * 8;
  if (s.size() <= most && text_width(ui, type, given(s)) <= width) return std::string(s);
  const std::string_view part = s.size() <= most ? s : s.substr(0, previous_grapheme(s, most));
  if (needs_layout(part)) return cut_shown_line(ui, type, part, width);
  const float room = width - text_width(ui, type, given(kEllipsis));
  float x = 0;
  std::size_t end = 0;
  while (end < s.size()) {
    const std::size_t next = next_grapheme(s.substr(0, std::min(s.size(), end + 256)), end);
    x += text_width(ui, type, given(s.substr(end, next - end)));
    if (x > room || next <= end) break;
    end = next;
  }
  return std::string(without_blank_end(s.substr(0, end))) + std::string(kEllipsis);
}

namespace {

float paragraph_pitch(Ui& ui, Type type) {
  return std::round(ui.fonts.pixels[static_cast<int>(type)] * 1.15f);
}

// As much of a word as fits into a line, at least one character.
std::size_t fitting_part(Ui& ui, Type type, std::string_view word, float width) {
  std::size_t end = 0;
  float x = 0;
  while (end < word.size()) {
    const std::size_t next = next_grapheme(word.substr(0, std::min(word.size(), end + 256)), end);
    x += text_width(ui, type, given(word.substr(end, next - end)));
    if (next <= end || (x > width && end > 0)) break;
    end = next;
  }
  return end;
}

// Broken at spaces and line ends; a word that is wider than a line, anywhere.
std::vector<std::string> wrapped_lines(Ui& ui, Type type, std::string_view s, float width) {
  std::vector<std::string> lines;
  std::string line;
  const auto flush = [&] { lines.push_back(std::exchange(line, std::string())); };
  for (std::size_t at = 0; at < s.size();) {
    std::size_t end = s.find_first_of(" \n", at);
    if (end == std::string_view::npos) end = s.size();
    std::string_view word = s.substr(at, end - at);
    const std::string longer = line.empty() ? std::string(word) : line + " " + std::string(word);
    if (text_width(ui, type, given(longer)) <= width) {
      line = longer;
    } else {
      if (!line.empty()) flush();
      while (width >= 1 && text_width(ui, type, given(word)) > width) {
        const std::size_t part = fitting_part(ui, type, word, width);
        if (part == 0 || part >= word.size()) break;
        line = word.substr(0, part);
        flush();
        word.remove_prefix(part);
      }
      line = word;
    }
    if (end < s.size() && s[end] == '\n') flush();
    at = end + 1;
  }
  if (!line.empty()) flush();
  return lines;
}

}  // namespace

float paragraph(Ui& ui, const Rect& rect, Type type, Rgba color, const Words& s) {
  float y = rect.min.y;
  for (const std::string& line : wrapped_lines(ui, type, said(ui, type, s), rect.width())) {
    text(ui, {rect.min.x, y}, type, color, given(line));
    y += paragraph_pitch(ui, type);
  }
  return y - rect.min.y;
}

float paragraph_height(Ui& ui, Type type, const Words& s, float width) {
  return static_cast<float>(wrapped_lines(ui, type, said(ui, type, s), width).size()) * paragraph_pitch(ui, type);
}

}  // namespace headscope::ui
