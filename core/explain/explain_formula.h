// The formula of a stage's cells, with the names of their sources.
#pragma once

#include <string>

#include "core/explain/cell_origin.h"

namespace headscope {

// "context[b,h,i,d] = Σ_j weights[b,h,i,j] · value[b,g,j,d]", for this trace; `origin` is that of one cell.
std::string formula_text(const Trace& trace, StageId stage, const CellOrigin& origin);

}  // namespace headscope
