#include "core/attention/computed_part.h"

#include <algorithm>

#include "core/request/model_kind.h"

namespace headscope {

std::optional<StageId> computed_from(const Trace& trace) {
  // A preview is an update of all rows; what a capture holds was computed elsewhere.
  if (trace.preview || runs_capture(trace.request)) return {};
  // Without an input (queries and keys of a file) the scores are the first that is computed.
  const StageId beginning = trace.find(StageId::input) != nullptr ? StageId::input : StageId::raw_scores;
  const Stage* first = trace.find(beginning);
  if (first == nullptr || first->seconds > 0) return {};
  const auto computed =
      std::find_if(trace.stages.begin(), trace.stages.end(), [](const Stage& stage) { return stage.seconds > 0; });
  return computed == trace.stages.end() ? std::nullopt : std::optional(computed->id);
}

}  // namespace headscope
