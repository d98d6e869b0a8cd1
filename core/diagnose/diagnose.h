// Finds out why the numbers of other code differ from ours: equal, equal within what a number format costs, explained
// by mistakes that are known, or different; where they differ; and since which stage.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/attention/trace.h"
#include "core/backend/backend.h"
#include "core/base/cancel.h"
#include "core/diagnose/diagnosis.h"
#include "core/diagnose/part_order.h"

namespace headscope {

// Compares each of `theirs` with ours as it follows from their stages before it, then makes known mistakes, up to
// kMostMistakes together, with the layer of `ours`, and keeps those that give theirs. Each tensor of `theirs` is in one
// of layout_readings(), or [len, batch, features] for three axes; else UsageError. Where several layouts fit, the one
// that is equal, or explained by fewer mistakes, is taken, our own first. UsageError too when `theirs` is
// empty or names a stage twice, or no format has that name. `progress` gets the share done in [0, 1]. Throws Cancelled.
Diagnosis diagnose(const Trace& ours, std::vector<ExternalStage> theirs, const std::shared_ptr<const Backend>& backend,
                   const std::function<void(double)>& progress, const CancelToken& cancel,
                   const DiagnoseOptions& options = {});

// Says of the stages that the order moves that they were read in it.
void mark_order(const PartOrder& order, Diagnosis& found);

}  // namespace headscope
