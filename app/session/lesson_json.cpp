#include "app/session/lesson_json.h"

#include <utility>

#include "core/base/utf8.h"

namespace headscope {

using nlohmann::json;

json lesson_json(const Lesson& lesson) {
  json stops = json::array();
  for (const LessonStop& stop : lesson) {
    json object = {{"words", is_valid_utf8(stop.words) ? stop.words : std::string()}};
    if (!stop.view.empty()) object["view"] = json::parse(stop.view);
    stops.push_back(std::move(object));
  }
  return stops;
}

Lesson lesson_from(const JsonReader& outer, std::string (*checked)(const std::string& view)) {
  Lesson lesson;
  const json* found = outer.find("lesson");
  if (found == nullptr) return lesson;
  if (!found->is_array() || found->size() > kMostLessonStops) refuse_json("lesson", "a list of at most 100 stops");
  for (const json& item : *found) {
    if (!item.is_object()) refuse_json("lesson", "a list of stops");
    const JsonReader reader(item.dump());
    LessonStop stop;
    reader.read("words", stop.words);
    if (const json* view = reader.find("view")) {
      if (!view->is_object()) refuse_json("view", "the view of a stop");
      json shown = *view;
      shown.erase("lesson");
      stop.view = checked(shown.dump());
    }
    lesson.push_back(std::move(stop));
  }
  return lesson;
}

}  // namespace headscope
