// All layers of a model that were computed, and what they give together.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct CaptureReport;

// Immutable once made, like the traces in it. The trace that is shown points here (Trace::model); those in `layers` do
// not, so that nothing goes round in a circle.
struct ModelTrace {
  std::string name;                                  // the folder's, or "demo:NAME"; of a capture the file's
  std::shared_ptr<const Checkpoint> checkpoint;      // null for a capture
  std::int64_t layer = 0;                            // whose trace points here
  std::vector<std::shared_ptr<const Trace>> layers;  // [num_layers]; null where not computed (yet)
  // What computed the layers and can compute more of them (predictions); null for a capture. Any thread may use it.
  std::shared_ptr<const Backend> backend;
  Tensor final_hidden;    // [batch, len, d_model], after the final norm; empty while layers are missing
  bool captured = false;  // read from a file, not computed
  std::shared_ptr<const CaptureReport> capture;  // of the shown layer (capture_trace.h); null unless captured
};

}  // namespace headscope
