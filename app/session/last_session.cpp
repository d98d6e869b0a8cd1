#include "app/session/last_session.h"

#include <filesystem>
#include <memory>
#include <new>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>

#include "app/session/kept_file.h"
#include "app/session/session_paths.h"
#include "app/session/settings.h"
#include "app/session/state_json.h"
#include "app/session/timeline_file.h"
#include "core/export/session_file.h"
#include "core/io/atomic_file.h"
#include "core/request/same_request.h"

namespace headscope {

namespace {

// Another program may have written the session since: what the timeline calls the present is a step then.
void use_timeline(LastSession& last, KeptTimeline kept) {
  last.timeline = std::move(kept.timeline);
  if (!kept.has_now) return;
  if (!same_request(kept.now.draft, last.request)) {
    last.timeline.after.clear();
    last.timeline.before.push_back({std::make_shared<const Moment>(kept.now), false});
  }
  last.document = std::move(kept.now.document);
}

}  // namespace

LastSessionFiles last_session_files(const std::string& suffix) {
  const std::string folder = state_folder();
  if (folder.empty()) return {};
  const std::string session = folder + "/last-session" + suffix;
  return {session + ".json", folder + "/last-view" + suffix + ".json", folder + "/last-timeline" + suffix + ".jsonl",
          session + ".starts", session + ".lock"};
}

bool load_last_session(LastSession& last, std::string& notice, const std::string& suffix) {
  const LastSessionFiles files = last_session_files(suffix);
  LastSession loaded;
  const bool found = load_kept_file(
      files.session,
      [&loaded](const std::string& text) {
        const SessionFile file = parse_session(text, "the last session");
        loaded.request = file.request;
        if (file.view) apply_view_spec(loaded.view, *file.view);
      },
      notice);
  if (!found) return false;
  load_kept_file(
      files.view, [&loaded](const std::string& text) { loaded.view = parse_view_state(text); }, notice);
  load_kept_file(
      files.timeline,
      [&](const std::string& text) {
        KeptTimeline kept = read_timeline(text);
        if (kept.damaged > 0) add_sentence(notice, "Some steps of undo were damaged and are left out.");
        use_timeline(loaded, std::move(kept));
      },
      notice, 2 * kMostTimelineBytes);
  last = std::move(loaded);
  return true;
}

namespace {

// Without its steps where there is no memory for them: what is on screen is worth more.
std::string timeline_that_fits(const Moment& now, const Timeline& timeline) {
  try {
    return timeline_text(now, timeline);
  } catch (const std::bad_alloc&) {
    return timeline_text(now, {});
  }
}

}  // namespace

std::string save_last_session(const LastSession& last, const std::string& suffix) {
  const LastSessionFiles names = last_session_files(suffix);
  return save_kept_files(state_folder(), [&] {
    FilesTogether files(Replaces::own_files);
    const auto add = [&files](const std::string& path, const std::string& bytes) {
      files.add(path, [&bytes](std::ostream& out) { out << bytes; });
    };
    // The next start may be in another folder.
    const Request request = with_absolute_paths(last.request);
    add(names.timeline, timeline_that_fits({request, last.view, last.document}, last.timeline));
    add(names.view, view_state_json(last.view));
    // The theme is in the settings.
    add(names.session, session_json(request, view_spec_of(last.view, ViewSpec().theme)));
    files.commit();
  });
}

void rename_last_session(const std::string& suffix, const std::string& to) {
  const LastSessionFiles from = last_session_files(suffix), target = last_session_files(to);
  std::error_code passed_over;
  std::filesystem::rename(from.timeline, target.timeline, passed_over);
  std::filesystem::rename(from.view, target.view, passed_over);
  std::filesystem::rename(from.session, target.session, passed_over);
}

void remove_last_session(const std::string& suffix) {
  const LastSessionFiles files = last_session_files(suffix);
  std::error_code passed_over;
  for (const std::string& path : {files.session, files.view, files.timeline}) {
    std::filesystem::remove(path, passed_over);
  }
}

}  // namespace headscope
