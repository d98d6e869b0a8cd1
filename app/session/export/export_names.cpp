// What the export dialog calls its subjects and formats.
// Long because every subject has its row, its title, its fact and its file name here.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <optional>

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

// The beginning of a file's name: the title of the session, else the phrase, in small letters and digits.
std::string stem_of(const Trace& trace, const std::string& title) {
  std::string stem;
  std::filesystem::path name = std::filesystem::path(title).stem();
  if (name.extension() == ".session") name = name.stem();
  const std::string source =
      title.empty() || title == "untitled" || title == "demo" ? trace.request.phrase : name.string();
  for (const char c : source) {
    if (stem.size() >= 24) break;
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      stem += static_cast<char>(std::tolower(byte));
    } else if (!stem.empty() && stem.back() != '-') {
      stem += '-';
    }
  }
  while (!stem.empty() && stem.back() == '-') stem.pop_back();
  if (stem.empty()) stem = "headscope";
  return stem;
}

// "0-2-6"; "" for all.
std::string heads_in_name(const ExportChoice& choice) {
  std::string heads = is_picture(choice.format) && choice.heads != "all" ? choice.heads : "";
  std::replace(heads.begin(), heads.end(), ',', '-');
  return heads;
}

// Others are of a whole model, or of none.
bool is_of_a_layer(ExportSubject subject) {
  constexpr ExportSubject kOthers[] = {ExportSubject::window,      ExportSubject::session, ExportSubject::lens,
                                       ExportSubject::attribution, ExportSubject::sweep,   ExportSubject::composition,
                                       ExportSubject::corpus};
  return std::find(std::begin(kOthers), std::end(kOthers), subject) == std::end(kOthers);
}

}  // namespace

bool is_picture(ExportFile format) {
  return format == ExportFile::png || format == ExportFile::svg || format == ExportFile::pdf;
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
  constexpr const char* kNames[] = {"window", "first",       "second", "difference", "sensitivity", "head",
                                    "heads",  "stage",       "concat", "arcs",       "neurons",     "text",
                                    "lens",   "attribution", "sweep",  "score",      "composition", "scatter",
                                    "corpus", "explanation", "session"};
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

std::vector<ExportFile> formats_of(ExportSubject subject) {
  if (subject == ExportSubject::window) return {ExportFile::png};
  if (subject == ExportSubject::session) return {ExportFile::json};
  if (subject == ExportSubject::arcs) return {ExportFile::svg, ExportFile::png, ExportFile::pdf, ExportFile::html};
  if (subject == ExportSubject::neurons || subject == ExportSubject::text || subject == ExportSubject::lens ||
      subject == ExportSubject::attribution || subject == ExportSubject::sweep || subject == ExportSubject::score ||
      subject == ExportSubject::composition || subject == ExportSubject::scatter || subject == ExportSubject::corpus ||
      subject == ExportSubject::explanation) {
    return {ExportFile::svg, ExportFile::png, ExportFile::pdf};
  }
  if (subject == ExportSubject::head || subject == ExportSubject::heads) {
    return {ExportFile::png, ExportFile::svg, ExportFile::pdf,        ExportFile::html,
            ExportFile::csv, ExportFile::npy, ExportFile::safetensors};
  }
  if (subject == ExportSubject::difference || subject == ExportSubject::sensitivity) {
    return {ExportFile::png, ExportFile::svg, ExportFile::pdf, ExportFile::csv, ExportFile::npy};
  }
  return {ExportFile::png, ExportFile::svg, ExportFile::pdf, ExportFile::csv, ExportFile::npy, ExportFile::safetensors};
}

const char* ending_of(ExportFile format) {
  switch (format) {
    case ExportFile::png:
      return "png";
    case ExportFile::svg:
      return "svg";
    case ExportFile::pdf:
      return "pdf";
    case ExportFile::html:
      return "html";
    case ExportFile::csv:
      return "csv";
    case ExportFile::npy:
      return "npy";
    case ExportFile::safetensors:
      return "safetensors";
    case ExportFile::json:
      return "json";
  }
  return "";
}

std::string suggested_file(const ExportChoice& choice, const Trace& trace, const ViewState& view,
                           const std::string& title) {
  std::string stem = stem_of(trace, title);
  if (is_of_a_layer(choice.subject) && trace.model != nullptr) stem += fmt::format(".layer{}", trace.model->layer);
  switch (choice.subject) {
    case ExportSubject::window:
      stem += ".window";
      break;
    case ExportSubject::head:
      stem += fmt::format(".{}.head{}", stage_name(view.quantity), view.head);
      break;
    case ExportSubject::heads:
      stem += fmt::format(".{}.heads{}", stage_name(view.quantity), heads_in_name(choice));
      break;
    case ExportSubject::first:
    case ExportSubject::second:
    case ExportSubject::difference: {
      const ViewExports& exports = exports_of(view.main_view);
      stem += choice.subject == ExportSubject::first    ? exports.first_ending
              : choice.subject == ExportSubject::second ? exports.second_ending
                                                        : ".difference";
      stem += fmt::format(".{}", stage_name(view.stage));
      if (const Stage* stage = trace.find(view.stage); stage != nullptr && stage->tensor.rank() == 4) {
        stem += fmt::format(".head{}", view.head);
      }
      break;
    }
    case ExportSubject::sensitivity:
      stem += fmt::format(".sensitivity.{}.head{}", stage_name(view.stage), view.head);
      break;
    case ExportSubject::stage:
    case ExportSubject::concat:
      stem += fmt::format(".{}", stage_name(exported_stage(choice, view)));
      break;
    case ExportSubject::arcs:
      stem += ".lines";
      break;
    case ExportSubject::neurons:
      stem += fmt::format(".neurons.head{}", view.head);
      break;
    case ExportSubject::text:
    case ExportSubject::lens:
    case ExportSubject::attribution:
    case ExportSubject::sweep:
    case ExportSubject::score:
    case ExportSubject::composition:
    case ExportSubject::scatter:
    case ExportSubject::corpus:
      stem += fmt::format(".{}", subject_name(choice.subject));
      break;
    case ExportSubject::explanation:
      stem += fmt::format(".{}.explained", stage_name(view.stage));
      break;
    case ExportSubject::session:
      stem += ".session";
      break;
  }
  return makes_folder(choice) ? stem : stem + "." + ending_of(choice.format);
}

}  // namespace headscope
