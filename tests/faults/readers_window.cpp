// What the window reads besides documents: settings, the last session, phrases, reports.
#include <filesystem>

#include "app/session/last_session.h"
#include "app/session/phrase_file.h"
#include "app/session/problem_report.h"
#include "app/session/settings.h"
#include "app/session/state_json.h"
#include "app/session/timeline_file.h"
#include "core/base/error.h"
#include "core/export/session_file.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/faults/readers.h"

namespace headscope::test {

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

std::string window_itself(const std::string& json) {
  return json;
}

// The folder above that of `path`: XDG's, whose "headscope" holds the file.
std::string above(const std::string& path) {
  return std::filesystem::path(path).parent_path().parent_path().string();
}

std::string read_settings(const std::string& path) {
  const Environment home("XDG_CONFIG_HOME", above(path).c_str());
  std::string notice;
  const Settings settings = load_settings(notice);
  if (!notice.empty()) throw Error(notice);
  return settings_json(settings);
}

std::string small_settings() {
  return R"({"theme":"light","ui_scale":1.5,"recent_files":["/a/b"],"window_width":900,"panels":{"request_width":300}})";
}

std::string window_text_of(const Moment& moment) {
  return session_json(moment.draft, std::nullopt) + view_state_json(moment.view) + moment.document.title + "\n";
}

std::string read_last_session(const std::string& path) {
  const Environment home("XDG_STATE_HOME", above(path).c_str());
  std::string notice;
  LastSession last;
  const bool found = load_last_session(last, notice);
  if (!notice.empty()) throw Error(notice);
  std::string text = found ? window_text_of({last.request, last.view, last.document}) : "no session";
  for (const auto* steps : {&last.timeline.before, &last.timeline.after}) {
    for (const UndoStep& step : *steps) text += window_text_of(*step.moment);
    text += "--\n";
  }
  return text;
}

std::string small_session() {
  return R"({"phrase":"a b","heads":2,"d_model":8,"view":{"head":1}})";
}

std::string small_view() {
  return R"({"head":1,"range":"fixed","low":0,"high":0.5,"viewport":[0,0,4,4],"lesson":[{"words":"w","view":{"head":0}}]})";
}

std::string small_timeline() {
  return R"({"place":"now","title":"t","session":"{\"phrase\":\"a b\",\"heads\":2,\"d_model\":8}","view":"{}"})"
         "\n"
         R"({"place":"before","opened":true,"session":"{\"phrase\":\"a\"}","view":"{\"head\":1}"})"
         "\n";
}

Files session_alone() {
  return {{"last-session.json", small_session()}};
}

// A file of XDG's folder lies in its "headscope".
constexpr const char* kSettings = "headscope/settings.json";

std::string read_report(const std::string& path) {
  const Environment home("XDG_STATE_HOME", above(path).c_str());
  for (const ReportLine& line : problem_report({})) {
    if (line.key != "last_crash") continue;
    if (line.value.starts_with(path)) throw Error(line.value);  // it says why there is none
    return line.value;
  }
  return "";
}

}  // namespace

std::vector<Reader> window_readers() {
  return {
      {.name = "settings",
       .covers = "load_settings parse_settings load_kept_file app/session/settings.cpp app/session/kept_file.cpp",
       .file = kSettings,
       .small = small_settings,
       .read = read_settings,
       .fuzz = "window_state session_files",
       .of_json = window_itself,
       .small_json = small_settings,
       .reads = "JSON"},
      {.name = "last_session",
       .covers = "load_last_session app/session/last_session.cpp",
       .file = "headscope/last-session.json",
       .small = small_session,
       .read = read_last_session,
       .fuzz = "session session_files",
       .of_json = window_itself,
       .small_json = small_session},
      {.name = "last_view",
       .covers = "load_last_session parse_view_state",
       .file = "headscope/last-view.json",
       .small = small_view,
       .read = read_last_session,
       .fuzz = "window_state session_files",
       .beside = session_alone,
       .of_json = window_itself,
       .small_json = small_view,
       .reads = "JSON"},
      {.name = "timeline",
       .covers = "load_last_session read_timeline",
       .file = "headscope/last-timeline.jsonl",
       .small = small_timeline,
       .read = read_last_session,
       .fuzz = "window_state session_files",
       .beside = session_alone,
       .reads = "empty",
       .cut_unseen = "a step a line: what is whole is used",
       .says = "Some steps of undo"},
      {.name = "phrase",
       .covers = "read_phrase_file open_phrase app/session/phrase_file.cpp read_small_file core/io/atomic_file.cpp",
       .file = "phrase.txt",
       .small = [] { return std::string("the c\xc3\xa4t sat\n"); },
       .read = read_phrase_file,
       .fuzz = "utf8 session_files",
       .reads = "JSON array SVG",
       .cut_unseen = "a text may end after any letter",
       .any_text = "a phrase may be any text"},
      {.name = "crash_report",
       .covers = "problem_report app/session/problem_report.cpp",
       .file = "headscope/last-crash.txt",
       .small = [] { return std::string("Headscope 1\nended by SIGSEGV\n"); },
       .read = read_report,
       .fuzz = "session_files",
       .reads = "all",
       .cut_unseen = "it is shown as it is",
       .any_text = "it is shown as it is",
       .may_be_missing = "nothing has crashed yet"},
  };
}

}  // namespace headscope::test
