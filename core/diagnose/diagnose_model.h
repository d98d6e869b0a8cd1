// Finds the first layer and stage of a whole model that another program computes wrongly from its own numbers before.
#pragma once

#include <functional>
#include <memory>

#include "core/attention/trace.h"
#include "core/backend/backend.h"
#include "core/base/cancel.h"
#include "core/diagnose/diagnosis.h"
#include "core/diagnose/model_diagnosis.h"
#include "core/diagnose/model_dump.h"

namespace headscope {

// Judges every layer of `theirs` as it follows from what enters it in theirs; where they do not give that, from what
// follows from theirs before it. Stages of attention are judged as diagnose() does, with its mistakes; of what stands
// behind attention it says what is wrong and where. A layer that differs from ours of its number and equals another of
// ours from the same input is that one: so are missing and exchanged layers found. `ours` is a run of the whole model,
// whose layers were all kept. UsageError where they were not, where the model is a decoder beside an encoder, where
// `theirs` has nothing that can be compared, and for an unknown format. `progress` gets the share done in [0, 1]; it
// may be empty. Throws Cancelled.
ModelDiagnosis diagnose_model(const Trace& ours, const ModelDump& theirs, const std::shared_ptr<const Backend>& backend,
                              const std::function<void(double)>& progress, const CancelToken& cancel,
                              const DiagnoseOptions& options = {});

}  // namespace headscope
