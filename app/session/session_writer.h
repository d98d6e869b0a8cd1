// Writes the last session and the settings on another thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/session/background/work/executor.h"
#include "app/session/last_session.h"
#include "app/session/settings.h"

namespace headscope {

// What is to be written; nullopt: it has not changed.
struct SessionChanges {
  std::optional<LastSession> session;
  std::optional<Settings> settings;
};

// Says how the last writing of each file ended.
struct SaveOutcome {
  std::string session, settings;  // why it could not be written; "" when it could
  std::string place;              // a folder that takes files; "" when none was found, or nothing is refused
  std::string refused() const;    // both sentences; "" when all is written
};

class SessionWriter {
 public:
  // `suffix`: of the session's files. `wake` is called by the writing thread when something could not be written, and
  // when it could again.
  SessionWriter(std::unique_ptr<Executor> executor, std::string suffix, std::function<void()> wake);
  // Waits for what is being written, and drops what waits.
  ~SessionWriter();
  SessionWriter(const SessionWriter&) = delete;
  SessionWriter& operator=(const SessionWriter&) = delete;

  // Writes soon; where the disk is slower than the user, the newest of each alone.
  void write_soon(SessionChanges changes);
  // Has written when it returns. What waited is older, and is dropped.
  void write_now(const SessionChanges& changes);
  // nullopt when nothing was written since the last call.
  std::optional<SaveOutcome> take_outcome();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace headscope
