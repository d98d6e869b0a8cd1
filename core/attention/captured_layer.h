// The trace of one layer of a capture. Internal to core/attention.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

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

// Each takes `inputs` with the tokens, sizes and the captured mask (own_mask, mask_files), and throws UsageError for a
// head that is not there, or that has no context to clear; ProblemError, Cancelled. Captured weights beside the
// computed ones become the stage captured_weights.

// Scores and weights computed from captured queries and keys.
std::shared_ptr<Trace> computed_layer(const CaptureRun& run, const CapturedLayer& layer, Inputs inputs);

// Weights computed from captured scores. Throws UsageError for options that need queries and keys.
std::shared_ptr<Trace> scored_layer(const CaptureRun& run, const CapturedLayer& layer, Inputs inputs);

// Captured weights unchanged, with the context computed from captured values where there are some. A mask
// that hides a cell whose captured weight is not 0 is not theirs: then nothing is hidden.
std::shared_ptr<Trace> captured_layer(const CaptureRun& run, const CapturedLayer& layer, Inputs inputs);

// What a captured stage says of its making.
constexpr const char* kCapturedOperation = "captured";

// Whether the option changes scores or what becomes of them.
bool changes_weights(std::string_view option);

// The heads of this layer that are to be cleared. UsageError as above.
std::vector<LayerHead> ablated_in_layer(const CaptureRun& run, const CapturedLayer& layer, const Inputs& inputs);

// The mask of the inputs and of `request`, with the rows that it hides whole.
void put_mask(Trace& trace, const Inputs& inputs, const Request& request);

// Adds context and concat of these weights and the captured values (Trace::inputs).
void add_context(const CaptureRun& run, Trace& trace, const Tensor& weights, const std::vector<LayerHead>& ablated);

}  // namespace headscope
