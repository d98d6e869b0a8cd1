// One part of a model after the other takes its numbers from another run: which of them carries the difference.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/attention/model_options.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/request/request.h"
#include "core/sweep/sweep_cells.h"

namespace headscope {

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

// Sweeps one after the other, which keep the open model and its backend.
class SweepRunner {
 public:
  explicit SweepRunner(EngineOptions options);
  SweepRunner(const SweepRunner&) = delete;
  SweepRunner& operator=(const SweepRunner&) = delete;

  // As sweep().
  Sweep run(const SweepQuestion& question, const CancelToken& cancel,
            const std::function<void(const Sweep& so_far, std::size_t known)>& progress = {});

  // What a request runs with, without its run: its tokens. Throws as Engine::read.
  std::shared_ptr<const Inputs> read(const Request& request, const CancelToken& cancel);

 private:
  std::shared_ptr<Request> source_;  // that the engine reads
  ModelOptions cell_options_;
  Engine engine_;
};

}  // namespace headscope
