#include "app/session/export/export_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "app/session/corpus_recipe.h"
#include "app/session/export/export_parts.h"
#include "app/session/folder_listing.h"
#include "app/session/lesson_stops.h"
#include "app/session/state_json.h"
#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/export/html_page.h"
#include "core/export/kept_arrays.h"
#include "core/export/recipe.h"
#include "core/export/session_file.h"
#include "core/io/atomic_file.h"
#include "core/io/csv.h"
#include "core/io/npy.h"
#include "core/io/png.h"
#include "core/io/safetensors.h"
#include "core/io/tensor_blocks.h"
#include "core/picture/figure/corpus_contents.h"
#include "core/picture/figure/figure.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

ExportPlan plan_of(const ExportChoice& choice, const ViewState& view, const std::string& folder) {
  ExportPlan plan;
  plan.stages = {exported_stage(choice, view)};
  plan.folder = folder;
  plan.csv_safe = choice.csv_safe;
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

std::string target_of(const ExportChoice& choice) {
  return (fs::path(expanded_path(choice.folder)) / choice.file).string();
}

void write_tensor_file(const ExportChoice& choice, const FigureSource& source, const ViewState& view,
                       const CancelToken& cancel, const std::function<void(double)>& progress) {
  const StageId stage = exported_stage(choice, view);
  const NamedMatrix one = is_one_matrix(choice) ? matrix_of(choice, source, view, cancel) : NamedMatrix();
  const Tensor unwatched = is_one_matrix(choice) ? one.values : trace_to_export(source.trace).trace.tensor(stage);
  std::int64_t done = 0;
  const Tensor tensor = watched(unwatched, [&](std::span<const float> values) {
    done += std::ssize(values);
    if (progress) progress(static_cast<double>(done) / static_cast<double>(unwatched.size()));
  });
  write_file_atomically(target_of(choice), [&](std::ostream& out) {
    switch (choice.format) {
      case ExportFile::csv:
        write_csv_matrix(out, tensor, one.corner, choice.csv_safe ? safe_texts(one.rows) : one.rows,
                         choice.csv_safe ? safe_texts(one.columns) : one.columns, cancel);
        break;
      case ExportFile::npy:
        write_npy(out, tensor, cancel);
        break;
      default:
        write_safetensors(out, {{std::string(stage_name(stage)), &tensor}},
                          {{"headscope", session_json(kept_request(source.trace), std::nullopt)}}, cancel);
    }
  });
}

// The maps of all layers that are computed, as numbers in a page.
void write_page(const ExportChoice& choice, const FigureSource& source, const ViewState& view,
                const CancelToken& cancel, const std::function<void(double)>& progress) {
  const ViewSpec spec = fitted_view(*figure_of(choice, source.trace, view), source.trace);
  const HtmlPage page = html_page(source, spec, cancel);
  const auto recipe = recipe_of(source, spec, window_of_picture(view), {.whole_model = true, .cancel = cancel});
  write_file_atomically(target_of(choice), [&](std::ostream& out) { page.write(out, recipe, progress); });
}

void write_picture(const ExportChoice& choice, const FigureSource& source, const ViewState& view,
                   const CancelToken& cancel, const std::function<void(double)>& progress) {
  const ViewSpec spec = fitted_view(*figure_of(choice, source.trace, view), source.trace);
  const std::string window =
      source.corpus != nullptr ? window_of_corpus_picture(view, source.corpus->fact) : window_of_picture(view);
  const auto recipe =
      choice.recipe ? recipe_of(source, spec, window, {.cancel = cancel}) : std::map<std::string, std::string>{};
  if (choice.format != ExportFile::png) {
    const FigureDocument figure =
        choice.format == ExportFile::pdf ? figure_pdf(source, spec, cancel) : figure_svg(source, spec, cancel);
    write_file_atomically(target_of(choice), [&](std::ostream& out) { figure.write(out, recipe, progress); });
    return;
  }
  const PictureRows picture = figure_rows(source, spec, cancel);
  write_file_atomically(target_of(choice),
                        [&](std::ostream& out) { write_png(out, picture, recipe, cancel, progress); });
}

}  // namespace

std::string file_name_problem(const std::string& name) {
  if (name.empty()) return "The file needs a name.";
  if (name.find('/') != std::string::npos) return "The name holds a slash; the folder has a field of its own.";
  if (name == "." || name == "..") return "The file needs a name other than . or ..";
  if (!is_valid_utf8(name)) return "The name is no UTF-8.";
  return "";
}

namespace {

void forecast_figure(const ExportChoice& choice, const FigureSource& source, const ViewSpec& spec,
                     ExportForecast& forecast) {
  if (choice.format == ExportFile::html) {
    forecast.bytes = static_cast<std::int64_t>(html_page(source, spec).bytes);
    return;
  }
  const FigureSize size = figure_size(source, spec);
  forecast.width = size.width;
  forecast.height = size.height;
  forecast.bytes = picture_bytes(choice, source, spec);
}

}  // namespace

