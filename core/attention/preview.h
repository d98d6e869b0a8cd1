// A fast approximate trace after a token was replaced: updates the sums of the last trace instead of computing all
// products.
#pragma once

#include <memory>

#include "core/attention/trace.h"
#include "core/backend/backend.h"
#include "core/base/cancel.h"

namespace headscope {

// The most tokens that may be replaced at a time.
constexpr std::int64_t kMostReplaced = 4;

// The trace of `request`, whose `inputs` are loaded, made from `last`, a trace that was computed exactly; null when
// `last` is null or one of these conditions does not hold:
//   the requests differ only in the phrase, which has as many tokens, of which 1 ... kMostReplaced differ;
//   it is self-attention of a phrase by a single layer with the same weights, where the vector of a token depends on
//   that token alone;
//   `backend` is the cpu backend, and it computed `last`, which has stored weights;
//   there are no edits, frozen heads, head factors or painted cells;
//   the softmax runs over keys and can_update() (replaced_positions.h) accepts the rule; no mask file; no fully masked
//   rows with uniform weights;
//   every number that takes part is finite;
//   forward() needs `least_products` multiplications or more: with fewer it is as fast as a preview.
// Row maxima may lie above the largest score when the key with the largest score was replaced; sums are relative to
// them.
// Query, key, value, all stages before them, and the scores are exact. Row sums and weights lie within 1e-5 of those of
// forward(), relative to the largest number of their row; context and concat relative to the largest value that is
// summed, and output to the largest of its numbers, for sums may cancel. Every preview starts from an exact trace, so
// that errors do not add up. All stages but the context are computed when read. Throws Cancelled.
std::shared_ptr<const Trace> preview_of(const std::shared_ptr<const Trace>& last, const Request& request,
                                        const std::shared_ptr<const Inputs>& inputs,
                                        const std::shared_ptr<const Backend>& backend, double least_products,
                                        const CancelToken& cancel);

}  // namespace headscope
