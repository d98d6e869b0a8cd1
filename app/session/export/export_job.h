// What the export dialog offers: one picture, table or tensor file of what is on screen, named, measured, written.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/session/view_state.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/export/export_stages.h"
#include "core/picture/figure.h"
#include "core/picture/view_spec.h"

namespace headscope {

// first, second, difference: of a view that holds two results beside each other (A and B, right and wrong).
enum class ExportSubject {
  window,
  first,
  second,
  difference,
  sensitivity,
  head,
  heads,
  stage,
  concat,
  arcs,
  neurons,
  session
};
enum class ExportFile { png, svg, csv, npy, safetensors, json };

struct ExportChoice {
  ExportSubject subject = ExportSubject::head;
  ExportFile format = ExportFile::png;
  double scale = 2;  // pictures
  Theme theme = Theme::dark;
  bool labels = true, color_bar = true, recipe = true;
  bool csv_long = false;  // csv: one table instead of one matrix a slice
  std::string folder;
  std::string file;  // a file name; of several files the name of the folder that holds them
  friend bool operator==(const ExportChoice&, const ExportChoice&) = default;
};

// What can be exported of what is on screen. `two`: the view that is shown holds two results.
std::vector<ExportSubject> subjects_of(const ViewState& view, bool two);
// The one that is on screen in the middle of the window: what the dialog opens with.
ExportSubject usual_subject(const ViewState& view, bool two);
// "window", "head", ...: its name in the interface.
const char* subject_name(ExportSubject subject);

// "Head 2", "Stage", ... and the dim fact beside it: "12 × 12", "8 maps", "weights".
std::string subject_title(ExportSubject subject, const ViewState& view);
std::string subject_fact(ExportSubject subject, const Trace& trace, const ViewState& view, int window_width,
                         int window_height);

// The formats that a subject can be written as, the first being its default: a window is only a picture.
std::vector<ExportFile> formats_of(ExportSubject subject);
bool is_picture(ExportFile format);  // png, svg
// "png", ..., "json": the file ending and the word on the segment.
const char* ending_of(ExportFile format);

// "hola-mi-nombre.weights.head2.png": from the document's title or the first words, letters and digits kept.
std::string suggested_file(const ExportChoice& choice, const Trace& trace, const ViewState& view,
                           const std::string& title);

// The view that draw_figure gets; nothing for subjects that are no figure.
std::optional<ViewSpec> figure_of(const ExportChoice& choice, const Trace& trace, const ViewState& view);

// The view without what this trace does not have: a token beyond its queries, heads beyond its own, parts of a text of
// one part. The state of the window outlives the phrase that it was made for.
ViewSpec fitted_view(ViewSpec view, const Trace& trace);

// What will be written, for the dialog: sizes in bytes, exact where `exact`; pixels of a picture.
struct ExportForecast {
  int files = 1;
  std::int64_t bytes = 0;
  bool exact = false;
  int width = 0, height = 0;
  bool replaces = false;  // a file or folder of that name is there
  std::string problem;    // why it cannot be written: no name, a name with a slash, a picture too large
};
// Why a file cannot have this name; "" when it can.
std::string file_name_problem(const std::string& name);
// `source.against` is the other result of a difference, here and below; else null.
ExportForecast forecast_of(const ExportChoice& choice, const FigureSource& source, const ViewState& view);

// The same numbers or the same view from the command line, which draws at 1x; "" for the window, the session, and a
// difference, whose other request would need a file.
std::string equivalent_command(const ExportChoice& choice, const Trace& trace, const ViewState& view);

// Writes it (not the window: the app holds its pixels) and returns one sentence: "Wrote head2.png, 91 KB, to ~/x".
// Throws Error and Cancelled; nothing half-written is left.
std::string write_export(const ExportChoice& choice, const FigureSource& source, const ViewState& view,
                         const CancelToken& cancel, const std::function<void(double)>& progress);

// "91 KB", "1.2 MB"; 1 KB is 1000 bytes.
std::string size_text(std::int64_t bytes);

}  // namespace headscope
