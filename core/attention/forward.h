// One attention layer, from inputs to output, as one straight line.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/trace.h"

namespace headscope {

// Bytes of stages above which weights are computed when read and not kept.
constexpr std::int64_t kDefaultStageMemory = std::int64_t{1} << 30;

class StageBuffers;

struct ForwardOptions {
  std::int64_t stage_memory = kDefaultStageMemory;  // larger stages are computed when read (Trace::on_demand)
  std::string notice;                               // becomes Trace::notice
  std::vector<std::string> readings;                // of files (load_inputs.h), the first of Trace::readings
  // A trace of the same backend, whose stages are used again where they are the same, and memory that passes from trace
  // to trace; null: none.
  std::shared_ptr<const Trace> previous;
  StageBuffers* buffers = nullptr;
};

// Computes every stage of `request` from `inputs` (find_problem(request, inputs) must be nullopt).
// Equals torch.nn.functional.scaled_dot_product_attention between the projections, with the request's conventions.
// Throws Cancelled.
std::shared_ptr<const Trace> forward(const Request& request, std::shared_ptr<const Inputs> inputs,
                                     const std::shared_ptr<const Backend>& backend, const CancelToken& cancel,
                                     const ForwardOptions& options = {});

}  // namespace headscope
