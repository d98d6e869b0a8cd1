// The timeline of a kept session as text, a line a moment, so that damage costs the moments that it hits and no others.
#pragma once

#include <cstddef>
#include <string>

#include "app/session/undo_list.h"

namespace headscope {

// Steps of undo, and of redo, that are kept between starts.
inline constexpr std::size_t kMostKeptSteps = 50;
// Of the text; the farthest steps are left out when it would be larger.
inline constexpr std::size_t kMostTimelineBytes = std::size_t{4} << 20;

// The moment `now` first, then the steps before it and those after it, nearest first.
std::string timeline_text(const Moment& now, const Timeline& timeline);

struct KeptTimeline {
  Moment now;
  bool has_now = false;
  Timeline timeline;
  int damaged = 0;  // lines that could not be read
};

// Reads what timeline_text() wrote; never throws.
KeptTimeline read_timeline(const std::string& text);

}  // namespace headscope
