#include "core/attention/computed_part.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/grouped_digits.h"
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

std::string computed_words(const Trace& trace) {
  if (const std::optional<StageId> from = computed_from(trace)) return fmt::format("from {} on", stage_name(*from));
  const bool computed =
      std::any_of(trace.stages.begin(), trace.stages.end(), [](const Stage& stage) { return stage.seconds > 0; });
  if (!computed) return "";
  const std::int64_t tokens = trace.query_len();
  const std::int64_t kept = std::min(trace.kept_positions, tokens);
  if (kept == 0) return "";
  // A shorter phrase is the beginning of what was computed before.
  if (kept == tokens) return trace.kept_queries >= tokens ? "no token new" : "Q, K, V kept";
  const std::string fresh = fmt::format("{} of {} tokens new", grouped_digits(tokens - kept), grouped_digits(tokens));
  return trace.kept_queries == kept ? fresh : "Q, K, V of " + fresh;
}

}  // namespace headscope
