// Writes the last session when it has not changed for a while, and at the end: a crash loses only seconds of work.
#pragma once

#include "app/session/session.h"
#include "app/session/settings.h"

namespace headscope {

class Autosave {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kRest{5};

  // Notices changes of the session; call it once a frame.
  void look(const Session& session, Time now);
  // Seconds until save_if_due() writes; negative: nothing is waiting.
  double seconds_left(Time now) const;
  // Writes the session when it has not changed for kRest. Returns a sentence when it could not be written, else "".
  std::string save_if_due(Time now);
  // Writes at once, at the end of the program. Returns as save_if_due().
  std::string save_now(const Session& session);

 private:
  LastSession seen_;
  bool known_ = false;    // seen_ holds a session
  bool waiting_ = false;  // seen_ is not written yet
  Time changed_{};
};

}  // namespace headscope
