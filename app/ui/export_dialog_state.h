// What the dialogs that write files remember: choices, forecast and small picture.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/session/export/export_job.h"
#include "core/base/image.h"

namespace headscope::ui {

struct ExportDialogState {
  ExportChoice choice;
  // What is typed of the choice.
  std::string width_text, dpi_text, font_text, heads_text;
  std::string typed_problem;  // why one of them cannot be; "" when all can
  std::string previewed_problem;
  // The file of the last export, and its job.
  std::string written, written_title;
  bool resumes = false;      // true after a folder was chosen: the dialog keeps its choices
  bool name_is_ours = true;  // true: the file's name follows the choices; false: the user typed one
  // The forecast and the small picture of `previewed`; made anew when the choice or the trace changes.
  std::optional<ExportChoice> previewed;
  std::shared_ptr<const Trace> previewed_trace, previewed_against;
  std::shared_ptr<const Sweep> previewed_sweep;
  std::shared_ptr<const CorpusFigure> previewed_corpus;
  std::shared_ptr<const WeightGradients> previewed_gradients;
  ExportForecast forecast;
  Image preview;
  std::uint64_t preview_version = 0;
};

}  // namespace headscope::ui
