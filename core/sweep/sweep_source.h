// Where a sweep's numbers come from: the run of its source, or an ablation. Internal to core/sweep.
#pragma once

#include <memory>
#include <vector>

#include "core/attention/engine.h"
#include "core/attention/patches.h"
#include "core/base/cancel.h"
#include "core/sweep/ablation.h"
#include "core/sweep/neuron_numbers.h"
#include "core/sweep/path_numbers.h"
#include "core/sweep/sweep_cells.h"

namespace headscope {

// What the engine calls the session of the source: it is no file.
inline constexpr const char* kSweepSource = "the source of the sweep";

// No numbers yet; every query and key is its own partner.
std::shared_ptr<const Patches> own_partners(const Trace& own);

class SweepSource {
 public:
  // `own`: the unpatched run of the question's request, with all layers; `cells`: those whose numbers are asked for.
  // The engine, whose read_request gives the question's source, and the rest must outlive it. Runs the source, or the
  // phrases of a mean. UsageError as sweep() says.
  SweepSource(Engine& engine, const SweepQuestion& question, const std::shared_ptr<const Trace>& own,
              const std::vector<SweepCell>& cells, const CancelToken& cancel);

  // The request with the patch of a cell.
  Request request_of(const SweepCell& cell) const;
  // What it runs with.
  std::shared_ptr<const Inputs> inputs_of(const SweepCell& cell, const CancelToken& cancel) const;
  // The run of the source; null with an ablation.
  const std::shared_ptr<const Trace>& source() const { return source_; }
  // How positions are matched; with an ablation every one is its own partner.
  const std::shared_ptr<const Patches>& found() const { return found_; }

 private:
  void measure_means(const std::vector<SweepCell>& cells, const CancelToken& cancel);
  std::shared_ptr<const Inputs> inputs_of_part(const SweepCell& cell, const CancelToken& cancel) const;
  std::shared_ptr<const Inputs> with_numbers(const SweepCell& cell, Tensor numbers) const;
  std::shared_ptr<const Inputs> inputs_of_path(const SweepCell& cell, const CancelToken& cancel) const;

  Engine& engine_;
  const SweepQuestion& question_;
  std::shared_ptr<const Trace> own_, source_;
  std::shared_ptr<const Patches> found_;
  std::shared_ptr<const Inputs> unpatched_;  // of an ablation, a path or a neuron
  std::shared_ptr<const Patches> own_partners_;
  std::unique_ptr<PathNumbers> paths_;      // null unless cells are paths
  std::unique_ptr<NeuronNumbers> neurons_;  // null unless they are neurons
  StageMeans means_;
};

}  // namespace headscope
