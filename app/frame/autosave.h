// Writes the session and the settings at most a second after they changed, whether or not the user rests: whatever ends
// the program, little is lost. The frame takes a copy, and another thread writes it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "app/session/session.h"
#include "app/session/session_writer.h"

namespace headscope {

class Autosave {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kLatest{1};

  // `suffix`: of the session's files (app/session/last_session.h). `executor` runs what writes; `wake` is called there
  // when something could not be written.
  Autosave(std::unique_ptr<Executor> executor, const std::string& suffix, std::function<void()> wake);

  // Notices changes; call it once a frame.
  void note_changes(const Session& session, const Settings& settings, Time now);
  // Seconds until save_if_due() writes; negative: nothing is waiting.
  double seconds_left(Time now) const;
  // Hands what was noticed to the writer when the first of it is kLatest old.
  void save_if_due(const Session& session, Time now);
  // A sentence when something could not be written since the last call, else "".
  std::string take_complaint() { return writer_.take_complaint(); }
  // Writes both before it returns, at the end of the program. A session that is not the first window's is written only
  // when something of it was changed. Returns as take_complaint().
  std::string save_now(const Session& session, const Settings& settings);

 private:
  LastSession session_;  // as note_changes() saw it last; without its timeline
  Settings settings_;
  bool known_ = false;  // both hold what was seen last
  // These are not written yet.
  bool session_waits_ = false, settings_wait_ = false;
  bool writes_session_;  // at the end, too: it is the first window's, or was changed
  Time first_change_{};  // of those that wait
  SessionWriter writer_;
};

}  // namespace headscope
