#include "app/session/session_writer.h"

#include <mutex>
#include <utility>

#include "app/session/kept_file.h"

namespace headscope {

struct SessionWriter::Shared {
  std::string suffix;
  std::function<void()> wake;
  std::mutex writing;  // held while files are written
  std::mutex lock;     // of what follows
  SessionChanges waiting;
  std::string complaint;

  SessionChanges take_waiting() {
    const std::lock_guard held(lock);
    return std::exchange(waiting, {});
  }

  // True when all was written.
  bool write(const SessionChanges& changes) {
    std::string refused;
    if (changes.session) refused = save_last_session(*changes.session, suffix);
    const std::string settings = changes.settings ? save_settings(*changes.settings) : "";
    if (!settings.empty()) add_sentence(refused, settings);
    if (refused.empty()) return true;
    const std::lock_guard held(lock);
    complaint = refused;
    return false;
  }
};

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
    if (!shared->write(shared->take_waiting())) shared->wake();
  });
}

void SessionWriter::write_now(const SessionChanges& changes) {
  const std::lock_guard held(shared_->writing);
  shared_->take_waiting();
  shared_->write(changes);
}

std::string SessionWriter::take_complaint() {
  const std::lock_guard held(shared_->lock);
  return std::exchange(shared_->complaint, {});
}

}  // namespace headscope
