// One part of a model after the other takes its numbers from another run: which of them carries the difference.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/sweep/sweep_cells.h"

namespace headscope {

// The stages of SweepPatch::stages of a model: kSweepStages, attention_norm_out where what attention gives is normed,
// and kMlpPatch where there is an MLP; for a mean only those that have one.
std::vector<std::string> sweep_stages(const Trace& trace, const std::optional<Ablation>& ablation);

// UsageError for SweepPatch::paths without the head that paths begin or end at, with both, and for such a head without
// paths.
void check_ends(const SweepQuestion& question);

// Runs every cell: its value is that of a run of `patched` with that patch, bit for bit, on any number of threads. A
// run computes only the layers from the patched one on, and of these only what follows from the patch; positions
// without a partner in the source are not run and have the unpatched value. `options`: the backend and the memory for
// stages. `progress` gets the sweep so far, of whose cells the first `known` have their values, as often as a cell was
// run; it may be empty. Estimates are of first order (Nanda 2023, attribution patching), from one backward pass:
//   estimate = unpatched + sum over the numbers that the patch replaces of gradient * (new - own)
// Path patching (Wang et al. 2022; Goldowsky-Dill et al. 2023): with x the stream before a layer, in a run in which
// the head `from` gives its context of A, every other head and every MLP what they gave in the unpatched run, the cell
// takes the query, key or value that x makes for one head; all that comes after that head follows.
// UsageError for what names no
// model with an output head, a position that is not there, requests that are patched themselves, estimates of kl,
// whose slope at the unpatched run is 0, or of what check_gradient() refuses, and what check_ends(),
// parse_sweep_metric() and patches_from() refuse; throws Cancelled, and as Engine::run.
Sweep sweep(EngineOptions options, const SweepQuestion& question, const CancelToken& cancel,
            const std::function<void(const Sweep& so_far, std::size_t known)>& progress = {});

}  // namespace headscope
