// One attention layer, from inputs to output, as one straight line.
#pragma once

#include <memory>

#include "core/attention/problem.h"
#include "core/attention/trace.h"

namespace headscope {

// Computes every stage of `request` from `inputs` (find_problem(request, inputs) must be empty).
// Equals torch.nn.functional.scaled_dot_product_attention between the projections, with the request's conventions.
// Throws Cancelled.
std::shared_ptr<const Trace> forward(const Request& request, std::shared_ptr<const Inputs> inputs,
                                     const Backend& backend, const CancelToken& cancel);

// find_problem, load_inputs, find_problem again, make_backend, forward. Throws ProblemError for what cannot run.
std::shared_ptr<const Trace> run_request(const Request& request, InputCache& cache, const CancelToken& cancel);

}  // namespace headscope
