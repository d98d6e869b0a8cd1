// The output head of a model backwards, from logits to the hidden vectors that it reads. Internal to core/gradient.
#pragma once

#include "core/attention/model_trace.h"
#include "core/base/cancel.h"
#include "core/gradient/logit_slopes.h"
#include "core/gradient/rows.h"

namespace headscope {

// The gradient by what the final norm reads, [batch * len, d_model]; `left` are its rows in double. Throws Cancelled.
GradientRows before_head(const ModelTrace& model, const LogitSlopes& slopes, const GradientRows& left,
                         ThreadPool& threads, const CancelToken& cancel);

}  // namespace headscope
