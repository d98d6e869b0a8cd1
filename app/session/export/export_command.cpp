// The command line that writes what a choice writes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "app/session/export/export_job.h"
#include "app/session/export/export_parts.h"
#include "core/base/error.h"
#include "core/picture/idle_view_options.h"
#include "core/picture/view_option.h"
#include "core/picture/view_options.h"
#include "core/picture/view_reach.h"
#include "core/picture/view_spec.h"
#include "core/request/request_text.h"

namespace headscope {

namespace {

// The options of VIEW that the command line says, in its order, where they do something for the picture.
struct Said {
  const char* option;
  bool even_usual = false;  // said although it is the default
};
constexpr Said kSaid[] = {{"view", true},  {"head", true},  {"at"},       {"by"},        {"loss"},       {"lens-of"},
                          {"token"},       {"heads-shown"}, {"along"},    {"combine"},   {"hide-below"}, {"sentences"},
                          {"aggregate"},   {"stage"},       {"colormap"}, {"range"},     {"log"},        {"labels"},
                          {"theme"},       {"width"},       {"dpi"},      {"font-size"}, {"background"}, {"caption"},
                          {"recipe-line"}, {"key-labels"}};

// The heads of arcs and text are said by --heads-shown, and the stage of --view concat by the view.
bool is_said(const Said& said, const ViewOption& option, const ViewSpec& spec, bool on_page) {
  if (!said.even_usual && is_default(option, spec)) return false;
  if (!acts_on(option, spec, on_page)) return false;
  if (option.reach.as_other.has(spec.view)) return false;
  return spec.view != ViewKind::concat || std::string_view(option.name) != "stage";
}

// The picture of the heads, whose chosen ones have no option.
std::string report_command_of(const ExportChoice& choice, const CorpusView& corpus) {
  std::string command =
      fmt::format("headscope-cli report {} --format {}", shell_quoted(corpus.file), ending_of(choice.format));
  const CorpusView usual;
  for (const auto& [option, said, unsaid] :
       {std::tuple("x", &corpus.x, &usual.x), std::tuple("y", &corpus.y, &usual.y),
        std::tuple("color", &corpus.color, &usual.color), std::tuple("grid", &corpus.grid, &usual.grid)}) {
    if (*said != *unsaid) command += fmt::format(" --{} {}", option, shell_quoted(*said));
  }
  if (corpus.head) command += fmt::format(" --head {}.{}", corpus.head->row, corpus.head->column);
  if (choice.theme != Theme::dark) command += choice.theme == Theme::light ? " --theme light" : " --theme contrast";
  return command + " --out DIR";
}

}  // namespace

std::string equivalent_command(const ExportChoice& choice, const Trace& trace, const ViewState& view) {
  if (choice.subject == ExportSubject::window || choice.subject == ExportSubject::session) return "";
  if (is_answer_table(choice)) return answer_command(choice, trace, view);
  if (choice.subject == ExportSubject::difference || choice.subject == ExportSubject::sweep) return "";
  if (choice.subject == ExportSubject::corpus) return report_command_of(choice, view.corpus);
  if (const auto wanted = figure_of(choice, trace, view)) {
    const ViewSpec spec = fitted_view(*wanted, trace);
    std::string command = shell_command_of(trace.request, "headscope-cli render");
    for (const Said& said : kSaid) {
      const ViewOption& option = *find_view_option(said.option);
      if (!is_said(said, option, spec, choice.format == ExportFile::html)) continue;
      command += fmt::format(" --{}", option.name);
      if (!option.placeholder.empty()) command += ' ' + shell_quoted(option.get(spec));
    }
    return command + " --out " + shell_quoted(choice.file);
  }
  if (choice.subject == ExportSubject::sensitivity) {
    const ViewSpec spec = sensitivity_spec(trace, view);
    return shell_command_of(trace.request, "headscope-cli sensitivity") +
           fmt::format(" --stage {} --at {} --json", stage_name(spec.stage), fmt::join(spec.at, ","));
  }
  std::string words = choice.csv_long && makes_folder(choice) ? "long" : "";
  if (choice.csv_safe && choice.format == ExportFile::csv) words += words.empty() ? "safe" : ",safe";
  const Stage* const written = trace.find(exported_stage(choice, view));
  const bool of_a_head = is_one_matrix(choice) && written != nullptr && written->tensor.rank() == 4;
  const std::string part = of_a_head ? fmt::format(" --region {},{},:,:", view.batch, view.head) : "";
  return shell_command_of(trace.request, "headscope-cli run") +
         fmt::format(" --export {} --format {}{}{} --out DIR", stage_name(exported_stage(choice, view)),
                     ending_of(choice.format), words.empty() ? "" : " --csv " + words, part);
}

namespace {

constexpr const char* kPaperOptions[] = {"width",   "dpi",         "font-size", "background",
                                         "caption", "recipe-line", "key-labels"};

}  // namespace

std::vector<std::string> words_of_paper(const PaperSpec& paper) {
  ViewSpec view;
  view.paper = paper;
  std::vector<std::string> words;
  for (const char* name : kPaperOptions) {
    const ViewOption& option = *find_view_option(name);
    if (!is_default(option, view)) words.push_back(fmt::format("{}={}", name, option.get(view)));
  }
  return words;
}

PaperSpec paper_of_words(const std::vector<std::string>& words) {
  ViewSpec view;
  for (const std::string& word : words) {
    const std::size_t equals = std::min(word.find('='), word.size());
    for (const char* name : kPaperOptions) {
      if (word.substr(0, equals) != name || equals == word.size()) continue;
      try {
        find_view_option(name)->set(view, word.substr(equals + 1));
      } catch (const UsageError&) {
        continue;  // of another version
      }
    }
  }
  return view.paper;
}

}  // namespace headscope
