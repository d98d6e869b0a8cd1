// The trace of one layer of a capture. Internal to core/attention.
#pragma once

#include <memory>

#include "core/attention/forward.h"
#include "core/attention/trace.h"
#include "core/backend/backend.h"
#include "core/base/cancel.h"
#include "core/model/capture.h"

namespace headscope {

// What the layers of a capture are computed with. It refers to its members.
struct CaptureRun {
  const Request& request;
  const Capture& capture;
  const std::shared_ptr<const Backend>& backend;
  const CancelToken& cancel;
  const ForwardOptions& options;
};

// Scores and weights computed from captured queries and keys; `causal`: under a causal mask. `inputs` holds the tokens
// and sizes. Throws UsageError for a head that is not there, ProblemError, Cancelled.
std::shared_ptr<Trace> computed_layer(const CaptureRun& run, const CapturedLayer& layer, Inputs inputs, bool causal);

// Captured weights unchanged, with the context computed from captured values where there are some. Throws UsageError
// for a head that is not there, or that has no context to clear; Cancelled.
std::shared_ptr<Trace> captured_layer(const CaptureRun& run, const CapturedLayer& layer, Inputs inputs);

}  // namespace headscope
