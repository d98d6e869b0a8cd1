// The exports that the dialog offers: names, sizes and writing of a picture, table or tensor file of the current view.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/session/export/export_choice.h"
#include "app/session/export/export_source.h"
#include "app/session/view_state.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/export/export_stages.h"
#include "core/picture/figure/figure.h"
#include "core/picture/view_spec.h"

namespace headscope {

// The subjects that can be exported from this view. `two`: the view shows two results.
std::vector<ExportSubject> subjects_of(const ViewState& view, bool two);
// The subject in the middle of the window: the dialog opens with it.
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

// The view for draw_figure, or for html_page; nullopt for subjects and formats that are no figure.
std::optional<ViewSpec> figure_of(const ExportChoice& choice, const Trace& trace, const ViewState& view);

// The view without settings that this trace cannot have: a token beyond its queries, heads beyond its own, parts of a
// text of one part. The window keeps its state when the phrase changes.
ViewSpec fitted_view(ViewSpec view, const Trace& trace);

// The options of a figure for a paper as settings keep them, "width=85mm"; and back, without what cannot be.
std::vector<std::string> words_of_paper(const PaperSpec& paper);
PaperSpec paper_of_words(const std::vector<std::string>& words);

// What an export will write, for the dialog: sizes in bytes, exact when `exact`; pixels of a picture.
struct ExportForecast {
  int files = 1;
  std::int64_t bytes = 0;
  bool exact = false;
  int width = 0, height = 0;
  bool replaces = false;  // a file or folder of that name exists
  std::string problem;    // why it cannot be written (no name, a name with a slash, a picture too large); "" when it
                          // can
};
// Why a file cannot have this name; "" when it can.
std::string file_name_problem(const std::string& name);
// `source.against`, here and below: the other result of a difference, else null.
ExportForecast forecast_of(const ExportChoice& choice, const ExportSource& source, const ViewState& view);

// The command line that writes the same numbers or the same view (at 1x); "" for the window, the session, tables that
// only the window writes, and for differences and sweeps, whose other request would need a file.
std::string equivalent_command(const ExportChoice& choice, const Trace& trace, const ViewState& view);

// Writes the export (not the window, whose pixels the app has) and returns one sentence: "Wrote head2.png, 91 KB, to
// ~/x". Throws Error and Cancelled; no partly written file is left.
std::string write_export(const ExportChoice& choice, const ExportSource& source, const ViewState& view,
                         const CancelToken& cancel, const std::function<void(double)>& progress);

// "91 KB", "1.2 MB"; 1 KB is 1000 bytes.
std::string bytes_text(std::int64_t bytes);

}  // namespace headscope
