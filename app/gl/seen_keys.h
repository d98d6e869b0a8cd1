// Which keys a block of queries has to be computed for.
#pragma once

#include <cstdint>

#include "core/backend/score_rule.h"
#include "core/tensor/shape.h"

namespace headscope {

// A range of keys that holds all that some query of `rows` [batch, heads, queries] sees, when cells of all others hold
// weights that are known without them: 0, or NaN where the row's visible scores give no weights. All keys where that is
// not so: a mask that is no runs of keys, a fill that is no -inf, weights masked after the softmax, a query that sees
// nothing.
Range seen_keys(const ScoreRule& rule, const Region& rows, std::int64_t key_len);

// How many queries are computed together, so that they see about the same keys; all where every query sees all keys.
std::int64_t queries_at_once(const ScoreRule& rule, std::int64_t key_len);

// Whether a row of these statistics has weights: a row of nothing but -inf has the sum 0, and weights that are NaN.
bool gives_weights(float max, float sum);

}  // namespace headscope
