// Text on one line: pieces from left to right, or a laid out line where its letters are more than that.
#include <algorithm>
#include <cmath>
#include <span>

#include "app/ui/imgui_compat.h"
#include "app/ui/widgets/sentence_parts.h"
#include "app/ui/widgets/shown_line.h"
#include "app/ui/widgets/text_pieces.h"
#include "app/ui/widgets/translation.h"
#include "app/ui/widgets/widgets.h"
#include "core/picture/text/text.h"

namespace headscope::ui {

float text_top(Ui& ui, Type type, float center) {
  const int i = static_cast<int>(type);
  const float baseline = std::floor(center + (ui.fonts.ascent[i] - ui.fonts.descent[i]) / 2);
  return baseline - compat::ascent(ui.fonts[type], ui.fonts.pixels[i]);
}

float text_width(Ui& ui, Type type, const Words& s) {
  const std::string_view shown = said(ui, type, s);
  return needs_layout(shown) ? shown_line(ui, type, shown)->width : pieces_width(ui, type, shown);
}

namespace {

// The types stand in this order: those for words, then the monospaced ones.
bool is_monospaced(Type type) {
  return type >= Type::mono10;
}

// The ways to say it in the window's language; none: it is shown as it is.
std::span<const std::string> ways_of(Ui& ui, const Words& words, bool monospaced) {
  using Whose = Words::Whose;
  if (ui.translation == nullptr || words.whose == Whose::given || (monospaced && words.whose != Whose::ours)) return {};
  const std::vector<std::string>& ways = ui.translation->ways(words.text);
  const bool lacks = ways.empty() && ui.probe != nullptr && ui.probe->untranslated != nullptr;
  if (lacks && has_words(words.text)) ui.probe->untranslated->emplace(words.text);
  return ways;
}

}  // namespace

std::string_view said(Ui& ui, Type type, const Words& s, float width) {
  std::string_view shortest = s.text;
  for (const std::string& way : ways_of(ui, s, is_monospaced(type))) {
    shortest = way;
    if (text_width(ui, type, given(way)) <= width) break;
  }
  return shortest;
}

std::string_view said(Ui& ui, Type type, const Words& s) {
  const std::span<const std::string> ways = ways_of(ui, s, is_monospaced(type));
  return ways.empty() ? s.text : std::string_view(ways.front());
}

std::string_view said(Ui& ui, const Words& s) {
  return said(ui, Type::words12, s);
}

namespace {

void draw_line(Ui& ui, ImVec2 at, const TextStyle& style, std::string_view s) {
  if (s.empty()) return;
  if (ui.probe != nullptr && ui.probe->texts != nullptr) ui.probe->texts->push_back({std::string(s), at});
  if (needs_layout(s)) {
    draw_shown_line(ui, at, style, *shown_line(ui, style.type, s));
  } else {
    draw_pieces(ui, at, style, s);
  }
}

}  // namespace

void text(Ui& ui, ImVec2 at, Type type, Rgba color, const Words& s) {
  draw_line(ui, at, {type, color}, said(ui, type, s));
}

void text_in(Ui& ui, const Rect& rect, Type type, Rgba color, const Words& s, float align) {
  if (s.text.empty() || rect.width() <= 0) return;
  const std::string shown = cut_to_width(ui, type, s, rect.width());
  const float width = text_width(ui, type, given(shown));
  const float x = rect.min.x + std::max(0.0f, (rect.width() - width) * align);
  text(ui, {std::round(x), text_top(ui, type, rect.center().y)}, type, color, given(shown));
}

void text_up(Ui& ui, ImVec2 lower_left, Type type, Rgba color, const Words& s) {
  if (s.text.empty()) return;
  ImDrawList& list = canvas();
  // Drawn lying, then turned by 90 degrees around its start.
  const ImVec2 start{std::floor(lower_left.x), std::floor(lower_left.y)};
  const int first = list.VtxBuffer.Size;
  draw_line(ui, start, {type, color, true}, said(ui, type, s));
  for (int i = first; i < list.VtxBuffer.Size; ++i) {
    ImVec2& p = list.VtxBuffer[i].pos;
    p = {start.x + (p.y - start.y), start.y - (p.x - start.x)};
  }
}

}  // namespace headscope::ui
