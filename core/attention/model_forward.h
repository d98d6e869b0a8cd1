// Computes all layers of a checkpoint up to the one that is shown, or all; each is one forward().
#pragma once

#include <memory>

#include "core/attention/model_options.h"
#include "core/attention/model_trace.h"
#include "core/backend/backend.h"
#include "core/base/cancel.h"

namespace headscope {

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
  // The same of a model that is one stack of layers.
  std::shared_ptr<const Trace> run_stack(const Request& request, const std::shared_ptr<const Inputs>& inputs,
                                         const std::shared_ptr<const Backend>& backend, const CancelToken& cancel,
                                         const ModelOptions& options);

  struct State;
  std::unique_ptr<State> state_;
  std::unique_ptr<ModelForward> encoder_;  // of a model with a decoder, once it was needed
};

}  // namespace headscope
