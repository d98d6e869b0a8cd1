// Lessons as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/session/json_reader.h"
#include "app/session/lesson.h"

namespace headscope {

// [{"words": ..., "view": {...}}, ...], the views as window_json() writes them.
nlohmann::json lesson_json(const Lesson& lesson);

// The list at "lesson" of `outer`; without it no stop. `checked` turns the JSON of a stop's view into window_json()'s;
// a lesson within a stop is left out before. Throws Error that names the key that holds the wrong type, of more stops
// than kMostLessonStops, and what `checked` throws.
Lesson lesson_from(const JsonReader& outer, std::string (*checked)(const std::string& view));

}  // namespace headscope
