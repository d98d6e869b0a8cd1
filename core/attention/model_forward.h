// All layers of a checkpoint up to the one that is shown, and on to the end when wanted; each is a forward() of its
// own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/attention/model_trace.h"
#include "core/backend/backend.h"
#include "core/base/cancel.h"

namespace headscope {

struct ModelOptions {
  std::int64_t stage_memory = 0;  // as ForwardOptions, of all layers up to each one together
  std::string notice;
  bool reuse = false;                 // rows and stages of the run before
  bool whole_model = false;           // the layers above the shown one, too
  std::function<void()> check_files;  // throws when the checkpoint's files are not those any more; may be empty
  // Gets the shown layer before those above it are computed; may be empty.
  std::function<void(std::shared_ptr<const Trace>)> early;
};

// One per engine; only one thread uses it at a time.
class ModelForward {
 public:
  ModelForward();
  ~ModelForward();

  // The trace of the layer that `inputs` are for (load_inputs of a checkpoint: its x is what enters layer 0), with the
  // others in Trace::model. In every layer the request's own options apply to attention; interventions only where
  // they name the layer (an edit that names none: the shown one), so that the request of a trace in ModelTrace::layers
  // holds its own layer, heads and edits. Layers above the
  // shown one whose stages would pass kDefaultMemoryLimit are computed and not kept. A row of any layer has the same
  // bits whatever was computed before. Throws Cancelled, BackendError.
  std::shared_ptr<const Trace> run(const Request& request, const std::shared_ptr<const Inputs>& inputs,
                                   const std::shared_ptr<const Backend>& backend, const CancelToken& cancel,
                                   const ModelOptions& options);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
