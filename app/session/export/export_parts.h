// The numbers that an export choice names, shared by the files of the export. Internal to app/session.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/session/export/export_choice.h"
#include "app/session/view_state.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/picture/figure/figure.h"
#include "core/picture/view_spec.h"

namespace headscope {

// The stage whose numbers a subject writes.
StageId exported_stage(const ExportChoice& choice, const ViewState& view);

// Whether the choice writes one matrix as one file: a head's, or one made from it. Other choices write a whole stage.
bool is_one_matrix(const ExportChoice& choice);

// Whether the export makes a folder with a manifest rather than one file.
bool makes_folder(const ExportChoice& choice);

// The sensitivity view of the cell that `view` has picked; `at` stays empty when there is none.
ViewSpec sensitivity_spec(const Trace& trace, const ViewState& view);

// The explanation of that cell.
ViewSpec explanation_spec(const Trace& trace, const ViewState& view);

// A matrix with the names along its sides.
struct NamedMatrix {
  Tensor values;
  std::string corner;
  std::vector<std::string> rows, columns;
};

// The matrix of an is_one_matrix() choice. Throws UsageError when there is none, and Cancelled.
NamedMatrix matrix_of(const ExportChoice& choice, const FigureSource& source, const ViewState& view,
                      const CancelToken& cancel);

// The number of cells of that matrix. Throws UsageError.
std::int64_t cells_of(const ExportChoice& choice, const FigureSource& source, const ViewState& view);

// How many bytes the file of a picture will have, recipe included: its own, or of larger ones a guess from some of its
// rows. And of the CSV of an is_one_matrix() choice, from some of its numbers. Both throw UsageError.
std::int64_t picture_bytes(const ExportChoice& choice, const FigureSource& source, const ViewSpec& spec);
std::int64_t csv_bytes(const ExportChoice& choice, const FigureSource& source, const ViewState& view);

}  // namespace headscope
