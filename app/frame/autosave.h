// The last session is written when it has rested for a while, and at the end: a crash costs seconds of work.
#pragma once

#include "app/session/session.h"
#include "app/session/settings.h"

namespace headscope {

class Autosave {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kRest{5};

  // Once a frame.
  void look(const Session& session, Time now);
  // Seconds until there is something to write; negative: nothing is waiting.
  double seconds_left(Time now) const;
  // Writes what has rested long enough. Returns a sentence when it could not be written, else "".
  std::string save_if_due(Time now);
  // Writes at once, at the end of the program.
  std::string save_now(const Session& session);

 private:
  LastSession seen_;
  bool known_ = false;    // seen_ holds something
  bool waiting_ = false;  // seen_ is not written yet
  Time changed_{};
};

}  // namespace headscope
