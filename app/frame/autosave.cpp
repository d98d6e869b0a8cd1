#include "app/frame/autosave.h"

namespace headscope {

void Autosave::look(const Session& session, Time now) {
  if (known_ && session.draft == seen_.request && session.view == seen_.view) return;
  waiting_ = known_;  // what a start finds is on disk already, or is the demo
  known_ = true;
  seen_ = {session.draft, session.view};
  changed_ = now;
}

double Autosave::seconds_left(Time now) const {
  if (!waiting_) return -1;
  const double left = std::chrono::duration<double>(changed_ + kRest - now).count();
  return left > 0 ? left : 0;
}

std::string Autosave::save_if_due(Time now) {
  if (!waiting_ || now < changed_ + kRest) return "";
  waiting_ = false;
  return save_last_session(seen_);
}

std::string Autosave::save_now(const Session& session) {
  waiting_ = false;
  return save_last_session({session.draft, session.view});
}

}  // namespace headscope
