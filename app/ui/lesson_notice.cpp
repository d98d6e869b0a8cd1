#include "app/ui/lesson_notice.h"

#include <fmt/format.h>

namespace headscope::ui {

Notice lesson_notice(const Lesson& lesson) {
  const std::size_t stops = lesson.size();
  return {.kind = Notice::Kind::info,
          .fact = fmt::format("This session has a lesson of {} stop{}.", stops, stops == 1 ? "" : "s"),
          .advice = "It goes from view to view, with words for each.",
          .key = "lesson",
          .button = "Play",
          .command = {CommandId::play_lesson, ""}};
}

}  // namespace headscope::ui
