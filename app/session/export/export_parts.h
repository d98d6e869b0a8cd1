// The numbers that an export choice names, shared by the files of the export. Internal to app/session.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/session/export/export_choice.h"
#include "app/session/export/export_source.h"
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

// ".a", ".right", ".difference": how the file of one of two results ends.
std::string ending_of_result(ExportSubject subject, MainView view);

// ---- export_table.cpp: answers about a model, a line a number
// Whether a subject has such a table.
bool has_answer_table(ExportSubject subject);
// Whether the choice is such a table; the others are of such a choice.
bool is_answer_table(const ExportChoice& choice);
// Why there is no such answer; "" when there can be one.
std::string answer_obstacle(const ExportChoice& choice, const ExportSource& source);
// About how many bytes it will have.
std::int64_t answer_bytes(const ExportChoice& choice, const ExportSource& source, const ViewState& view);
// The bytes that answer_command() writes. Takes what `source` knows, else computes. Throws UsageError, Error and
// Cancelled.
std::string answer_text(const ExportChoice& choice, const ExportSource& source, const ViewState& view,
                        const CancelToken& cancel);
// The command line that writes the same; "" where none does.
std::string answer_command(const ExportChoice& choice, const Trace& trace, const ViewState& view);

}  // namespace headscope
