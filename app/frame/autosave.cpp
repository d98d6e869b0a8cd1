#include "app/frame/autosave.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "app/session/timeline_file.h"
#include "core/request/same_request.h"

namespace headscope {

namespace {

LastSession last_session_of(const Session& session) {
  return {session.draft, session.view, session.document, session.timeline(kMostKeptSteps)};
}

}  // namespace

Autosave::Autosave(std::unique_ptr<Executor> executor, const std::string& suffix, std::function<void()> wake)
    : writes_session_(suffix.empty()), writer_(std::move(executor), suffix, std::move(wake)) {}

void Autosave::note_changes(const Session& session, const Settings& settings, Time now) {
  const bool session_changed = !known_ || !same_request(session.draft, session_.request) ||
                               !(session.view == session_.view) || !(session.document == session_.document);
  const bool settings_changed = !known_ || !(settings == settings_);
  if (!session_changed && !settings_changed) return;
  if (known_) {  // what a start finds is on disk already, or is the demo
    if (!session_waits_ && !settings_wait_) first_change_ = now;
    session_waits_ = session_waits_ || session_changed;
    settings_wait_ = settings_wait_ || settings_changed;
    writes_session_ = writes_session_ || session_changed;
  }
  known_ = true;
  if (session_changed) session_ = {session.draft, session.view, session.document};
  if (settings_changed) settings_ = settings;
}

double Autosave::seconds_left(Time now) const {
  if (!session_waits_ && !settings_wait_) return -1;
  return std::max(0.0, std::chrono::duration<double>(first_change_ + kLatest - now).count());
}

void Autosave::save_if_due(const Session& session, Time now) {
  if (seconds_left(now) != 0) return;
  SessionChanges changes;
  if (std::exchange(session_waits_, false)) changes.session = last_session_of(session);
  if (std::exchange(settings_wait_, false)) changes.settings = settings_;
  writer_.write_soon(std::move(changes));
}

std::string Autosave::save_now(const Session& session, const Settings& settings) {
  note_changes(session, settings, first_change_);
  session_waits_ = settings_wait_ = false;
  writer_.write_now({writes_session_ ? std::optional(last_session_of(session)) : std::nullopt, settings});
  return writer_.take_complaint();
}

}  // namespace headscope
