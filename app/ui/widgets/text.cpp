// Text on one line: pieces from left to right, or a laid out line where its letters are more than that.
#include <algorithm>
#include <cmath>

#include "app/ui/imgui_compat.h"
#include "app/ui/widgets/shown_line.h"
#include "app/ui/widgets/text_pieces.h"
#include "app/ui/widgets/widgets.h"
#include "core/picture/text/text.h"

namespace headscope::ui {

float text_top(Ui& ui, Type type, float center) {
  const int i = static_cast<int>(type);
  const float baseline = std::floor(center + (ui.fonts.ascent[i] - ui.fonts.descent[i]) / 2);
  return baseline - compat::ascent(ui.fonts[type], ui.fonts.pixels[i]);
}

float text_width(Ui& ui, Type type, std::string_view s) {
  return needs_layout(s) ? shown_line(ui, type, s)->width : pieces_width(ui, type, s);
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

void text(Ui& ui, ImVec2 at, Type type, Rgba color, std::string_view s) {
  draw_line(ui, at, {type, color}, s);
}

void text_in(Ui& ui, const Rect& rect, Type type, Rgba color, std::string_view s, float align) {
  if (s.empty() || rect.width() <= 0) return;
  const std::string shown = cut_to_width(ui, type, s, rect.width());
  const float width = text_width(ui, type, shown);
  const float x = rect.min.x + std::max(0.0f, (rect.width() - width) * align);
  text(ui, {std::round(x), text_top(ui, type, rect.center().y)}, type, color, shown);
}

void text_up(Ui& ui, ImVec2 lower_left, Type type, Rgba color, std::string_view s) {
  if (s.empty()) return;
  ImDrawList& list = canvas();
  // Drawn lying, then turned by 90 degrees around its start.
  const ImVec2 start{std::floor(lower_left.x), std::floor(lower_left.y)};
  const int first = list.VtxBuffer.Size;
  draw_line(ui, start, {type, color, true}, s);
  for (int i = first; i < list.VtxBuffer.Size; ++i) {
    ImVec2& p = list.VtxBuffer[i].pos;
    p = {start.x + (p.y - start.y), start.y - (p.x - start.x)};
  }
}

}  // namespace headscope::ui
