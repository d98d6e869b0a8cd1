// What the files of an export share: which numbers a choice speaks of. Internal to app/session.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/session/export/export_job.h"

namespace headscope {

// The stage whose numbers a subject writes.
StageId exported_stage(const ExportChoice& choice, const ViewState& view);

// One slice as one file: a head's matrix, or what a view shows of one. Everything else is a whole stage.
bool is_one_matrix(const ExportChoice& choice);

// Whether the export makes a folder with a manifest rather than one file.
bool makes_folder(const ExportChoice& choice);

// The derivatives of the cell that the view has picked; `at` stays empty where it has none.
ViewSpec sensitivity_spec(const Trace& trace, const ViewState& view);

// A matrix with what stands along its sides.
struct NamedMatrix {
  Tensor values;
  std::string corner;
  std::vector<std::string> rows, columns;
};

// What is_one_matrix() subjects write. Throws UsageError where there is none, and Cancelled.
NamedMatrix matrix_of(const ExportChoice& choice, const FigureSource& source, const ViewState& view,
                      const CancelToken& cancel);

// How many numbers that has. Throws UsageError.
std::int64_t cells_of(const ExportChoice& choice, const FigureSource& source, const ViewState& view);

}  // namespace headscope
