#include "tests/monkey/event_kinds.h"

#include "core/base/error.h"
#include "tests/monkey/promises.h"

namespace headscope::ui {

const std::vector<EventKind>& event_kinds() {
  static const std::vector<EventKind> kinds = [] {
    std::vector<EventKind> all;
    for (const auto& some : {mouse_events(), key_events(), world_events()}) {
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }();
  return kinds;
}

Event some_event(Random& random, const Hand& hand) {
  int all = 0;
  for (const EventKind& kind : event_kinds()) all += kind.weight;
  int left = random.below(all);
  for (const EventKind& kind : event_kinds()) {
    left -= kind.weight;
    if (left >= 0) continue;
    Event event = kind.make(random, hand);
    event.kind = kind.name;
    return event;
  }
  return {};
}

std::string play_event(Hand& hand, const Event& event) {
  for (const EventKind& kind : event_kinds()) {
    if (event.kind != kind.name) continue;
    std::string wrong = kind.play(hand, event);
    if (wrong.empty() && !hand.rest()) wrong = "rest: the window asks for frames without end";
    return wrong.empty() ? broken_promise(hand) : wrong;
  }
  throw Error(event.kind + ": there is no such event");
}

}  // namespace headscope::ui
