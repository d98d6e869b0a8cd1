// Writes the last session and the settings when they have not changed for a while, and at the end: a crash loses only
// seconds of work.
#pragma once

#include "app/session/session.h"
#include "app/session/settings.h"

namespace headscope {

class Autosave {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kRest{5};

  // Notices changes; call it once a frame.
  void note_changes(const Session& session, const Settings& settings, Time now);
  // Seconds until save_if_due() writes; negative: nothing is waiting.
  double seconds_left(Time now) const;
  // Writes what has changed when nothing has for kRest. Returns a sentence when it could not be written, else "".
  std::string save_if_due(Time now);
  // Writes both at once, at the end of the program. Returns as save_if_due().
  std::string save_now(const Session& session, const Settings& settings);

 private:
  LastSession session_;
  Settings settings_;
  bool known_ = false;  // both hold what was seen last
  // These are not written yet.
  bool session_waits_ = false, settings_wait_ = false;
  Time changed_{};
};

}  // namespace headscope
