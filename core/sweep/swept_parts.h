// Which cells a sweep has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/sweep/sweep_cells.h"
#include "core/sweep/sweep_patch.h"

namespace headscope {

// The stages of SweepPatch::stages of a model: kSweepStages, attention_norm_out where what attention gives is normed,
// and kMlpPatch where there is an MLP; for a mean only those that have one.
std::vector<std::string> sweep_stages(const Trace& trace, const std::optional<Ablation>& ablation);

// UsageError for SweepPatch::paths without the head that paths begin or end at, with both, and for such a head without
// paths.
void check_ends(const SweepQuestion& question);

// The cells of the sweep over the model of a run, without their values. UsageError of the options "from" and "into" for
// a head that is not there, "patch" for parts that the model has not.
std::vector<SweepCell> swept_parts(const Trace& trace, const SweepQuestion& question);

}  // namespace headscope
