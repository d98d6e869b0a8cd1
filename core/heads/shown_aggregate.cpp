#include "core/heads/shown_aggregate.h"

#include "core/base/assert.h"
#include "core/heads/aggregate_mask.h"
#include "core/heads/aggregate_values.h"
#include "core/heads/grouped_mask.h"
#include "core/heads/shown_rows.h"
#include "core/heads/shown_weights.h"

namespace headscope {

ShownAggregate shown_aggregate(Aggregate aggregate, const std::vector<const Trace*>& layers, std::int64_t batch,
                               const Showing& asked, const CancelToken& cancel) {
  HEADSCOPE_ASSERT(!layers.empty(), "an aggregate of no layer");
  LayersOfWeights weights;
  for (const Trace* layer : layers) {
    const Tensor all = weighted_weights(*layer, asked.weighting);
    weights.push_back(all.sliced(0, batch, batch + 1)
                          .reshaped({all.dim(1), all.dim(2), all.dim(3)}, {Axis::head, Axis::query, Axis::key}));
  }
  ShownAggregate result;
  result.matrix = aggregate_of(aggregate, weights, cancel);
  result.mask = hidden_in_aggregate(aggregate, layers, batch);
  const Trace& first = *layers.front();
  const Showing view = without_weighting(asked);
  if (!view.changes_something()) return result;
  const TokenGroups groups = token_groups(view, first);
  result.matrix = by_groups(result.matrix, groups, view);
  if (result.mask != nullptr && view.changes_tokens()) result.mask = grouped_mask(*result.mask, 0, 0, groups);
  return result;
}

}  // namespace headscope
