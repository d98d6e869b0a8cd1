// The judgement of one stage: is it equal, where does it differ, and which mistakes make it.
#pragma once

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/diagnose/diagnosis.h"
#include "core/diagnose/layer_lab.h"

namespace headscope {

// Judges `theirs` as it follows from `given`, their stages before it. Throws Cancelled, and UsageError where no number
// format has the name of the options.
StageComparison judged_stage(const Trace& ours, const ExternalStage& theirs, const GivenStages& given,
                             const DiagnoseWork& work, const CancelToken& cancel);

}  // namespace headscope
