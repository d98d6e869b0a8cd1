#include "app/cli/render_theirs.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "app/cli/progress_line.h"
#include "core/attention/stage_layout.h"
#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/stage_sides.h"
#include "core/diagnose/where.h"
#include "core/export/external_stages.h"
#include "core/request/stage.h"
#include "core/tensor/matrix_layout.h"

namespace headscope::cli {

std::string theirs_asked(const Arguments& given, const std::string& of_session, const ViewSpec& view) {
  if (!given.has("theirs")) return given.has("against") || view.view != ViewKind::difference ? "" : of_session;
  if (given.has("against")) {
    throw UsageError("theirs", "found together with --against, whose result would stand in its place", "one of both");
  }
  if (view.view != ViewKind::difference) {
    throw UsageError("theirs", fmt::format("found with --view {}", view_kind_name(view.view)),
                     "with --view difference");
  }
  if (!given.has("stage") && of_session.empty()) {
    throw UsageError("stage", "missing; a picture of --theirs needs to know which stage it is", "--stage output, say");
  }
  return given.get("theirs");
}

TheirsFigure read_theirs(const Arguments& given, const std::string& file, const Trace& trace, const ViewSpec& view,
                         const CancelToken& cancel) {
  if (trace.find(StageId::raw_scores) == nullptr) {
    throw UsageError("model", "a capture without queries and keys cannot be computed in another way", "both in it");
  }
  std::vector<ExternalStage> theirs = read_external_stages(trace, file, view.stage);
  const auto backend = make_cpu_backend(trace.request.threads);
  ProgressLine progress;
  Diagnosis diagnosis = diagnose(
      trace, theirs, backend, [&](double share) { progress.show("trying known mistakes", share); }, cancel);
  progress.erase();
  TheirsFigure figure;
  figure.file = file;
  figure.found = std::move(diagnosis.stages.front());
  figure.sides = stage_sides(trace, theirs.front(), figure.found, {}, backend, cancel);
  if (!figure.sides.read_as.empty()) {
    given.notice_with_result(fmt::format("theirs, {}, is read as {}", stage_name(view.stage), figure.sides.read_as));
  }
  return figure;
}

ViewSpec at_first_difference(ViewSpec view, const TheirsFigure& theirs, const Trace& trace, bool keeps_head) {
  const Where& where = theirs.found.where;
  if (where.first.count == 0) return view;
  const MatrixLayout layout = stage_layout(theirs.found.stage);
  if (!keeps_head || layout.head < 0) {
    view.batch = where.first[layout.batch];
    if (layout.head >= 0) view.head = where.first[layout.head];
    return view;
  }
  if (view.head >= theirs.sides.ours.shape()[layout.head]) return view;  // the figure says so
  for (const std::int64_t batch : where.batches) {
    if (wrong_cells(trace, theirs.found, theirs.sides, batch, view.head).count == 0) continue;
    view.batch = batch;
    break;
  }
  return view;
}

}  // namespace headscope::cli
