// Formats of every subject, and what its files are called.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "app/session/export/export_job.h"
#include "app/session/export/export_parts.h"
#include "core/attention/model_trace.h"

namespace headscope {
namespace {

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

// What says the same beside every layer.
bool is_of_all_layers(ExportSubject subject) {
  constexpr ExportSubject kAll[] = {ExportSubject::window,      ExportSubject::session, ExportSubject::lens,
                                    ExportSubject::attribution, ExportSubject::sweep,   ExportSubject::gradients,
                                    ExportSubject::composition, ExportSubject::corpus};
  return std::find(std::begin(kAll), std::end(kAll), subject) != std::end(kAll);
}

// ".weights.head2", ".output".
std::string stage_part(const Trace& trace, const ViewState& view) {
  const Stage* const stage = trace.find(view.stage);
  const bool of_a_head = stage != nullptr && stage->tensor.rank() == 4;
  return fmt::format(".{}{}", stage_name(view.stage), of_a_head ? fmt::format(".head{}", view.head) : "");
}

}  // namespace

bool is_picture(ExportFile format) {
  return format == ExportFile::png || format == ExportFile::svg || format == ExportFile::pdf;
}

std::vector<ExportFile> formats_of(ExportSubject subject) {
  if (subject == ExportSubject::window) return {ExportFile::png};
  if (subject == ExportSubject::session) return {ExportFile::json};
  if (subject == ExportSubject::arcs) return {ExportFile::svg, ExportFile::png, ExportFile::pdf, ExportFile::html};
  if (subject == ExportSubject::gradients) return {ExportFile::csv};
  if (subject == ExportSubject::neurons || subject == ExportSubject::text || subject == ExportSubject::corpus ||
      subject == ExportSubject::explanation) {
    return {ExportFile::svg, ExportFile::png, ExportFile::pdf};
  }
  if (has_answer_table(subject)) return {ExportFile::svg, ExportFile::png, ExportFile::pdf, ExportFile::csv};
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
  const bool of_a_layer = !is_of_all_layers(choice.subject);
  if (of_a_layer && trace.model != nullptr) stem += fmt::format(".layer{}", trace.model->layer);
  switch (choice.subject) {
    case ExportSubject::window:
      stem += ".window";
      break;
    case ExportSubject::head:
      stem += fmt::format(".{}.head{}", stage_name(view.quantity), view.head);
      break;
    case ExportSubject::heads: {
      std::string heads = is_picture(choice.format) && choice.heads != "all" ? choice.heads : "";
      std::replace(heads.begin(), heads.end(), ',', '-');  // "0-2-6"; "" for all
      stem += fmt::format(".{}.heads{}", stage_name(view.quantity), heads);
      break;
    }
    case ExportSubject::first:
    case ExportSubject::second:
    case ExportSubject::difference:
      stem += ending_of_result(choice.subject, view.main_view) + stage_part(trace, view);
      break;
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
    case ExportSubject::gradients:
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
