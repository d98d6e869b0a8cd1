#include "app/frame/autosave.h"

#include <utility>

namespace headscope {
namespace {

std::string both(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + " " + second;
}

}  // namespace

void Autosave::note_changes(const Session& session, const Settings& settings, Time now) {
  const bool session_changed = !known_ || session.draft != session_.request || !(session.view == session_.view);
  const bool settings_changed = !known_ || !(settings == settings_);
  if (!session_changed && !settings_changed) return;
  if (known_) {  // what a start finds is on disk already, or is the demo
    session_waits_ = session_waits_ || session_changed;
    settings_wait_ = settings_wait_ || settings_changed;
  }
  known_ = true;
  if (session_changed) session_ = {session.draft, session.view};
  if (settings_changed) settings_ = settings;
  changed_ = now;
}

double Autosave::seconds_left(Time now) const {
  if (!session_waits_ && !settings_wait_) return -1;
  const double left = std::chrono::duration<double>(changed_ + kRest - now).count();
  return left > 0 ? left : 0;
}

std::string Autosave::save_if_due(Time now) {
  if (now < changed_ + kRest) return "";
  std::string complaint;
  if (std::exchange(session_waits_, false)) complaint = save_last_session(session_);
  if (std::exchange(settings_wait_, false)) complaint = both(complaint, save_settings(settings_));
  return complaint;
}

std::string Autosave::save_now(const Session& session, const Settings& settings) {
  session_waits_ = settings_wait_ = false;
  return both(save_settings(settings), save_last_session({session.draft, session.view}));
}

}  // namespace headscope
