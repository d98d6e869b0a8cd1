// A capture's layers as traces: the captured stages, and those computed from them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/forward.h"
#include "core/attention/trace.h"
#include "core/backend/backend.h"
#include "core/base/cancel.h"
#include "core/model/capture.h"

namespace headscope {

// What was found out about a captured layer.
struct CaptureReport {
  std::int64_t layer = 0;
  bool weights = false, scores = false, query_key = false, value = false;  // which of its stages the file holds
  bool named_tokens = false;                                               // by the file or the list beside it
  bool causal = false;          // the file says so, or every captured weight of a later key is 0: scores are masked so
  bool says_causal = false;     // the file says whether they are
  bool mask = false;            // the file holds a mask of the layer
  bool mask_left_out = false;   // it hides cells whose captured weights are not 0, so that nothing is hidden
  std::optional<double> scale;  // of query . key, as the file says; nullopt: it does not
  std::optional<ImageGrid> grid, key_grid;  // of the image whose patches the tokens are
  std::vector<std::int64_t> other_lengths;  // numbers of layers with other numbers of queries or keys, increasing
  std::vector<std::int64_t> missing;        // numbers of layers that the file does not hold, increasing
  std::optional<RowSums> row_sums;          // of captured weights; nullopt without them
  // max |captured - computed| over all weights, when the file allows both; infinite when only one of the two is NaN;
  // else nullopt.
  std::optional<double> weights_difference;
};

// Captured weights that differ by more than this from softmax(query . key) were computed with something more: a mask or
// a bias.
constexpr double kCapturedWeightsTolerance = 1e-3;

// One warning sentence: rows that do not add up to 1, weights that do not follow from queries and keys. "" when nothing
// is wrong.
std::string capture_warning(const CaptureReport& report);

// Why `option` cannot have another value than its default in a request of this capture, as one sentence; null when it
// can.
const char* capture_lock(const CaptureReport& report, std::string_view option);

// The trace of request.layer (default: the last) of `capture`, with all layers of its lengths in Trace::model when they
// fit in options.stage_memory together, else that layer alone. Stages that were captured say "captured". Scores and
// weights are computed from captured queries and keys, or weights from captured scores, with the file's mask and scale
// and the request's mask, scale and variants; weights captured beside them are the stage captured_weights, those
// captured alone are unchanged. Without values there is no context. Throws UsageError for a layer that was not
// captured and for options that cannot be applied to captured weights, ProblemError, Cancelled.
std::shared_ptr<const Trace> capture_trace(const Request& request, const std::shared_ptr<const Capture>& capture,
                                           const std::shared_ptr<const Backend>& backend, const CancelToken& cancel,
                                           const ForwardOptions& options);

}  // namespace headscope
