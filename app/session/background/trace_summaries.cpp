// This part says what a head does, in a word and as a pattern: it follows from its metrics, which are computed once.
#include "app/session/background/trace_numbers.h"
#include "core/heads/head_metric_values.h"

namespace headscope {

const HeadSummary* TraceNumbers::summary(std::int64_t batch, std::int64_t head) {
  if (is_large(StageId::weights)) {
    const SliceNumbers::Numbers* numbers = known_numbers(StageId::weights, batch, head);
    return numbers != nullptr && numbers->summary ? &*numbers->summary : nullptr;
  }
  const Slice key = {static_cast<std::int64_t>(StageId::weights), batch, head, 0};
  const auto found = summaries_.find(key);
  if (found != summaries_.end()) return &found->second;
  if (!afford(matrix(StageId::weights, batch, head).size())) return nullptr;
  const HeadMetrics metrics = head_metrics(*trace_, batch, head);
  habits_[key] = habit_of(metrics);
  return &summaries_.emplace(key, summary_of(metrics)).first->second;
}

const HeadHabit* TraceNumbers::habit(std::int64_t batch, std::int64_t head) {
  if (summary(batch, head) == nullptr) return nullptr;
  if (is_large(StageId::weights)) return &known_numbers(StageId::weights, batch, head)->habit;
  return &habits_[{static_cast<std::int64_t>(StageId::weights), batch, head, 0}];
}

}  // namespace headscope
