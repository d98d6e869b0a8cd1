// This service of latest_work.h runs the request of a result without one of its heads.
#pragma once

#include <memory>

#include "app/session/background/work/compute_queue.h"
#include "app/session/background/work/latest_work.h"
#include "core/attention/engine.h"
#include "core/attention/trace.h"
#include "core/request/interventions.h"

namespace headscope {

struct RunWithoutQuery {
  std::shared_ptr<const Trace> trace;
  LayerHead head;  // as the option --ablate counts
  friend bool operator==(const RunWithoutQuery&, const RunWithoutQuery&) = default;
};

using RunsWithout = LatestWork<RunWithoutQuery, std::shared_ptr<const Trace>>;

// The work of the service: the request of the result with the head switched off beside all that is changed already, on
// an engine of these options. Fails as the run does.
RunsWithout::Work run_without_work(Compute compute, EngineOptions engine);

}  // namespace headscope
