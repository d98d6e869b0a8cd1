#include "core/attention/weight_rows.h"

#include "core/attention/on_demand.h"

namespace headscope {

WeightRows weight_rows_of(const Trace& trace, std::int64_t batch, std::int64_t head) {
  if (trace.on_demand == nullptr || trace.row_edits != nullptr) return nullptr;
  const Stage* const weights = trace.find(StageId::weights);
  if (weights == nullptr || weights->tensor.stored()) return nullptr;
  return [cells = trace.on_demand, batch, head](Range rows, const VisitWeights& visit, const CancelToken& cancel) {
    return cells->visit_weights(batch, head, rows, visit, cancel);
  };
}

}  // namespace headscope
