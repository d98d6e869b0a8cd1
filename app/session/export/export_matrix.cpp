// Which numbers an export writes.
#include <fmt/format.h>

#include <algorithm>

#include "app/session/export/export_parts.h"
#include "core/attention/stage_layout.h"
#include "core/base/error.h"
#include "core/compare/comparison.h"
#include "core/heads/shown_weights.h"

namespace headscope {

namespace {

NamedMatrix difference_of_figure(const FigureSource& source, StageId stage, const ViewState& view) {
  std::optional<MatrixDifference> found;
  if (source.against != nullptr) {
    found = difference_matrix(*source.against, source.trace, stage, view.batch,
                              slice_of_head(source.trace, stage, view.head));
  }
  if (!found) throw UsageError(fmt::format("{} of these two cannot be subtracted.", stage_name(stage)));
  return {found->matrix, csv_corner(stage), std::move(found->row_labels), std::move(found->column_labels)};
}

}  // namespace

StageId exported_stage(const ExportChoice& choice, const ViewState& view) {
  switch (choice.subject) {
    case ExportSubject::head:
    case ExportSubject::heads:
      return view.quantity;
    case ExportSubject::concat:
      return view.concat_shows == ConcatShows::output ? StageId::output : StageId::concat;
    case ExportSubject::arcs:
    case ExportSubject::neurons:
    case ExportSubject::text:
    case ExportSubject::lens:
    case ExportSubject::attribution:
    case ExportSubject::sweep:
    case ExportSubject::gradients:
    case ExportSubject::composition:
    case ExportSubject::scatter:
    case ExportSubject::corpus:
      return StageId::weights;
    default:
      return view.stage;
  }
}

bool is_one_matrix(const ExportChoice& choice) {
  return choice.subject == ExportSubject::head || choice.subject == ExportSubject::first ||
         choice.subject == ExportSubject::second || choice.subject == ExportSubject::difference ||
         choice.subject == ExportSubject::sensitivity;
}

bool makes_folder(const ExportChoice& choice) {
  return choice.format == ExportFile::csv && !is_one_matrix(choice) && !is_answer_table(choice);
}

ViewSpec sensitivity_spec(const Trace& trace, const ViewState& view) {
  ViewSpec spec = view_spec_of(view, ViewSpec().theme);
  spec.view = ViewKind::sensitivity;
  spec.stage = view.stage;
  spec.colormap = view.signed_map;
  spec.by = view.sensitivity_by;
  spec.head = view.head;
  const Stage* const stage = trace.find(view.stage);
  if (stage == nullptr || !view.cell) return spec;
  spec.at = {view.batch, view.cell->row, std::max<std::int64_t>(view.cell->column, 0)};
  if (stage->tensor.rank() == 4) spec.at.insert(spec.at.begin() + 1, slice_of_head(trace, view.stage, view.head));
  return spec;
}

ViewSpec explanation_spec(const Trace& trace, const ViewState& view) {
  ViewSpec spec = sensitivity_spec(trace, view);
  spec.view = ViewKind::explanation;
  // What they say of other views does not matter here.
  spec.by.reset();
  spec.token.reset();
  spec.heads_shown.reset();
  spec.along = ViewSpec().along;
  spec.combined = ViewSpec().combined;
  return spec;
}

NamedMatrix matrix_of(const ExportChoice& choice, const FigureSource& source, const ViewState& view,
                      const CancelToken& cancel) {
  const Trace& trace = source.trace;
  const StageId stage = exported_stage(choice, view);
  if (choice.subject == ExportSubject::difference) return difference_of_figure(source, stage, view);
  if (choice.subject == ExportSubject::sensitivity) {
    return {sensitivity_matrix(trace, sensitivity_spec(trace, view), cancel), csv_corner(StageId::weights),
            row_names_of(trace, StageId::weights), column_names_of(trace, StageId::weights)};
  }
  const TraceToExport of = trace_to_export(trace);
  const Tensor& tensor = of.trace.tensor(stage);
  const MatrixLayout layout = stage_layout(stage);
  return {slice_of(stage, tensor, view.batch, slice_of_head(trace, stage, view.head), {0, tensor.dim(layout.rows)},
                   {0, tensor.dim(layout.columns)}),
          csv_corner(stage), of.row_names(stage), of.column_names(stage)};
}

std::int64_t cells_of(const ExportChoice& choice, const FigureSource& source, const ViewState& view) {
  // Of two texts, only what stands in both is subtracted.
  if (choice.subject == ExportSubject::difference) return matrix_of(choice, source, view, {}).values.size();
  const bool derived = choice.subject == ExportSubject::sensitivity;
  const StageId stage = derived ? StageId::weights : exported_stage(choice, view);
  // Derivatives are by the computed weights.
  const TraceToExport of = derived ? TraceToExport{source.trace, nullptr} : trace_to_export(source.trace);
  const Tensor& tensor = of.trace.tensor(stage);
  const MatrixLayout layout = stage_layout(stage);
  return tensor.dim(layout.rows) * tensor.dim(layout.columns);
}

}  // namespace headscope
