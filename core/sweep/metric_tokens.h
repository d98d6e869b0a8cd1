// The tokens that a metric names: one, a set in braces, or the difference of two of either. Internal to core/sweep.
#pragma once

#include <string>

#include "core/model/checkpoint.h"
#include "core/sweep/swept_metric.h"

namespace headscope {

// Puts the tokens of "A", "A-B", "{A,B}", "{A,B}-{C}" or "A-{B,C}" into the metric; `text` is what follows its word.
// "A-B" without braces is split at the first dash with a token on either side; with `whole_first` only where the whole
// is no token. UsageError of the option "metric": what is no token, a set without one, a token twice in a set.
void read_metric_tokens(const Checkpoint& checkpoint, const std::string& text, bool whole_first, SweepMetric& metric);

}  // namespace headscope
