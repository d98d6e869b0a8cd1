// What of the last trace a new request may use again.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/attention/trace.h"

namespace headscope {

// Whether both read the same numbers in the same way.
bool same_layer(const LayerWeights& a, const LayerWeights& b);

class Reuse {
 public:
  // Nothing.
  Reuse() = default;
  // `mask` is what `now` makes of `inputs`. `previous` may be null.
  Reuse(std::shared_ptr<const Trace> previous, const Request& now, const Inputs& inputs, const Mask& mask);

  // The stage of the last trace, when it is the same as a whole; else null.
  const Stage* unchanged(StageId stage) const;
  // The last trace; null when nothing of it is used.
  const Trace* previous() const { return previous_.get(); }

  // Rows at the front of the stage that keep their bits. Of the projections: as many positions as have the same inputs
  // under the same weights. Of weights, context and all that follows: the same queries, where each sees only keys that
  // did not change, which needs a causal or prefix mask that hides with -inf, and no `direct` merge.
  std::int64_t same_rows(StageId stage) const;
  std::int64_t same_positions() const { return same_positions_; }
  std::int64_t same_queries() const { return same_queries_; }

 private:
  std::shared_ptr<const Trace> previous_;
  std::vector<StageId> changed_;    // as they are
  std::vector<StageId> otherwise_;  // if the tokens were the same
  std::int64_t same_positions_ = 0, same_queries_ = 0;
};

}  // namespace headscope
