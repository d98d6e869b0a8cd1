// What the random user can do, a row a kind.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/monkey/event.h"
#include "tests/monkey/hand.h"
#include "tests/monkey/random.h"

namespace headscope::ui {

struct EventKind {
  const char* name;
  int weight;                                       // how often, among all
  Event (*make)(Random& random, const Hand& hand);  // from what is on screen
  // Does it. Returns what is wrong, "" when nothing is. What is not on screen any more is left out.
  std::string (*play)(Hand& hand, const Event& event);
};

std::span<const EventKind> mouse_events();
std::span<const EventKind> key_events();
std::span<const EventKind> world_events();
// All of them.
const std::vector<EventKind>& event_kinds();

// One of the kinds, by weight, on what is on screen now.
Event some_event(Random& random, const Hand& hand);

// Does it, and the frames that follow. Returns what is wrong, "" when nothing is. Throws Error for a kind that there is
// not.
std::string play_event(Hand& hand, const Event& event);

}  // namespace headscope::ui
