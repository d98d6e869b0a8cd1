// A lesson: numbered stops on the phrase that is open, each a view and the words about it. Sessions keep it, undo
// brings it back.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace headscope {

struct LessonStop {
  std::string words;  // UTF-8, as typed
  std::string view;   // what is shown, as window_json() writes it; "": a new ViewState
  friend bool operator==(const LessonStop&, const LessonStop&) = default;
};
using Lesson = std::vector<LessonStop>;

inline constexpr std::size_t kMostLessonStops = 100;

}  // namespace headscope
