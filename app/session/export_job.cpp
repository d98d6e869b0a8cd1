#include "app/session/export_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "core/attention/request_text.h"
#include "core/attention/sentences.h"
#include "core/error.h"
#include "core/io/atomic_file.h"
#include "core/io/csv.h"
#include "core/io/npy.h"
#include "core/io/png.h"
#include "core/io/safetensors.h"
#include "core/io/session_file.h"
#include "core/io/tensor_blocks.h"
#include "core/picture/figure.h"
#include "core/picture/line_style.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

// The stage whose numbers a subject writes.
StageId stage_of(const ExportChoice& choice, const ViewState& view) {
  switch (choice.subject) {
    case ExportSubject::head:
    case ExportSubject::heads:
      return view.quantity;
    case ExportSubject::concat:
      return view.concat_shows == ConcatShows::output ? StageId::output : StageId::concat;
    case ExportSubject::arcs:
    case ExportSubject::neurons:
      return StageId::weights;
    default:
      return view.stage;
  }
}

// One slice as one file: a head's matrix. Everything else is a whole stage.
bool is_one_matrix(const ExportChoice& choice) {
  return choice.subject == ExportSubject::head;
}

ExportPlan plan_of(const ExportChoice& choice, const ViewState& view, const std::string& folder) {
  ExportPlan plan;
  plan.stages = {stage_of(choice, view)};
  plan.folder = folder;
  switch (choice.format) {
    case ExportFile::csv:
      plan.format = choice.csv_long ? ExportFormat::csv_long : ExportFormat::csv_matrix;
      break;
    case ExportFile::npy:
      plan.format = ExportFormat::npy;
      break;
    default:
      plan.format = ExportFormat::safetensors;
  }
  return plan;
}

// Whether the export makes a folder with a manifest rather than one file.
bool makes_folder(const ExportChoice& choice) {
  return choice.format == ExportFile::csv && !is_one_matrix(choice);
}

std::string target_of(const ExportChoice& choice) {
  return (fs::path(expanded_path(choice.folder)) / choice.file).string();
}

void write_tensor_file(const ExportChoice& choice, const Trace& trace, const ViewState& view, const CancelToken& cancel,
                       const std::function<void(double)>& progress) {
  const StageId stage = stage_of(choice, view);
  const Tensor& whole_stage = trace.tensor(stage);
  const Tensor unwatched = is_one_matrix(choice) ? matrix_at(whole_stage, view.batch, view.head) : whole_stage;
  std::int64_t done = 0;
  const Tensor tensor = watched(unwatched, [&](std::span<const float> values) {
    done += std::ssize(values);
    if (progress) progress(static_cast<double>(done) / static_cast<double>(unwatched.size()));
  });
  write_file_atomically(target_of(choice), [&](std::ostream& out) {
    switch (choice.format) {
      case ExportFile::csv:
        write_csv_matrix(out, tensor, "query\\key", trace.query_labels(), trace.key_labels(), cancel);
        break;
      case ExportFile::npy:
        write_npy(out, tensor, cancel);
        break;
      default:
        write_safetensors(out, {{std::string(stage_name(stage)), &tensor}},
                          {{"headscope", session_json(trace.request, std::nullopt)}}, cancel);
    }
  });
}

void write_picture(const ExportChoice& choice, const Trace& trace, const ViewState& view, const CancelToken& cancel,
                   const std::function<void(double)>& progress) {
  const ViewSpec spec = fitted_view(*figure_of(choice, view), trace);
  const auto recipe = choice.recipe ? recipe_of(trace, spec) : std::map<std::string, std::string>{};
  if (choice.format == ExportFile::svg) {
    const FigureSvg figure = figure_svg(trace, spec, cancel);
    write_file_atomically(target_of(choice), [&](std::ostream& out) { figure.write(out, recipe, progress); });
    return;
  }
  const PictureRows picture = figure_rows(trace, spec, cancel);
  write_file_atomically(target_of(choice),
                        [&](std::ostream& out) { write_png(out, picture, recipe, cancel, progress); });
}

// A picture's bytes by experience: labels and flat cells compress to about a tenth of a byte a pixel, plus the recipe.
std::int64_t estimated_png_bytes(std::int64_t width, std::int64_t height) {
  return 2000 + width * height / 9;
}

// Of an SVG: a line for each cell that differs from the one before it, or pixels as base64.
std::int64_t estimated_svg_bytes(const Trace& trace, const ViewSpec& spec, const FigureSize& size) {
  const Shape& shape = trace.tensor(spec.stage).shape();
  const std::int64_t slice = shape[shape.count - 2] * shape[shape.count - 1];
  if (spec.view == ViewKind::arcs) return 12000 + std::min(slice * trace.num_heads(), kMostLines) * 130;
  if (spec.view == ViewKind::neurons) return 12000 + trace.key_len() * trace.inputs->head_dim * 130;
  const std::int64_t cells = spec.view == ViewKind::heads ? slice * trace.num_heads() : slice;
  return cells <= 40000 ? 12000 + cells * 70 : estimated_png_bytes(size.width, size.height) * 4 / 3;
}

}  // namespace

