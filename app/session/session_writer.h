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

class SessionWriter {
 public:
  // `suffix`: of the session's files. `wake` is called by the writing thread when something could not be written.
  SessionWriter(std::unique_ptr<Executor> executor, std::string suffix, std::function<void()> wake);
  // Waits for what is being written, and drops what waits.
  ~SessionWriter();
  SessionWriter(const SessionWriter&) = delete;
  SessionWriter& operator=(const SessionWriter&) = delete;

  // Writes soon; where the disk is slower than the user, the newest of each alone.
  void write_soon(SessionChanges changes);
  // Has written when it returns. What waited is older, and is dropped.
  void write_now(const SessionChanges& changes);
  // A sentence when something could not be written since the last call, else "".
  std::string take_complaint();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace headscope
