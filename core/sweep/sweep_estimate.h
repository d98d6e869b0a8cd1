// Estimates of a sweep's cells from gradients: attribution patching. Internal to core/sweep.
#pragma once

#include <optional>
#include <vector>

#include "core/base/cancel.h"
#include "core/sweep/sweep_cells.h"
#include "core/sweep/sweep_source.h"

namespace headscope {

// UsageError of the option "estimate" for a metric that check_slopes() refuses, and as check_gradient().
// `patches_clean`: the run that is patched is the clean one.
void check_estimate(const Sweep& sweep, bool patches_clean);

// Puts estimates into the cells of a sweep whose trace, metric and unpatched value are known, from one backward pass.
// Throws Cancelled.
void estimate_cells(Sweep& sweep, const SweepSource& numbers, const CancelToken& cancel);

// Pearson's correlation of two lists; nullopt when they are shorter than 2, one varies not at all, or a number is not
// finite.
std::optional<double> correlation_of(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace headscope
