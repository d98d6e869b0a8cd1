// Mistakes of attention that explain what leaves a layer, where theirs gave nothing between.
#pragma once

#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/diagnose/diagnosis.h"
#include "core/diagnose/layer_lab.h"
#include "core/diagnose/layer_on_stream.h"
#include "core/diagnose/model_diagnosis.h"
#include "core/tensor/tensor.h"

namespace headscope {

// It refers to its tensors, [batch, len, d_model] each.
struct EndOfLayer {
  const Trace& trace;        // of the layer's attention on `stream`
  const GivenStages& given;  // their stages of it
  const LayerRest& rest;
  const Tensor& stream;
  const Tensor& ours;     // what leaves the layer, or that behind the final norm
  const Tensor& drifted;  // the same of numbers that theirs may have computed with
  const Tensor& theirs;
  bool normed = false;  // behind the final norm
};

// Each mistake that alone, with the rest of the layer as ours has it, gives theirs: those of the smallest residual
// first, of equal ones in the order of all_mistakes(). `plain`: theirs compared with ours. Of a long text some rows are
// tried, and what explains them is tried on all. Empty where nothing explains it, and of a layer that the lab does not
// compute. Throws Cancelled.
std::vector<DiagnosisExplanation> explained_end(const EndOfLayer& end, const PartComparison& plain,
                                                const DiagnoseWork& work, const CancelToken& cancel);

}  // namespace headscope
