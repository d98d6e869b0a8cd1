// A trace computed again without any mistake, and with some: the two sides of a comparison.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/trace.h"
#include "core/backend/backend.h"
#include "core/base/cancel.h"
#include "core/request/problem.h"

namespace headscope {

// The contract's variants by name, in its order: merge-direct first.
const std::vector<std::string_view>& variant_names();

// The variants that `request` has, in the same order.
std::vector<std::string> variants_of(const Request& request);

// `request` with exactly these variants, merge-direct among them. Unknown names are asserted.
Request with_variants(const Request& request, const std::vector<std::string>& names);

// Why `trace` cannot be computed again or compared: a capture without queries and keys, or stages above
// kMostEffectCells. "": it can.
std::string rerun_refusal(const Trace& trace);

// The problem of these variants with the inputs of `trace`, from both find_problem(); nullopt when they can run.
std::optional<Problem> variant_problem(const Trace& trace, const std::vector<std::string>& names);

// The layer of `trace`, computed again from its own inputs with exactly these variants, every stage kept.
// rerun_refusal() must be "" and variant_problem() nullopt. Throws Cancelled.
std::shared_ptr<const Trace> rerun(const Trace& trace, const std::vector<std::string>& names,
                                   const std::shared_ptr<const Backend>& backend, const CancelToken& cancel);

// wrong - right of every stage that both have in the same shape, computed when read; 0 where both hold the same number,
// the same infinity, or NaN. All other members are those of `right`, which the result keeps alive.
std::shared_ptr<const Trace> difference_trace(const std::shared_ptr<const Trace>& right,
                                              const std::shared_ptr<const Trace>& wrong);

}  // namespace headscope
