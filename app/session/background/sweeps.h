// A patch after the other between two results, as a service of latest_work.h: the map fills while it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/session/background/work/latest_work.h"
#include "core/attention/engine.h"
#include "core/attention/trace.h"
#include "core/sweep/sweep.h"

namespace headscope {

struct SweepQuery {
  std::shared_ptr<const Trace> a, b;  // both of whole models; b is the request's own; a is null with an ablation
  SweepPatch patch = SweepPatch::heads;
  SweepDirection direction = SweepDirection::denoise;
  std::optional<Ablation> ablation = {};
  std::string list = {};  // of means: the file whose phrases they are taken over; "": the patched text alone
  SweepEstimate estimate = SweepEstimate::none;
  std::optional<LayerHead> from = {}, into = {};
  // As parse_sweep_metric() reads it; "": the logit of what A says less that of what B says, or where both say the same
  // the divergence; with an ablation the logit of what B says.
  std::string metric = {};
  friend bool operator==(const SweepQuery&, const SweepQuery&) = default;
};

struct SweepAnswer {
  Sweep sweep;  // of its cells the first `known` have their values
  std::size_t known = 0;
};

using Sweeps = LatestWork<SweepQuery, SweepAnswer>;

// The token that the model of a whole trace says is the most probable one where it predicts.
std::int64_t said_token(const Trace& trace, const CancelToken& cancel);

// The work of the service, on an engine of these options. Fails as sweep().
Sweeps::WorkInParts sweep_work(EngineOptions engine);

}  // namespace headscope
