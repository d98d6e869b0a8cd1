// What the tour, its callouts and the lesson remember. It lies on the ground because the start of the program offers
// the tour, the probe tells what is said, and the window takes the lesson's pictures.
#pragma once

#include <cstddef>
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

// The strip of the lesson: the stops lie in ViewState::lesson.
struct LessonState {
  enum class Shows { recorder, stops, pictures };  // edits stops; plays them; the same for pictures, without buttons
  bool open = false;
  Shows shows = Shows::recorder;
  bool closes_after = false;  // it was opened to play only
  int stop = 0;               // chosen, from 0
  int first_chip = 0;         // of the numbers, where there is no room for all
  std::string words;          // as played
  void add_text(std::string& all) const { all += words; }
};

// Where the dialog of the guide goes in its next frame.
struct GuideTarget {
  std::string page;                  // the id of a page; "": the one that was read last
  std::optional<std::size_t> block;  // of the page that is shown
};

}  // namespace headscope::ui
