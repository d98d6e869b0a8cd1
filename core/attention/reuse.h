// Which parts of the last trace a new request may use again.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/attention/trace.h"
#include "core/request/option_reach.h"

namespace headscope {

// Whether both read the same numbers in the same way.
bool same_layer(const LayerWeights& a, const LayerWeights& b);

class Reuse {
 public:
  // Nothing is used again.
  Reuse() = default;
  // `mask` is the mask of `now` on `inputs`. `previous` may be null: nothing is used again.
  Reuse(std::shared_ptr<const Trace> previous, const Request& now, const Inputs& inputs, const Mask& mask);

  // The stage of the last trace when all of it is unchanged; else null.
  const Stage* unchanged(StageId stage) const;
  // The last trace; null when nothing of it is used.
  const Trace* previous() const { return previous_.get(); }

  // Rows at the front of the stage that keep their bits. For the projections: the positions with the same inputs and
  // the same weights. For weights, context and later stages: the unchanged queries, each of which sees only unchanged
  // keys; this needs terms of the mask that look back only. Both as far as every option, variant and intervention of
  // both requests says that rows keep their numbers (core/request/option_reach.h): what says nothing is not used again.
  std::int64_t same_rows(StageId stage) const;
  std::int64_t same_positions() const { return same_positions_; }
  std::int64_t same_queries() const { return same_queries_; }

 private:
  std::shared_ptr<const Trace> previous_;
  std::vector<StageId> changed_;    // stages that differ for the requests and tokens at hand
  std::vector<StageId> otherwise_;  // stages that would differ even if the tokens were the same
  std::int64_t same_positions_ = 0, same_queries_ = 0;
  RowsApart apart_ = RowsApart::nowhere;  // how far rows keep their numbers in both requests
};

}  // namespace headscope
