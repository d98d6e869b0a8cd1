// All layers of a model that were computed, and the model's final hidden vectors.
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
// not, so that shared pointers form no cycle.
struct ModelTrace {
  std::string name;                                  // of the folder, or "demo:NAME"; of a capture the file's name
  std::shared_ptr<const Checkpoint> checkpoint;      // null for a capture
  std::int64_t layer = 0;                            // the layer whose trace points here
  std::vector<std::shared_ptr<const Trace>> layers;  // [num_layers]; null where not computed (yet)
  std::vector<Tensor> streams;  // [num_layers], what enters each of `layers`, before its norm: [batch, len, d_model]
  // Of a decoder beside an encoder: [num_layers + 1], what enters each whole layer and what leaves the last, where
  // `streams` are what enters the shown half of it. Empty of other models, and while layers are missing.
  std::vector<Tensor> whole_streams;
  // Likewise [num_layers], of the half that is not shown: its traces, and what enters each of them.
  std::vector<std::shared_ptr<const Trace>> other_layers;
  std::vector<Tensor> other_streams;
  // The backend that computed the layers, which also computes predictions; null for a capture. Any thread may use it.
  std::shared_ptr<const Backend> backend;
  Tensor final_hidden;    // [batch, len, d_model], after the final norm; empty while layers are missing
  bool captured = false;  // read from a file, not computed
  std::shared_ptr<const CaptureReport> capture;  // of the shown layer (capture_trace.h); null unless captured
};

// Whether parts of the model are not computed: of a run of whole models, not yet. A capture has what it has.
bool has_more_to_come(const ModelTrace& model);

// An attention of a model, and what stands behind it before the next one: a layer, or of a decoder beside an encoder
// half of one.
struct ModelStep {
  std::shared_ptr<const Trace> attention;  // null where it was not kept; its inputs' checkpoint has the step's weights
  Tensor stream;                           // what enters it, [batch, len, d_model]
  std::int64_t layer = 0;
};

// All of them in the order of computation, of a model that was computed whole.
std::vector<ModelStep> model_steps(const ModelTrace& model);

// UsageError, which names `option`, where the model is a decoder beside an encoder: what a layer adds to the stream is
// not what the layer that is shown adds alone, so that views of the whole model would be wrong.
void check_one_stack(const std::string& option, const ModelTrace& model);

// The trace of a layer of the model that is computed, which points to all that is known of the model, as the answer to
// `request`; where that is of another layer, its `layer` becomes this one. `seconds`: what it took.
std::shared_ptr<Trace> shown_trace(const ModelTrace& model, std::int64_t layer, const Request& request, double seconds);

// The model of the inputs' checkpoint, of whose `layers` layers none is computed.
std::shared_ptr<ModelTrace> begun_model_trace(const Inputs& inputs, const std::shared_ptr<const Backend>& backend,
                                              std::size_t layers);

}  // namespace headscope
