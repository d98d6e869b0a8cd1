// The stops of a lesson: taken from what is shown, and shown again.
#pragma once

#include <string>

#include "app/session/lesson.h"
#include "app/session/view_state.h"

namespace headscope {

// window_json() of the view without its lesson: what a picture keeps.
std::string window_of_picture(const ViewState& view);

// A stop at what `view` shows, without its layout and its lesson.
LessonStop stop_of(const ViewState& view, std::string words);

// What the stop shows, with the layout and the lesson of `now`.
ViewState view_at(const LessonStop& stop, const ViewState& now);

// The one stop whose words alone differ; -1 when none, several or more than words differ.
int stop_with_other_words(const Lesson& before, const Lesson& after);

}  // namespace headscope
