// What is said of an opened document that has a lesson. It lies on the ground because the start of the program says it
// too.
#pragma once

#include "app/session/lesson.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// With a button that plays it.
Notice lesson_notice(const Lesson& lesson);

}  // namespace headscope::ui
