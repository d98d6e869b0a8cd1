// A capture's layers as traces: what was captured, and what follows from it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/attention/forward.h"
#include "core/attention/trace.h"
#include "core/backend/backend.h"
#include "core/base/cancel.h"
#include "core/model/capture.h"

namespace headscope {

// What is to be known about a captured layer.
struct CaptureReport {
  std::int64_t layer = 0;
  bool weights = false, query_key = false, value = false;  // what the file holds of it
  bool causal = false;  // every captured weight of a later key is 0, so that computed scores have a causal mask
  std::optional<RowSums> row_sums;  // of captured weights
  // max |captured - computed| over all weights, where both are there; infinite where only one of them is NaN.
  std::optional<double> weights_difference;
};

// Captured weights further than this from softmax(query . key) were made by more than that: a mask or a bias.
constexpr double kCapturedWeightsTolerance = 1e-3;

// One sentence that warns: rows that do not add up to 1, weights that do not follow from queries and keys. "" when
// nothing is wrong.
std::string capture_warning(const CaptureReport& report);

// The trace of request.layer (default: the last) of `capture`, with all of its layers in Trace::model when they fit in
// options.stage_memory together, else that layer alone. Stages that were captured say "captured". From queries and keys
// follow scores and weights as the request's mask, scale and variants have it; weights that were captured without them
// stay as they are. Without values there is no context. Throws UsageError for a layer that was not captured and for
// options that captured weights cannot follow, ProblemError, Cancelled.
std::shared_ptr<const Trace> capture_trace(const Request& request, const std::shared_ptr<const Capture>& capture,
                                           const std::shared_ptr<const Backend>& backend, const CancelToken& cancel,
                                           const ForwardOptions& options);

}  // namespace headscope
