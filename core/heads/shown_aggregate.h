// Many heads as one matrix, shown as a request says.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/heads/aggregate_kind.h"
#include "core/heads/showing.h"
#include "core/request/mask.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct ShownAggregate {
  Tensor matrix;                     // rows and columns of token_groups(); empty where no column is left
  std::shared_ptr<const Mask> mask;  // its hidden cells at (0, 0); null: none
};

// aggregate_of() the weights of all heads of these layers, as they were computed, times their value norms where `view`
// says so. Only what comes of it has its pieces merged, columns hidden, the largest kept and rows divided, as a
// matrix of one head has: rollout and flow go from layer to layer over all tokens. Throws as aggregate_of() and
// shown_weights().
ShownAggregate shown_aggregate(Aggregate aggregate, const std::vector<const Trace*>& layers, std::int64_t batch,
                               const Showing& view, const CancelToken& cancel = {});

}  // namespace headscope
