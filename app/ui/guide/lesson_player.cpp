// The strip that plays a lesson: the words of the stop, Back and Next.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/session/session.h"
#include "app/ui/guide/lesson_parts.h"
#include "app/ui/guide/lesson_strip.h"

namespace headscope::ui {

namespace {

constexpr float kCounter = 62, kButtons = 226, kMostWords = 960, kAbove = 12, kLeastLine = 26;
constexpr Type kType = Type::words16;

std::string counter_of(const Ui& ui) {
  return fmt::format("{} of {}", lesson_state(ui).stop + 1, lesson_count(ui));
}

float counter_width(Ui& ui) {
  return std::max(ui.px(kCounter), std::ceil(text_width(ui, Type::title13, counter_of(ui))) + ui.px(16));
}

float words_width(Ui& ui, float width) {
  const float room = width - 2 * ui.px(size::panel_padding) - counter_width(ui) - ui.px(kButtons);
  return std::clamp(room, ui.px(200), ui.px(kMostWords));
}

void draw_buttons(Ui& ui, Rect line) {
  const int stop = lesson_state(ui).stop, last = lesson_count(ui) - 1;
  bool next = lesson_button(ui, line, {"lesson/next", stop < last ? "Next" : "Done", true},
                            {true, false, stop < last ? "The next stop (Right, Enter)." : "Ends the lesson (Enter)."});
  bool back = lesson_button(ui, line, {"lesson/back", "Back"},
                            {stop > 0, false, stop > 0 ? "The stop before (Left)." : "This is the first stop."});
  bool leave = lesson_button(ui, line, {"lesson/leave", "Leave"}, {true, false, "Ends the lesson here (Esc)."});
  if (ui.state.focus.starts_with("lesson/")) {
    next = (ui.take_key(KeyName::right) && stop < last) || next;
    back = (ui.take_key(KeyName::left) && stop > 0) || back;
  }
  if (ui.state.top_layer == 0 && ui.take_key(KeyName::escape)) leave = true;
  if (leave || (next && stop == last)) return leave_lesson(ui);
  if (next || back) {
    show_lesson_stop(ui, stop + (next ? 1 : -1));
    focus_lesson(ui, "lesson/next");
  }
}

}  // namespace

float lesson_player_height(Ui& ui, float width) {
  const LessonStop* stop = chosen_stop(ui);
  const float words = stop == nullptr ? 0 : paragraph_height(ui, kType, given(stop->words), words_width(ui, width));
  return std::round(2 * ui.px(kAbove) + std::max(ui.px(kLeastLine), words));
}

void draw_lesson_player(Ui& ui, const Rect& area) {
  LessonState& state = lesson_state(ui);
  const LessonStop* stop = chosen_stop(ui);
  const float padding = ui.px(size::panel_padding), above = ui.px(kAbove);
  const Rect inner{{area.min.x + padding, area.min.y + above}, {area.max.x - padding, area.max.y - above}};
  const Rect first{inner.min, {inner.max.x, inner.min.y + ui.px(kLeastLine)}};
  text_in(ui, first, Type::title13, ui.colors.accent, counter_of(ui));
  const float left = inner.min.x + counter_width(ui);
  const Rect place{{left, inner.min.y}, {left + words_width(ui, area.width()), inner.max.y}};
  state.words = stop->words;
  const float height = paragraph_height(ui, kType, given(stop->words), place.width());
  if (height > place.height() + 1) {
    const ScrollArea scroll = begin_scroll(ui, "lesson/text", place, height);
    paragraph(ui, {{place.min.x, place.min.y - scroll.offset}, {place.max.x, place.max.y}}, kType, ui.colors.text,
              given(stop->words));
    end_scroll(ui);
  } else {
    const float down = std::max(0.0f, std::round((ui.px(kLeastLine) - height) / 2));
    paragraph(ui, {{place.min.x, place.min.y + down}, place.max}, kType, ui.colors.text, given(stop->words));
  }
  if (state.shows == LessonState::Shows::stops) {
    draw_buttons(ui, first);
  } else if (ui.take_key(KeyName::escape)) {
    leave_lesson(ui);
  }
}

}  // namespace headscope::ui
