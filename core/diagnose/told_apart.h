// Explanations of a stage that another stage of theirs rules out.
#pragma once

#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/diagnose/diagnosis.h"

namespace headscope {

// Where several mistakes explain a stage equally well, takes away those that would change another stage of theirs which
// is equal: keys without rotary positions beside right queries are no queries without them. At least one stays.
// `theirs`: the stages of `found`, in the order and the axes in which they were judged. Throws Cancelled.
void tell_apart(const Trace& ours, const std::vector<ExternalStage>& theirs, const DiagnoseWork& work,
                const CancelToken& cancel, Diagnosis& found);

}  // namespace headscope
