#include "app/session/session_writer.h"

#include <mutex>
#include <utility>

#include "app/session/kept_file.h"
#include "app/session/saving_place.h"

namespace headscope {

struct SessionWriter::Shared {
  std::string suffix;
  std::function<void()> wake;
  std::mutex writing;  // held while files are written
  std::mutex lock;     // of what follows
  SessionChanges waiting;
  SaveOutcome outcome;
  bool is_new = false;  // nobody has taken the outcome

  SessionChanges take_waiting() {
    const std::lock_guard held(lock);
    return std::exchange(waiting, {});
  }

  // True when the user is to be told: something is refused, or is no longer.
  bool write(const SessionChanges& changes) {
    SaveOutcome now;
    {
      const std::lock_guard held(lock);
      now = outcome;
    }
    const std::string before = now.refused();
    if (changes.session) now.session = save_last_session(*changes.session, suffix);
    if (changes.settings) now.settings = save_settings(*changes.settings);
    const std::string refused = now.refused();
    if (refused != before) now.place = refused.empty() ? "" : first_that_takes_files(saving_places());
    const std::lock_guard held(lock);
    outcome = std::move(now);
    is_new = true;
    return !refused.empty() || !before.empty();
  }
};

std::string SaveOutcome::refused() const {
  std::string both = session;
  if (!settings.empty() && settings != session) add_sentence(both, settings);
  return both;
}

SessionWriter::SessionWriter(std::unique_ptr<Executor> executor, std::string suffix, std::function<void()> wake)
    : shared_(std::make_shared<Shared>()), executor_(std::move(executor)) {
  shared_->suffix = std::move(suffix);
  shared_->wake = std::move(wake);
}

SessionWriter::~SessionWriter() = default;

void SessionWriter::write_soon(SessionChanges changes) {
  {
    const std::lock_guard held(shared_->lock);
    if (changes.session) shared_->waiting.session = std::move(changes.session);
    if (changes.settings) shared_->waiting.settings = std::move(changes.settings);
  }
  executor_->run([shared = shared_] {
    const std::lock_guard held(shared->writing);
    if (shared->write(shared->take_waiting())) shared->wake();
  });
}

void SessionWriter::write_now(const SessionChanges& changes) {
  const std::lock_guard held(shared_->writing);
  shared_->take_waiting();
  shared_->write(changes);
}

std::optional<SaveOutcome> SessionWriter::take_outcome() {
  const std::lock_guard held(shared_->lock);
  if (!std::exchange(shared_->is_new, false)) return std::nullopt;
  return shared_->outcome;
}

}  // namespace headscope
