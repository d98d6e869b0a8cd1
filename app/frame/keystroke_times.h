// How long an edit waits for its picture.
#pragma once

#include <chrono>
#include <vector>

#include "core/attention/trace.h"
#include "core/request/request.h"

namespace headscope {

class KeystrokeTimes {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The draft was edited.
  void add(Time at, const Request& draft) { waiting_.push_back({at, draft}); }
  // A frame is on screen; `shown`: its result, null without one. An edit's picture is the first one of its result, or
  // of a later edit's; the milliseconds since the edit go to the end of `noted`, which keeps the latest 1,000.
  void note(const Trace* shown, Time on_screen, std::vector<double>& noted);
  // The draft cannot run: its edits have no picture.
  void forget() { waiting_.clear(); }

 private:
  struct Edit {
    Time at;
    Request draft;
  };
  std::vector<Edit> waiting_;  // oldest first
};

}  // namespace headscope
