// The statistics of a whole that is gone through in parts.
#pragma once

#include <vector>

#include "core/tensor/statistics.h"

namespace headscope {

// The statistics of a whole from those of its parts: counts, min and max are exact, mean, std and norm within rounding.
Statistics combined_statistics(const std::vector<Statistics>& parts);

}  // namespace headscope
