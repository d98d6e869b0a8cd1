// The table of costs, and the parts that it is made of.
#pragma once

#include <vector>

#include "core/cost/cost_row.h"

namespace headscope {

// The steps in the order of the stages. A stage without a row that applies is given, a view, or equal to the one
// before.
const std::vector<CostRow>& cost_rows();

std::vector<CostRow> input_cost_rows();   // latents, and the projections
std::vector<CostRow> head_cost_rows();    // queries, keys and values: bounds, norms, rotary positions, the cache
std::vector<CostRow> score_cost_rows();   // from their products to weights
std::vector<CostRow> result_cost_rows();  // from weights to what attention gives

}  // namespace headscope
