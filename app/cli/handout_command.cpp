#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/compute.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/recipe_words.h"
#include "app/cli/request_arguments.h"
#include "app/session/lesson_handout.h"
#include "app/session/session_paths.h"
#include "app/session/state_json.h"
#include "core/base/error.h"
#include "core/base/file_name.h"
#include "core/handout/handout_file.h"
#include "core/picture/text/text_fonts.h"

namespace headscope::cli {

namespace {

HandoutFile target_of(const Arguments& given) {
  HandoutFile target{given.get("out"), false, {}};
  if (target.path.empty()) {
    throw UsageError("out", given.has("out") ? "found ''" : "missing", "--out FILE.pdf or FILE.html");
  }
  const std::string name = std::filesystem::path(target.path).filename().string();
  target.page = has_ending(name, ".html");
  if (!target.page && !has_ending(name, ".pdf")) {
    throw UsageError("out", fmt::format("'{}'", target.path), "a name that ends in .pdf or .html");
  }
  for (const char* option : {"paper", "stops-per-page"}) {
    if (target.page && given.has(option)) throw UsageError(option, "found with a page of HTML", "with --out FILE.pdf");
  }
  const bool letter = choice_of("paper", given.get("paper", "a4"), {"a4", "letter"}) == 1;
  target.paper.size = letter ? SheetSize::letter : SheetSize::a4;
  target.paper.stops_per_page = choice_of("stops-per-page", given.get("stops-per-page", "2"), {"1", "2"}) == 0 ? 1 : 2;
  return target;
}

// "animals" of "lessons/animals.json".
std::string title_of(const Arguments& given) {
  return given.get("title", std::filesystem::path(given.get("session")).stem().string());
}

void say_written(const HandoutFile& target, const Trace& run, const Handout& handout, int pages) {
  if (!target.page) {
    if (draws_with_built_in_font()) {
      print_notice("no font is installed: the text is drawn with the font that the program carries");
    }
    if (const std::string missing = letters_missing_in(run, handout); !missing.empty()) print_notice(missing);
  }
  print(fmt::format("written to {}: {} on {}\n", printable(target.path), counted(std::ssize(handout.stops), "stop"),
                    target.page ? "a page for a browser" : counted(pages, "page")));
}

void run_handout(const Arguments& given, const CancelToken& cancel) {
  const HandoutFile target = target_of(given);
  if (given.get("session").empty()) {
    throw UsageError(
        "session", given.has("session") ? "found ''" : "missing",
        "--session FILE, a session with a lesson: Ctrl+Shift+K in the window keeps what is shown as a stop");
  }
  SessionFile session = read_session_with_paths(given.get("session"));
  ViewState view;
  apply_window(view, session.view, session.window);
  const Handout handout = handout_of(view, title_of(given));
  if (handout.stops.empty()) {
    throw Error(
        fmt::format("{}: found no lesson; expected a session with stops: Ctrl+Shift+K in the window keeps what "
                    "is shown as one, with your words, and Ctrl+S saves them",
                    printable(given.get("session"))));
  }
  const std::int64_t memory = stage_memory_of(given);
  const Request request = given_request(given, std::move(session)).request;
  const bool whole = target.page || needs_other_layers(handout, request.layer.value_or(-1));
  const std::shared_ptr<const Trace> run = computed_trace(given, request, memory, cancel, whole);
  said_of_run(given, *run, cancel);
  ProgressLine progress;
  const auto drawn = [&](double share) { progress.show("writing " + target.path, share); };
  const int pages = write_handout(target, *run, handout, view, cancel, drawn);
  progress.erase();
  say_written(target, *run, handout, pages);
}

}  // namespace

Command handout_command() {
  CommandSpec spec;
  spec.name = "handout";
  spec.usage = "--session FILE [--title TEXT] [--paper a4|letter] --out FILE.pdf|FILE.html";
  spec.summary =
      "Writes the lesson of a session for students: every stop with its words and the map of its head, on paper or as "
      "a "
      "page with live maps.";
  spec.groups = {
      {"Handout",
       {{"session", "FILE",
         "A session (.json), or a page that this command wrote, with the stops of a lesson. All are computed anew."},
        {"title", "TEXT",
         "Stands above the first stop and at the foot of every page (default: the name of the session)."},
        {"paper", "a4|letter", "The size of the pages of a PDF (default a4)."},
        {"stops-per-page", "1|2",
         "The most stops on a page of a PDF (default 2): with 2 the words stand beside the map, and a stop that needs "
         "more room has a page of its own."},
        {"stage-memory", "MIB", "Stages of more MiB together are computed where they are read (default 1024)."},
        {"out", "FILE.pdf|FILE.html",
         "PDF: black on white, maps as shapes and words as text. HTML: one file that needs nothing else, with the "
         "words "
         "beside live maps of all heads and layers; it opens as a session, too. An existing file is replaced at "
         "once."}}}};
  spec.examples = {"headscope-cli handout --session lesson.json --out lesson.pdf",
                   "headscope-cli handout --session lesson.json --title 'Who is it?' --paper letter --stops-per-page 1 "
                   "--out lesson.pdf",
                   "headscope-cli handout --session lesson.json --out lesson.html"};
  return {spec, run_handout};
}

}  // namespace headscope::cli
