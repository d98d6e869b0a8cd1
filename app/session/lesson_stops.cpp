#include "app/session/lesson_stops.h"

#include <utility>

#include "app/session/state_json.h"

namespace headscope {

std::string window_of_picture(const ViewState& view) {
  ViewState shown = view;
  shown.lesson.clear();
  return window_json(shown);
}

LessonStop stop_of(const ViewState& view, std::string words) {
  return {std::move(words), window_of_picture(view)};
}

ViewState view_at(const LessonStop& stop, const ViewState& now) {
  ViewState shown = with_layout_of(stop.view.empty() ? ViewState() : parse_view_state(stop.view), now);
  shown.lesson = now.lesson;
  return shown;
}

int stop_with_other_words(const Lesson& before, const Lesson& after) {
  int found = -1;
  if (before.size() != after.size()) return found;
  for (std::size_t k = 0; k < before.size(); ++k) {
    if (before[k] == after[k]) continue;
    if (found >= 0 || before[k].view != after[k].view) return -1;
    found = static_cast<int>(k);
  }
  return found;
}

}  // namespace headscope
