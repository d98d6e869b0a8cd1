// What the export dialog offers of a view, and what it calls its subjects.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "app/session/export/export_job.h"
#include "app/session/export/export_parts.h"
#include "app/session/main_view.h"
#include "core/attention/model_trace.h"

namespace headscope {

namespace {

// How exports of a view differ from those of the others.
struct ViewExports {
  MainView view;
  std::vector<ExportSubject> subjects = {};  // that no other view offers; the first is the usual one there
  // Its two results: titles in the dialog, endings of file names.
  const char *first = "A", *second = "B", *difference = "A \u2212 B";
  const char *first_ending = ".a", *second_ending = ".b";
};

const ViewExports& exports_of(MainView view) {
  static const ViewExports usual{.view = MainView::layer};
  static const ViewExports others[] = {
      {.view = MainView::bug_lab,
       .first = "Right",
       .second = "Wrong",
       .difference = "Wrong \u2212 right",
       .first_ending = ".right",
       .second_ending = ".wrong"},
      {.view = MainView::sensitivity, .subjects = {ExportSubject::sensitivity}},
      {.view = MainView::text, .subjects = {ExportSubject::text}},
      {.view = MainView::lens, .subjects = {ExportSubject::lens, ExportSubject::attribution}},
      {.view = MainView::sweep, .subjects = {ExportSubject::sweep}},
      {.view = MainView::gradients, .subjects = {ExportSubject::gradients}},
      {.view = MainView::score, .subjects = {ExportSubject::score}},
      {.view = MainView::circuits, .subjects = {ExportSubject::composition}},
      {.view = MainView::scatter, .subjects = {ExportSubject::scatter}},
      {.view = MainView::corpus, .subjects = {ExportSubject::corpus}},
  };
  for (const ViewExports& row : others) {
    if (row.view == view) return row;
  }
  return usual;
}

}  // namespace

std::string ending_of_result(ExportSubject subject, MainView view) {
  const ViewExports& exports = exports_of(view);
  return subject == ExportSubject::first    ? exports.first_ending
         : subject == ExportSubject::second ? exports.second_ending
                                            : ".difference";
}

std::vector<ExportSubject> subjects_of(const ViewState& view, bool two) {
  std::vector<ExportSubject> subjects;
  subjects.reserve(16);  // all of them
  subjects.push_back(ExportSubject::window);
  if (two) {
    subjects.insert(subjects.end(), {ExportSubject::first, ExportSubject::second, ExportSubject::difference});
  }
  for (const ExportSubject own : exports_of(view.main_view).subjects) {
    const bool named = (own != ExportSubject::attribution || !view.lens.tokens.empty()) &&
                       (own != ExportSubject::corpus || !view.corpus.file.empty());
    if (named) subjects.push_back(own);
  }
  subjects.insert(subjects.end(), {ExportSubject::head, ExportSubject::heads, ExportSubject::stage,
                                   ExportSubject::concat, ExportSubject::arcs, ExportSubject::neurons});
  if (view.cell && view.cell->row >= 0 && view.cell->column >= 0) subjects.push_back(ExportSubject::explanation);
  subjects.push_back(ExportSubject::session);
  return subjects;
}

ExportSubject usual_subject(const ViewState& view, bool two) {
  if (two) return ExportSubject::difference;
  const std::vector<ExportSubject>& own = exports_of(view.main_view).subjects;
  const bool shows_none = view.main_view == MainView::corpus && view.corpus.file.empty();
  if (!own.empty() && !shows_none) return own.front();
  if (!is_score_like(view.stage)) return ExportSubject::stage;
  return view.heads_show == HeadsShow::arcs      ? ExportSubject::arcs
         : view.heads_show == HeadsShow::neurons ? ExportSubject::neurons
                                                 : ExportSubject::head;
}

const char* subject_name(ExportSubject subject) {
  constexpr const char* kNames[] = {"window",  "first",       "second",      "difference", "sensitivity", "head",
                                    "heads",   "stage",       "concat",      "arcs",       "neurons",     "text",
                                    "lens",    "attribution", "sweep",       "gradients",  "score",       "composition",
                                    "scatter", "corpus",      "explanation", "session"};
  return kNames[static_cast<std::size_t>(subject)];
}

std::string subject_title(ExportSubject subject, const ViewState& view) {
  switch (subject) {
    case ExportSubject::window:
      return "Window";
    case ExportSubject::first:
      return exports_of(view.main_view).first;
    case ExportSubject::second:
      return exports_of(view.main_view).second;
    case ExportSubject::difference:
      return exports_of(view.main_view).difference;
    case ExportSubject::sensitivity:
      return "Sensitivity";
    case ExportSubject::head:
      return fmt::format("Head {}", view.head);
    case ExportSubject::heads:
      return "All heads";
    case ExportSubject::stage:
      return "Stage";
    case ExportSubject::concat:
      return view.concat_shows == ConcatShows::output ? "Output" : "Concat";
    case ExportSubject::arcs:
      return "Lines";
    case ExportSubject::neurons:
      return "Neurons";
    case ExportSubject::text:
      return "Text";
    case ExportSubject::lens:
      return "Logit lens";
    case ExportSubject::attribution:
      return view.lens.loss ? "Who made the loss" : "Who made the logit";
    case ExportSubject::sweep:
      return "Sweep";
    case ExportSubject::gradients:
      return "Gradients";
    case ExportSubject::score:
      return "Who wrote the score";
    case ExportSubject::composition:
      return "Composition";
    case ExportSubject::scatter:
      return "Queries and keys";
    case ExportSubject::corpus:
      return "Heads";
    case ExportSubject::explanation:
      return "Explanation";
    case ExportSubject::session:
      return "Session";
  }
  return "";
}

std::string subject_fact(ExportSubject subject, const Trace& trace, const ViewState& view, int window_width,
                         int window_height) {
  const auto extent = [&](StageId stage) {
    const Stage* found = trace.find(stage);
    if (found == nullptr) return std::string("not in this request");
    const Shape& shape = found->tensor.shape();
    return fmt::format("{} × {}", shape[shape.count - 2], shape[shape.count - 1]);
  };
  switch (subject) {
    case ExportSubject::window:
      return fmt::format("{} × {}", window_width, window_height);
    case ExportSubject::first:
    case ExportSubject::second:
      return extent(view.stage);
    case ExportSubject::difference:
      return std::string(stage_name(view.stage));
    case ExportSubject::sensitivity:
      return fmt::format("head {}", view.head);
    case ExportSubject::head:
      return extent(view.quantity);
    case ExportSubject::heads:
      return fmt::format("{} maps", trace.num_heads());
    case ExportSubject::stage:
      return std::string(stage_name(view.stage));
    case ExportSubject::concat:
      return extent(view.concat_shows == ConcatShows::output ? StageId::output : StageId::concat);
    case ExportSubject::arcs:
      return "query to key";
    case ExportSubject::neurons:
      return fmt::format("head {}", view.head);
    case ExportSubject::text:
      return view.text.along == TextAlong::row ? "a query's keys" : "a key's queries";
    case ExportSubject::lens:
      return view.lens.of == LensOf::layers      ? "after every layer"
             : view.lens.of == LensOf::attention ? "after every attention"
                                                 : "of every head alone";
    case ExportSubject::attribution:
      return std::string(attribution_by_name(view.lens.by));
    case ExportSubject::sweep:
      return kSweepPatchNames[static_cast<std::size_t>(view.sweep.patch)];
    case ExportSubject::gradients:
      return "a line a head";
    case ExportSubject::score:
      return std::string(attribution_by_name(view.score.by));
    case ExportSubject::composition:
      return kCompositionNames[static_cast<std::size_t>(view.circuits.reads)];
    case ExportSubject::scatter:
      return fmt::format("head {}", view.head);
    case ExportSubject::corpus:
      return "of the corpus";
    case ExportSubject::explanation:
      return fmt::format("{}, {}", view.cell->row, view.cell->column);
    case ExportSubject::session:
      return "the request";
  }
  return "";
}

}  // namespace headscope
