// Computes all layers of a checkpoint up to the one that is shown, or all; each is one forward().
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
  std::int64_t stage_memory = 0;  // as in ForwardOptions, for the stages of all layers up to the current one together
  std::string notice;
  bool reuse = false;                 // use rows and stages of the last run again
  bool whole_model = false;           // also compute the layers above the shown one
  std::function<void()> check_files;  // throws when the checkpoint's files have changed on disk; may be empty
  // Gets the shown layer before those above it are computed; may be empty.
  std::function<void(std::shared_ptr<const Trace>)> early;
  // Gets every layer, in order, up to the shown one or all; of the result only the shown layer is kept then, and
  // nothing behind the last one is computed: for models whose traces together would fill the memory. May be empty.
  std::function<void(std::int64_t layer, const Trace&)> each_layer = {};
  // Positions before it may have no result of the last layer's MLP, and their final_hidden is then no number of the
  // model: for one who reads the others alone.
  std::int64_t final_from = 0;
};

// One per engine; only one thread uses it at a time.
class ModelForward {
 public:
  ModelForward();
  ~ModelForward();

  // Lets what is kept of the last run go.
  void forget();

  // The trace of the layer that `inputs` are for (from load_inputs of a checkpoint: their x is the input of layer 0),
  // with the other layers in Trace::model. The request's options apply to attention in every layer; interventions only
  // in the layer that they name (an edit without a layer: the shown one), so that the request of a trace in
  // ModelTrace::layers holds only the heads and edits of its own layer. Layers above the shown one whose stages would
  // exceed kDefaultMemoryLimit are computed and not kept. The bits of a row do not depend on what was computed before.
  // Throws Cancelled, BackendError.
  std::shared_ptr<const Trace> run(const Request& request, const std::shared_ptr<const Inputs>& inputs,
                                   const std::shared_ptr<const Backend>& backend, const CancelToken& cancel,
                                   const ModelOptions& options);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
