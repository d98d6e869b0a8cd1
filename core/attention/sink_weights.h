// What a head's learned sink takes of every row of its softmax. Internal to core/attention.
#pragma once

#include "core/attention/trace_builder.h"
#include "core/backend/score_rule.h"

namespace headscope {

// Adds the stage sink_weights [batch, heads, query_len] where the rule has sinks, computed when read from the trace's
// masked_scores s: exp(sink[h] - m) / (sum_j exp(s[b,h,i,j] - m) + exp(sink[h] - m)), m the largest of both, in double:
// 1 less the sum of the row's weights. 0 in heads whose weights are frozen, and in rows that are fully masked where
// their weights are made uniform.
void add_sink_weights(TraceBuilder& builder, const ScoreRule& rule);

}  // namespace headscope
