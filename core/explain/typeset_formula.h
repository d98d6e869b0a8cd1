// The typeset formula of one cell, with its own indices and numbers.
#pragma once

#include "core/attention/trace.h"
#include "core/explain/cell_origin.h"
#include "core/explain/explain.h"
#include "core/explain/formula_tree.h"

namespace headscope {

// weights_2,7,1 = exp(s_1 - m) / Σ_j exp(s_j - m) = 1 / 1.1154. `why` explains the cell, `origin` is its origin. The
// terms are the names of the steps of `why`, and kSourceTerm. Reads no number. A batch of one has no index.
Formula typeset_formula(const Trace& trace, const Explanation& why, const CellOrigin& origin);

}  // namespace headscope
