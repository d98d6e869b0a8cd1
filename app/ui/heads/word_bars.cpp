#include "app/ui/heads/word_bars.h"

#include <algorithm>
#include <cmath>

#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kNumber = 58, kGap = 10, kBar = 10, kThinBar = 8, kLeastName = 48;

float index_width(Ui& ui, const WordBar& row) {
  return row.index.empty() ? 0 : std::ceil(text_width(ui, Type::mono11, row.index)) + ui.px(6);
}

float names_width(Ui& ui, const std::vector<WordBar>& rows, float width) {
  float widest = ui.px(kLeastName);
  for (const WordBar& row : rows) {
    const Type type = row.bold ? Type::mono_bold12 : Type::mono12;
    widest = std::max(widest, std::ceil(text_width(ui, type, given(row.words))) + 1 + index_width(ui, row));
  }
  return std::min(widest, std::floor(width / 3));
}

// A track, and what of it is full; at least a pixel of what is not zero.
void draw_bar(Ui& ui, const Rect& track, double share, Rgba color) {
  fill(track, ui.colors.well);
  if (!(share > 0)) return;
  const float width = std::round(track.width() * static_cast<float>(std::min(1.0, share)));
  fill({track.min, {track.min.x + std::max(std::max(1.0f, ui.px(1)), width), track.max.y}}, color);
}

Rect bar_at(const Ui& ui, const Rect& line, float middle, float height) {
  const float top = std::round(middle - ui.px(height) / 2);
  return {{line.min.x, top}, {line.max.x, top + ui.px(height)}};
}

void draw_name(Ui& ui, const WordBar& row, Rect place) {
  const float index = index_width(ui, row);
  const Type type = row.bold ? Type::mono_bold12 : Type::mono12;
  const float width =
      std::min(std::ceil(text_width(ui, type, given(row.words))) + 1, std::max(0.0f, place.width() - index));
  text_in(ui, take_left(place, width, ui.px(6)), type, row.ink, given(row.words));
  if (index > 0) text_in(ui, place, Type::mono11, ui.colors.text2, row.index);
}

}  // namespace

int word_bars(Ui& ui, const std::vector<WordBar>& rows, const Rect& area, float pitch) {
  const float names = names_width(ui, rows, area.width());
  int clicked = -1;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const WordBar& row = rows[k];
    const float y = std::round(area.min.y + static_cast<float>(k) * pitch);
    Rect line{{area.min.x, y}, {area.max.x, std::round(y + pitch)}};
    if (!row.name.empty()) {
      const Rect place{{line.min.x - ui.px(6), line.min.y + 1}, {line.max.x + ui.px(6), line.max.y - 1}};
      const Interaction it = interact(ui, row.name, place, {true, false, row.tooltip});
      if (it.hovered) fill(place, ui.colors.hover, ui.px(size::radius_inner));
      if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, place, ui.px(size::radius_inner));
      if (it.clicked) clicked = static_cast<int>(k);
    }
    draw_name(ui, row, take_left(line, names, ui.px(kGap)));
    const Rect number = take_right(line, ui.px(kNumber), ui.px(kGap));
    const float middle = line.center().y;
    const Type type = row.bold ? Type::mono_bold12 : Type::mono12;
    if (!row.second) {
      draw_bar(ui, bar_at(ui, line, middle, kBar), row.share, row.color);
      text_in(ui, number, type, ui.colors.text, row.number, 1);
      continue;
    }
    const float up = std::round(middle - pitch / 4), down = std::round(middle + pitch / 4) - ui.px(1);
    draw_bar(ui, bar_at(ui, line, up, kThinBar), row.share, row.color);
    draw_bar(ui, bar_at(ui, line, down, kThinBar), row.second_share, ui.colors.text2);
    text_in(ui, {{number.min.x, line.min.y}, {number.max.x, middle}}, type, ui.colors.text, row.number, 1);
    text_in(ui, {{number.min.x, middle - ui.px(1)}, {number.max.x, line.max.y - ui.px(1)}}, Type::mono12,
            ui.colors.text2, row.second_number, 1);
  }
  return clicked;
}

}  // namespace headscope::ui
