// The session of a window, kept between starts: draft, view and timeline.
#pragma once

#include <string>

#include "app/session/undo_list.h"

namespace headscope {

struct LastSession {
  Request request;
  ViewState view;
  DocumentIdentity document = {"last session", {}};
  Timeline timeline = {};
};

// The files of a kept session in state_folder(). `suffix` tells windows apart: "" for the first, "-2" for the second.
// With "" for the folder all are "".
struct LastSessionFiles {
  std::string session;   // last-session-2.json: what the user may open like any session
  std::string view;      // last-view-2.json
  std::string timeline;  // last-timeline-2.jsonl
  std::string starts;    // last-session-2.starts: how often it was opened in vain
  std::string lock;      // last-session-2.lock
};
LastSessionFiles last_session_files(const std::string& suffix);

// False when there is none, or when its session is malformed: it is then renamed to *.broken and named in `notice`. A
// damaged view or timeline is named there too, and what is whole of it is used.
bool load_last_session(LastSession& last, std::string& notice, const std::string& suffix = "");
// The files appear together. Never throws; a sentence when they could not be written, else "".
std::string save_last_session(const LastSession& last, const std::string& suffix = "");
// Gives the files of `suffix` the names of `to`, or removes them. What is not there is passed over.
void rename_last_session(const std::string& suffix, const std::string& to);
void remove_last_session(const std::string& suffix);

}  // namespace headscope
