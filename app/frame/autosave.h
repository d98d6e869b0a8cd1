// Writes the session and the settings at most a second after they changed, whether or not the user rests: whatever ends
// the program, little is lost. The frame takes a copy, and another thread writes it. What could not be written is tried
// again, with what has changed since, until it can.
#pragma once

#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/session/session.h"
#include "app/session/session_writer.h"

namespace headscope {

// That nothing is being saved, or that it is again.
struct SaveNotice {
  bool refused = false;
  std::string fact, advice;
};

class Autosave {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kLatest{1};
  static constexpr std::chrono::seconds kAgain{3};  // after which what was refused is tried again

  // `suffix`: of the session's files (app/session/last_session.h). `executor` runs what writes; `wake` is called there
  // when something could not be written, and when it could again.
  Autosave(std::unique_ptr<Executor> executor, const std::string& suffix, std::function<void()> wake);

  // Notices changes; call it once a frame.
  void note_changes(const Session& session, const Settings& settings, Time now);
  // Seconds until save_if_due() writes; negative: nothing is waiting.
  double seconds_left(Time now) const;
  // Hands what was noticed to the writer when the first of it is kLatest old; what was refused, kAgain after that.
  void save_if_due(const Session& session, Time now);
  // Returns what the user is to be told since the last call: that a file cannot be written, why, since when and where
  // it could be; when the reason changes, again; and that it can be written again. `time`: of the clock on the wall.
  std::optional<SaveNotice> take_notice(std::time_t time);
  // Writes both before it returns, at the end of the program. A session that is not the first window's is written only
  // when something of it was changed. A sentence when something could not be written, which stays due then; else "".
  std::string save_now(const Session& session, const Settings& settings);

 private:
  LastSession session_;  // as note_changes() saw it last; without its timeline
  Settings settings_;
  bool known_ = false;  // both hold what was seen last
  void take_outcome();
  // These are not written yet.
  bool session_waits_ = false, settings_wait_ = false;
  bool writes_session_;               // at the end, too: it is the first window's, or was changed
  Time due_{};                        // of those that wait
  SaveOutcome outcome_;               // of the last time
  std::string told_;                  // what take_notice() said is refused; "": that nothing is
  std::optional<std::time_t> since_;  // when it began
  SessionWriter writer_;
};

}  // namespace headscope
