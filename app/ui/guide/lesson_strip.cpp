#include "app/ui/guide/lesson_strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/lesson_stops.h"
#include "app/session/session.h"
#include "app/ui/guide/lesson_parts.h"

namespace headscope::ui {

namespace {

constexpr float kRow = 44;

// What the notice offers has been taken up.
void forget_notice(Ui& ui) {
  std::erase_if(ui.state.notices, [](const Notice& notice) { return notice.key == "lesson"; });
}

}  // namespace

LessonState& lesson_state(const Ui& ui) {
  return ui.state.panels.get<LessonState>();
}

int lesson_count(const Ui& ui) {
  return static_cast<int>(ui.session.view.lesson.size());
}

LessonStop* chosen_stop(Ui& ui) {
  Lesson& lesson = ui.session.view.lesson;
  if (lesson.empty()) return nullptr;
  int& stop = lesson_state(ui).stop;
  stop = std::clamp(stop, 0, lesson_count(ui) - 1);
  return &lesson[static_cast<std::size_t>(stop)];
}

std::string stop_name(int stop) {
  return fmt::format("lesson/stop/{}", stop + 1);
}

void focus_lesson(Ui& ui, const std::string& control) {
  ui.state.focus = control;
  ui.state.focus_by_keyboard = true;
  ui.state.wants_frame = true;
}

bool lesson_button(Ui& ui, Rect& line, const LessonButton& button_of, const ControlState& state) {
  const float width = std::ceil(text_width(ui, Type::words12, button_of.label)) + ui.px(22);
  const Rect place = take_right(line, width, ui.px(6));
  const float top = std::round(line.center().y - ui.px(13));
  const Rect box{{place.min.x, top}, {place.max.x, top + ui.px(26)}};
  return button(ui, button_of.name, box, button_of.label, state, button_of.primary);
}

float lesson_height(Ui& ui, ImVec2 window) {
  const LessonState& state = lesson_state(ui);
  if (!state.open) return 0;
  if (state.shows == LessonState::Shows::recorder || lesson_count(ui) == 0) return ui.px(kRow);
  return std::min(lesson_player_height(ui, window.x), std::round(window.y * 0.4f));
}

void draw_lesson_strip(Ui& ui, const Rect& area) {
  LessonState& state = lesson_state(ui);
  if (!state.open || area.height() < 1) return;
  ui.mark("lesson", area);
  fill(area, ui.colors.chrome);
  divider(ui, area.min, {area.max.x, area.min.y});
  if (lesson_count(ui) == 0) state.shows = LessonState::Shows::recorder;
  if (state.shows == LessonState::Shows::recorder) {
    const float padding = ui.px(size::panel_padding);
    draw_lesson_recorder(ui, {{area.min.x + padding, area.min.y}, {area.max.x - padding, area.max.y}});
  } else {
    draw_lesson_player(ui, area);
  }
}

void toggle_lesson(Ui& ui) {
  LessonState& state = lesson_state(ui);
  forget_notice(ui);
  state.open = !state.open;
  state.shows = LessonState::Shows::recorder;
  state.closes_after = false;
  ui.session.end_undo_step();
  focus_lesson(ui, !state.open ? "phrase" : lesson_count(ui) > 0 ? kLessonWords : "lesson/add");
}

void add_lesson_stop(Ui& ui) {
  Lesson& lesson = ui.session.view.lesson;
  LessonState& state = lesson_state(ui);
  state.open = true;
  state.shows = LessonState::Shows::recorder;
  if (lesson.size() >= kMostLessonStops) {
    return put_notice(ui.state, {Notice::Kind::warn, fmt::format("A lesson has at most {} stops.", kMostLessonStops),
                                 "Remove one, or save this session and begin another.", "lesson"});
  }
  ui.session.end_undo_step();
  const bool any = chosen_stop(ui) != nullptr;  // the number it has is that of a stop
  state.stop = any ? state.stop + 1 : 0;
  lesson.insert(lesson.begin() + state.stop, stop_of(ui.session.view, ""));
  focus_lesson(ui, kLessonWords);
}

void show_lesson_stop(Ui& ui, int stop) {
  LessonState& state = lesson_state(ui);
  state.stop = stop;
  const LessonStop* chosen = chosen_stop(ui);
  if (chosen == nullptr) return;
  ui.session.end_undo_step();
  ui.session.view = view_at(*chosen, ui.session.view);
  ui.state.wants_frame = true;
}

void play_lesson(Ui& ui) {
  LessonState& state = lesson_state(ui);
  if (chosen_stop(ui) == nullptr) return;
  forget_notice(ui);
  state.closes_after = !state.open;
  state.open = true;
  state.shows = LessonState::Shows::stops;
  show_lesson_stop(ui, state.stop + 1 < lesson_count(ui) ? state.stop : 0);
  focus_lesson(ui, "lesson/next");
}

void leave_lesson(Ui& ui) {
  LessonState& state = lesson_state(ui);
  state.shows = LessonState::Shows::recorder;
  state.open = !state.closes_after;
  focus_lesson(ui, state.open ? stop_name(state.stop) : "phrase");
}

}  // namespace headscope::ui