std::string suggested_file(const ExportChoice& choice, const Trace& trace, const ViewState& view,
                           const std::string& title) {
  std::string stem;
  const std::string source =
      title.empty() || title == "untitled" || title == "demo" ? trace.request.phrase : fs::path(title).stem().string();
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
  switch (choice.subject) {
    case ExportSubject::window:
      stem += ".window";
      break;
    case ExportSubject::head:
      stem += fmt::format(".{}.head{}", stage_name(view.quantity), view.head);
      break;
    case ExportSubject::heads:
      stem += fmt::format(".{}.heads", stage_name(view.quantity));
      break;
    case ExportSubject::stage:
    case ExportSubject::concat:
      stem += fmt::format(".{}", stage_name(stage_of(choice, view)));
      break;
    case ExportSubject::arcs:
      stem += ".lines";
      break;
    case ExportSubject::neurons:
      stem += fmt::format(".neurons.head{}", view.head);
      break;
    case ExportSubject::session:
      break;
  }
  return makes_folder(choice) ? stem : stem + "." + ending_of(choice.format);
}

std::optional<ViewSpec> figure_of(const ExportChoice& choice, const ViewState& view) {
  if (!is_picture(choice.format) || choice.subject == ExportSubject::window) return std::nullopt;
  ViewSpec spec = view_spec_of(view);
  spec.scale = choice.scale;
  spec.theme = choice.theme;
  spec.labels = choice.labels;
  spec.color_bar = choice.color_bar;
  spec.stage = stage_of(choice, view);
  spec.colormap = is_weight_like(spec.stage) ? view.weight_map : view.signed_map;
  switch (choice.subject) {
    case ExportSubject::head:
      spec.view = ViewKind::head;
      break;
    case ExportSubject::heads:
      spec.view = ViewKind::heads;
      break;
    case ExportSubject::concat:
      spec.view = spec.stage == StageId::output ? ViewKind::stage : ViewKind::concat;
      break;
    case ExportSubject::arcs:
    case ExportSubject::neurons:
      spec.view = choice.subject == ExportSubject::arcs ? ViewKind::arcs : ViewKind::neurons;
      // Cells and range are the grid's.
      spec.range = RangeKind::automatic;
      spec.log_scale = false;
      if (view.cell && is_score_like(view.stage)) spec.token = view.cell->row;
      break;
    default:
      spec.view = ViewKind::stage;
  }
  return spec;
}

ViewSpec fitted_view(ViewSpec view, const Trace& trace) {
  if (view.view != ViewKind::arcs && view.view != ViewKind::neurons) return view;
  if (view.token && *view.token >= trace.query_len()) view.token.reset();
  if (view.heads_shown) std::erase_if(*view.heads_shown, [&](std::int64_t head) { return head >= trace.num_heads(); });
  if (view.sentences != SentencePair::all && !second_part(trace)) view.sentences = SentencePair::all;
  view.head = std::clamp<std::int64_t>(view.head, 0, std::max<std::int64_t>(trace.num_heads() - 1, 0));
  return view;
}

ExportForecast forecast_of(const ExportChoice& choice, const Trace& trace, const ViewState& view) {
  ExportForecast forecast;
  if (choice.file.empty()) {
    forecast.problem = "The file needs a name.";
  } else if (choice.file.find('/') != std::string::npos) {
    forecast.problem = "The name holds a slash; the folder has a field of its own.";
  } else if (choice.file == "." || choice.file == "..") {
    forecast.problem = "The file needs a name other than . or ..";
  }
  const bool needs_stage = choice.subject != ExportSubject::window && choice.subject != ExportSubject::session;
  if (needs_stage && trace.find(stage_of(choice, view)) == nullptr) {
    forecast.problem = fmt::format("This request has no {}.", stage_name(stage_of(choice, view)));
    return forecast;
  }
  try {
    if (const auto wanted = figure_of(choice, view)) {
      const ViewSpec spec = fitted_view(*wanted, trace);
      const FigureSize size = figure_size(trace, spec);
      forecast.width = size.width;
      forecast.height = size.height;
      forecast.bytes = choice.format == ExportFile::svg ? estimated_svg_bytes(trace, spec, size)
                                                        : estimated_png_bytes(size.width, size.height);
    } else if (choice.subject == ExportSubject::session) {
      forecast.bytes = std::ssize(session_json(trace.request, view_spec_of(view)));
      forecast.exact = true;
    } else if (needs_stage && is_one_matrix(choice)) {
      const Tensor matrix = matrix_at(trace.tensor(stage_of(choice, view)), view.batch, view.head);
      forecast.bytes = choice.format == ExportFile::csv ? matrix.size() * 11 : matrix.size() * 4 + 128;
      forecast.exact = choice.format == ExportFile::npy;
    } else if (needs_stage) {
      const auto files = planned_files(trace, plan_of(choice, view, ""));
      forecast.files = makes_folder(choice) ? static_cast<int>(files.size()) + 1 : 1;
      for (const PlannedFile& file : files) forecast.bytes += file.estimated_bytes;
      forecast.exact = choice.format != ExportFile::csv;
    }
  } catch (const UsageError& error) {
    forecast.problem = error.what();
  }
  if (forecast.problem.empty()) {
    std::error_code ignored;
    forecast.replaces = fs::exists(target_of(choice), ignored);
  }
  return forecast;
}

