// One part of a model after the other takes its numbers from another run: which of them carries the difference.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/attention/patches.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/request/request.h"
#include "core/sweep/sweep_metric.h"
#include "core/sweep/sweep_patch.h"

namespace headscope {

// The stages of SweepPatch::stages.
inline constexpr StageId kSweepStages[] = {StageId::query,   StageId::key,     StageId::value,
                                           StageId::weights, StageId::context, StageId::output};

struct SweepQuestion {
  Request patched;     // the run that takes numbers
  Request source;      // the run whose numbers they are
  std::string metric;  // as parse_sweep_metric() reads it
  SweepPatch patch = SweepPatch::heads;
  std::optional<std::int64_t> at;  // a position of `patched`; nullopt: the first mask token, else the last position
};

struct SweepCell {
  std::int64_t layer = 0;
  std::optional<std::int64_t> head, position;
  std::string stage;  // as PatchedStage::stage
  double value = 0;   // the metric of the patched run
};

struct Sweep {
  SweepMetric metric;
  std::int64_t position = 0;             // where it is taken
  double unpatched = 0;                  // of the request's own run
  std::optional<double> source;          // of the source's own run at the partner of the position; nullopt: it has
                                         // none, or another vocabulary
  std::vector<SweepCell> cells;          // by layer, then head, position or stage
  std::shared_ptr<const Trace> trace;    // of the request's own run
  std::shared_ptr<const Patches> found;  // how its positions are matched
};

// The patch of a cell, as a list for Request::patches.
std::vector<PatchedStage> patches_of_cell(const SweepCell& cell);

// Runs every cell: its value is that of a run of `patched` with that patch, bit for bit, on any number of threads. A
// run computes only the layers from the patched one on, and of these only what follows from the patch; positions
// without a partner in the source are not run and have the unpatched value. `options`: the backend and the memory for
// stages. `progress` gets the sweep so far, of whose cells the first `known` have their values, as often as a cell was
// run; it may be empty. UsageError for what names no
// model with an output head, a position that is not there, requests that are patched themselves, and what
// parse_sweep_metric() and patches_from() refuse; throws Cancelled, and as Engine::run.
Sweep sweep(EngineOptions options, const SweepQuestion& question, const CancelToken& cancel,
            const std::function<void(const Sweep& so_far, std::size_t known)>& progress = {});

}  // namespace headscope
