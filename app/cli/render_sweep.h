// What `render --view sweep` takes, and its run.
#pragma once

#include <cstdint>
#include <optional>

#include "app/cli/arguments.h"
#include "core/base/cancel.h"
#include "core/picture/view_spec.h"
#include "core/request/request.h"
#include "core/sweep/sweep.h"

namespace headscope::cli {

// Of --patch as a sweep takes it, in one sentence.
inline constexpr const char* kSweepPatchHelp =
    "a run for every head's context of every layer (default), for every position of the stream before every layer, for "
    "query, key, value, weights, context, output and mlp_out of every layer, for every path of --from or --into, for "
    "every head at every position, every part of a head, every MLP, or every neuron.";

// The arguments of REQUEST: without a --patch that is a word of a sweep, which puts in patches of its own. UsageError
// for another --patch with --view sweep.
Arguments without_sweep_patch(Arguments given);

// The view with what --patch says of its sweep. UsageError for such a word with another view, for another patch with a
// sweep, for a sweep without a metric, and for an ablation with another run.
ViewSpec with_sweep_patch(const Arguments& given, ViewSpec view);

// Runs the sweep that the view asks for, with a line of progress on a terminal; prints its notices. Throws as sweep().
// `against` is nullopt with an ablation.
Sweep swept(const Request& request, const std::optional<Request>& against, const ViewSpec& view, std::int64_t memory,
            const CancelToken& cancel);

}  // namespace headscope::cli
