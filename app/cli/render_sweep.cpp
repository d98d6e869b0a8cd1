#include "app/cli/render_sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "app/cli/compute.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "core/base/error.h"
#include "core/picture/view_options.h"
#include "core/sweep/swept_parts.h"

namespace headscope::cli {

namespace {

bool is_sweep_word(const std::string& text) {
  return std::find(std::begin(kSweepPatchNames), std::end(kSweepPatchNames), text) != std::end(kSweepPatchNames);
}

[[noreturn]] void refuse_patch(const Arguments& given, ViewKind view) {
  throw UsageError("patch", fmt::format("found '{}' with --view {}", given.get("patch"), view_kind_name(view)),
                   view == ViewKind::sweep ? fmt::format("{}", fmt::join(kSweepPatchNames, ", "))
                                           : "[L/]STAGE[:H[,I]]@A, or --view sweep");
}

}  // namespace

Arguments without_sweep_patch(Arguments given) {
  if (!given.has("patch")) return given;
  if (is_sweep_word(given.get("patch"))) {
    given.values.erase("patch");
  } else if (given.get("view") == view_kind_name(ViewKind::sweep)) {
    refuse_patch(given, ViewKind::sweep);
  }
  return given;
}

ViewSpec with_sweep_patch(const Arguments& given, ViewSpec view) {
  const bool sweep = view.view == ViewKind::sweep;
  if (given.has("patch") && sweep != is_sweep_word(given.get("patch"))) refuse_patch(given, view.view);
  if (!sweep) return view;
  if (given.has("patch")) find_view_option("patch")->set(view, given.get("patch"));
  if (view.question.metric.empty()) {
    throw UsageError("metric", "missing; a sweep needs to know what is measured");
  }
  if (view.question.ablation && given.has("against")) {
    throw UsageError("against", "found it with --ablation, whose numbers come from no other run", "one of both");
  }
  return view;
}

Sweep swept(const Request& request, const std::optional<Request>& against, const ViewSpec& view, std::int64_t memory,
            const CancelToken& cancel) {
  const ModelQuestion& asked = view.question;
  SweepQuestion question;
  question.patched = request;
  if (against) question.source = *against;
  question.metric = asked.metric;
  question.patch = asked.patch;
  question.at = position_asked(view);
  question.ablation = asked.ablation;
  question.from = asked.from;
  question.into = asked.into;
  if (against) question.direction = asked.direction;
  check_ends(question);
  if (against && asked.direction == SweepDirection::noise) std::swap(question.patched, question.source);
  ProgressLine progress;
  progress.show("computing");
  Sweep found = sweep(engine_options(memory, true), question, cancel, [&](const Sweep& so_far, std::size_t known) {
    progress.show("patching", static_cast<double>(known) / static_cast<double>(so_far.cells.size()));
  });
  progress.erase();
  if (!found.found->notice.empty()) print_notice(found.found->notice);
  return found;
}

}  // namespace headscope::cli
