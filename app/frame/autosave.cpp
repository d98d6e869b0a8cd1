#include "app/frame/autosave.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/session/folder_listing.h"
#include "app/session/timeline_file.h"
#include "core/base/system/machine.h"
#include "core/request/same_request.h"

namespace headscope {

namespace {

LastSession last_session_of(const Session& session) {
  return {session.draft, session.view, session.document, session.timeline(kMostKeptSteps)};
}

// "14:05".
std::string clock_text(std::time_t time) {
  const std::optional<std::tm> parts = system::local_time(time);
  return parts ? fmt::format("{:02}:{:02}", parts->tm_hour, parts->tm_min) : "an unknown time";
}

std::string as_sentence(const std::string& text) {
  return text.ends_with('.') ? text : text + ".";
}

std::string advice_where(const std::string& place) {
  if (place.empty()) {
    return "No other folder that Headscope tried takes files either; make room before you close the window.";
  }
  return fmt::format("\"Save session...\" of the menu File works in {}.", short_path(place));
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
    if (!session_waits_ && !settings_wait_) due_ = now + kLatest;
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
  return std::max(0.0, std::chrono::duration<double>(due_ - now).count());
}

void Autosave::take_outcome() {
  const std::optional<SaveOutcome> outcome = writer_.take_outcome();
  if (!outcome) return;
  outcome_ = *outcome;
  session_waits_ = session_waits_ || !outcome_.session.empty();
  settings_wait_ = settings_wait_ || !outcome_.settings.empty();
}

void Autosave::save_if_due(const Session& session, Time now) {
  const bool waited = session_waits_ || settings_wait_;
  take_outcome();
  if (!waited && (session_waits_ || settings_wait_)) due_ = now + kAgain;
  if (seconds_left(now) != 0) return;
  SessionChanges changes;
  if (std::exchange(session_waits_, false)) changes.session = last_session_of(session);
  if (std::exchange(settings_wait_, false)) changes.settings = settings_;
  writer_.write_soon(std::move(changes));
}

std::optional<SaveNotice> Autosave::take_notice(std::time_t time) {
  const std::string refused = outcome_.refused();
  if (refused == told_) return std::nullopt;
  told_ = refused;
  if (refused.empty()) {
    const std::string since = clock_text(*std::exchange(since_, std::nullopt));
    return SaveNotice{false, "The session is being saved again.",
                      fmt::format("Nothing was saved from {} until {}.", since, clock_text(time))};
  }
  if (!since_) since_ = time;
  const std::string what = outcome_.session.empty() ? "Settings are not being saved" : "Nothing is being saved";
  return SaveNotice{true, fmt::format("{} since {}.", what, clock_text(*since_)),
                    fmt::format("{} It is tried again every {} seconds. {}", as_sentence(refused), kAgain.count(),
                                advice_where(outcome_.place))};
}

std::string Autosave::save_now(const Session& session, const Settings& settings) {
  note_changes(session, settings, due_);
  session_waits_ = settings_wait_ = false;
  writer_.write_now({writes_session_ ? std::optional(last_session_of(session)) : std::nullopt, settings});
  take_outcome();
  return outcome_.refused();
}

}  // namespace headscope