std::string equivalent_command(const ExportChoice& choice, const Trace& trace, const ViewState& view) {
  if (choice.subject == ExportSubject::window || choice.subject == ExportSubject::session) return "";
  if (const auto wanted = figure_of(choice, view)) {
    const auto spec = std::optional(fitted_view(*wanted, trace));
    std::string command = shell_command_of(trace.request, "headscope-cli render");
    command += fmt::format(" --view {}", view_kind_name(spec->view));
    if (spec->view == ViewKind::head || spec->view == ViewKind::neurons)
      command += fmt::format(" --head {}", spec->head);
    if (spec->token) command += fmt::format(" --token {}", *spec->token);
    if (spec->view == ViewKind::arcs) {
      if (spec->heads_shown) command += fmt::format(" --heads-shown {}", fmt::join(*spec->heads_shown, ","));
      if (spec->hide_below != ViewSpec{}.hide_below) command += fmt::format(" --hide-below {}", spec->hide_below);
      if (spec->sentences != SentencePair::all) {
        command += fmt::format(" --sentences {}", sentence_pair_name(spec->sentences));
      }
    }
    if (spec->stage != StageId::weights && spec->view != ViewKind::concat)
      command += fmt::format(" --stage {}", stage_name(spec->stage));
    if (spec->colormap) command += fmt::format(" --colormap {}", color_map_name(*spec->colormap));
    if (spec->range == RangeKind::row) command += " --range row";
    if (spec->range == RangeKind::fixed) command += fmt::format(" --range {},{}", spec->range_low, spec->range_high);
    if (spec->log_scale) command += " --log";
    if (!spec->labels) command += " --labels off";
    if (spec->theme == Theme::light) command += " --theme light";
    return command + " --out " + shell_quoted(choice.file);
  }
  const bool table = choice.csv_long && makes_folder(choice);
  const std::string part = is_one_matrix(choice) ? fmt::format(" --region {},{},:,:", view.batch, view.head) : "";
  return shell_command_of(trace.request, "headscope-cli run") +
         fmt::format(" --export {} --format {}{}{} --out DIR", stage_name(stage_of(choice, view)),
                     ending_of(choice.format), table ? " --csv long" : "", part);
}

std::string write_export(const ExportChoice& choice, const Trace& trace, const ViewState& view,
                         const CancelToken& cancel, const std::function<void(double)>& progress) {
  const std::string folder = expanded_path(choice.folder);
  if (makes_folder(choice)) {
    const auto names = export_stages(trace, plan_of(choice, view, target_of(choice)), progress, cancel);
    return fmt::format("Wrote {} files to {}", names.size(), short_path(target_of(choice)));
  }
  make_folder(folder);
  if (choice.subject == ExportSubject::session) {
    write_file_atomically(target_of(choice),
                          [&](std::ostream& out) { out << session_json(trace.request, view_spec_of(view)) << '\n'; });
  } else if (is_picture(choice.format)) {
    write_picture(choice, trace, view, cancel, progress);
  } else {
    write_tensor_file(choice, trace, view, cancel, progress);
  }
  if (progress) progress(1.0);
  std::error_code ignored;
  const auto bytes = static_cast<std::int64_t>(fs::file_size(target_of(choice), ignored));
  return fmt::format("Wrote {}, {}, to {}", choice.file, size_text(bytes), short_path(folder));
}

std::string size_text(std::int64_t bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  const auto value = static_cast<double>(bytes);
  if (bytes < 1'000'000) return fmt::format("{:.{}f} KB", value / 1e3, bytes < 10'000 ? 1 : 0);
  if (bytes < 1'000'000'000) return fmt::format("{:.1f} MB", value / 1e6);
  return fmt::format("{:.1f} GB", value / 1e9);
}

std::string short_path(const std::string& path) {
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') {
    const std::string prefix = home;
    if (path == prefix) return "~";
    if (path.size() > prefix.size() && path.compare(0, prefix.size(), prefix) == 0 && path[prefix.size()] == '/')
      return "~" + path.substr(prefix.size());
  }
  return path;
}

std::string expanded_path(const std::string& path) {
  const char* home = std::getenv("HOME");
  if (home != nullptr && (path == "~" || path.rfind("~/", 0) == 0)) return home + path.substr(1);
  return path;
}

}  // namespace headscope
