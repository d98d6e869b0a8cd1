// What the export dialog calls its subjects and formats.
#include <fmt/format.h>

#include "app/session/export_job.h"

namespace headscope {

bool is_picture(ExportFile format) {
  return format == ExportFile::png || format == ExportFile::svg;
}

std::string subject_title(ExportSubject subject, const ViewState& view) {
  switch (subject) {
    case ExportSubject::window:
      return "Window";
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
    case ExportSubject::session:
      return "the request";
  }
  return "";
}

std::vector<ExportFile> formats_of(ExportSubject subject) {
  if (subject == ExportSubject::window) return {ExportFile::png};
  if (subject == ExportSubject::session) return {ExportFile::json};
  if (subject == ExportSubject::arcs || subject == ExportSubject::neurons) return {ExportFile::svg, ExportFile::png};
  return {ExportFile::png, ExportFile::svg, ExportFile::csv, ExportFile::npy, ExportFile::safetensors};
}

const char* ending_of(ExportFile format) {
  switch (format) {
    case ExportFile::png:
      return "png";
    case ExportFile::svg:
      return "svg";
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

}  // namespace headscope
