// The middle of attention, raw_scores ... context, in the three ways that a trace holds it. Internal to core/attention.
#pragma once

#include <memory>

#include "core/attention/trace_builder.h"
#include "core/backend/backend.h"
#include "core/backend/score_rule.h"

namespace headscope {

// Each adds its stages to the trace and returns the context [batch, heads, query_len, value_head_dim].

// Weights and context in one pass of the backend, only for the rows that cannot be reused from the last trace; scores
// are computed when read.
Tensor attention_in_one_pass(TraceBuilder& builder, const Heads& heads, const ScoreRule& rule,
                             const std::shared_ptr<const Backend>& backend);

// For huge scores: no tensor of their size is kept; weights and context are computed when read, too.
Tensor attention_on_demand(TraceBuilder& builder, const Heads& heads, const ScoreRule& rule,
                           const std::shared_ptr<const Backend>& backend);

// Stage after stage, all kept: for the known mistakes that no backend computes in one pass, and for scores and weights
// that are those of another run.
Tensor attention_step_by_step(TraceBuilder& builder, const Heads& heads, const ScoreRule& rule,
                              const std::shared_ptr<const Backend>& backend);

}  // namespace headscope
