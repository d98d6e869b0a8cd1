// What the files of the lesson's strip share. Internal to this room.
#pragma once

#include <string>

#include "app/session/lesson.h"
#include "app/ui/guide_state.h"
#include "app/ui/ui.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

inline constexpr const char* kLessonWords = "lesson/words";

LessonState& lesson_state(const Ui& ui);
int lesson_count(const Ui& ui);
// Null without stops. Undo may have taken stops away: then it is the last one.
LessonStop* chosen_stop(Ui& ui);
// "lesson/stop/2": the control of the stop at 1.
std::string stop_name(int stop);
void focus_lesson(Ui& ui, const std::string& control);

// A button as wide as its label, 26 high; it takes its place from the right of `line`.
struct LessonButton {
  const char *name, *label;
  bool primary = false;
};
bool lesson_button(Ui& ui, Rect& line, const LessonButton& button, const ControlState& state);

// The line in which stops are edited.
void draw_lesson_recorder(Ui& ui, Rect line);

// The line that plays them, and the height that its words need.
float lesson_player_height(Ui& ui, float width);
void draw_lesson_player(Ui& ui, const Rect& area);

}  // namespace headscope::ui
