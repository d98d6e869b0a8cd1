// A trace of a replaced token at once: what changes of the last trace's sums, not all products again.
#pragma once

#include <memory>

#include "core/attention/trace.h"
#include "core/backend/backend.h"
#include "core/base/cancel.h"

namespace headscope {

// Tokens that may be replaced at a time.
constexpr std::int64_t kMostReplaced = 4;

// The trace of `request`, whose `inputs` are loaded, from `last`, a trace that was computed exactly; null when it is
// not there or when one of these does not hold:
//   the requests differ in the phrase alone, which has as many tokens, 1 ... kMostReplaced of them others;
//   self-attention of a phrase by one layer of its own, of the same weights, each token its own vector;
//   `backend` is the cpu backend and has made `last`, which keeps its weights;
//   no number is edited, no head held or multiplied, nothing painted;
//   softmax over keys, as can_update() (replaced_positions.h) has it, no mask file, no uniform rows without keys;
//   every number that takes part is finite;
//   forward() would make `least_products` multiplications or more: below that it is there as soon.
// Row maxima may lie above the largest score when that went away; sums belong to them.
// Query, key, value and all that comes before them are exact, as are the scores. Row sums, weights, context, concat and
// output lie within 1e-5 of those of forward(), relative to the largest number of their row: every preview begins from
// an exact trace, so that errors do not add up. Stages but for the context are computed when read. Throws Cancelled.
std::shared_ptr<const Trace> preview_of(const std::shared_ptr<const Trace>& last, const Request& request,
                                        const std::shared_ptr<const Inputs>& inputs,
                                        const std::shared_ptr<const Backend>& backend, double least_products,
                                        const CancelToken& cancel);

}  // namespace headscope