ExportForecast forecast_of(const ExportChoice& choice, const ExportSource& source, const ViewState& view) {
  const Trace& trace = source.trace;
  ExportForecast forecast;
  forecast.problem = file_name_problem(choice.file);
  const bool needs_stage = choice.subject != ExportSubject::window && choice.subject != ExportSubject::session &&
                           choice.subject != ExportSubject::corpus;
  if (choice.subject == ExportSubject::corpus && source.corpus == nullptr) {
    forecast.problem = "The corpus has not been read.";
    return forecast;
  }
  if (needs_stage && trace.find(exported_stage(choice, view)) == nullptr) {
    forecast.problem = fmt::format("This request has no {}.", stage_name(exported_stage(choice, view)));
    return forecast;
  }
  const bool of_a_cell = choice.subject == ExportSubject::sensitivity || choice.subject == ExportSubject::explanation;
  if (of_a_cell && !view.cell) {
    forecast.problem = "No cell is picked that this would be about.";
    return forecast;
  }
  if (forecast.problem.empty() && is_answer_table(choice)) forecast.problem = answer_obstacle(choice, source);
  if (!forecast.problem.empty() && is_answer_table(choice)) return forecast;
  try {
    if (is_answer_table(choice)) {
      forecast.bytes = answer_bytes(choice, source, view);
    } else if (const auto wanted = figure_of(choice, trace, view)) {
      forecast_figure(choice, source, fitted_view(*wanted, trace), forecast);
    } else if (choice.subject == ExportSubject::session) {
      forecast.bytes =
          std::ssize(session_json(kept_request(trace), view_spec_of(view, choice.theme), window_json(view)));
      forecast.exact = true;
    } else if (needs_stage && is_one_matrix(choice)) {
      const std::int64_t cells = cells_of(choice, source, view);
      forecast.bytes = choice.format == ExportFile::csv ? csv_bytes(choice, source, view) : cells * 4 + 128;
      forecast.exact = choice.format == ExportFile::npy;
    } else if (needs_stage) {
      const auto files = planned_files(trace, plan_of(choice, view, ""));
      forecast.files = makes_folder(choice) ? static_cast<int>(files.size()) + 1 : 1;
      for (const PlannedFile& file : files) forecast.bytes += file.estimated_bytes;
      forecast.exact = choice.format != ExportFile::csv;
    }
  } catch (const UsageError& error) {
    forecast.problem = error.reason();  // options are the command line's
  }
  if (forecast.problem.empty()) {
    std::error_code ignored;
    forecast.replaces = fs::exists(target_of(choice), ignored);
  }
  return forecast;
}

std::string write_export(const ExportChoice& choice, const ExportSource& source, const ViewState& view,
                         const CancelToken& cancel, const std::function<void(double)>& progress) {
  const Trace& trace = source.trace;
  const std::string folder = expanded_path(choice.folder);
  if (makes_folder(choice)) {
    const auto names = export_stages(trace, plan_of(choice, view, target_of(choice)), progress, cancel);
    return fmt::format("Wrote {} files to {}", names.size(), short_path(target_of(choice)));
  }
  make_folder(folder);
  if (choice.subject == ExportSubject::session) {
    const std::string json = session_json(kept_request(trace), view_spec_of(view, choice.theme), window_json(view));
    write_file_atomically(
        target_of(choice), [&](std::ostream& out) { out << json << '\n'; }, Replaces::sessions);
  } else if (choice.format == ExportFile::html) {
    write_page(choice, source, view, cancel, progress);
  } else if (is_picture(choice.format)) {
    write_picture(choice, source, view, cancel, progress);
  } else if (is_answer_table(choice)) {
    const std::string text = answer_text(choice, source, view, cancel);
    write_file_atomically(target_of(choice), [&](std::ostream& out) { out << text; });
  } else {
    write_tensor_file(choice, source, view, cancel, progress);
  }
  if (progress) progress(1.0);
  std::error_code ignored;
  const auto bytes = static_cast<std::int64_t>(fs::file_size(target_of(choice), ignored));
  return fmt::format("Wrote {}, {}, to {}", choice.file, bytes_text(bytes), short_path(folder));
}

std::string bytes_text(std::int64_t bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  const auto value = static_cast<double>(bytes);
  if (bytes < 1'000'000) return fmt::format("{:.{}f} KB", value / 1e3, bytes < 10'000 ? 1 : 0);
  if (bytes < 1'000'000'000) return fmt::format("{:.1f} MB", value / 1e6);
  return fmt::format("{:.1f} GB", value / 1e9);
}

}  // namespace headscope
