// What the tour and its callouts remember. It lies on the ground because the start of the program offers the tour, and
// the probe tells what is said.
#pragma once

#include <optional>
#include <string>

#include "app/session/view_state.h"
#include "app/ui/ui.h"

namespace headscope::ui {

struct TourState {
  std::optional<int> step;   // index in tour_stops(); nullopt: the tour does not run
  std::optional<Cell> pair;  // query and key of the scores that were picked when it began; nullopt: none were
  bool offered = false;      // set by the first start, and by later ones while a tour waits to be continued
};

// The callout on screen, and the control that show_place() still brings into sight.
struct CalloutState {
  std::optional<Rect> place;   // of its box in the last frame; nullopt: none is shown
  std::optional<Rect> target;  // what it pointed at; nullopt: nothing
  std::string title, text;     // as written in it
  std::string labels;          // all its other words
  std::string revealed;        // the control of the Request that is scrolled to
  int reveal_frames = 0;       // frames that go on scrolling to it; 0: none does
  void add_text(std::string& all) const {
    for (const std::string* words : {&title, &text, &labels}) all += *words;
  }
};

}  // namespace headscope::ui
