// Whether the device added up rows as it should: the weights of a row sum to 1, by whichever way they are added.
#pragma once

#include "app/gl/compute_device.h"
#include "core/backend/backend.h"
#include "core/backend/score_rule.h"

namespace headscope {

// Whether the weights of a row, as buffers.result holds them before dropout, sum to 1: not where hidden ones were
// cleared after the softmax.
bool has_totals(const ScoreRule& rule);

// The sum of every row of weights in buffers.result [batch, heads, queries, keys of `cells`] into buffers.totals, by
// the shader that weights values: not by the one whose sums they were divided by.
void make_totals(ComputeDevice& device, const Region& cells);

// Throws Error where a row of `cells` sums to something else: a driver that is wrong about sums is no use.
// `statistics`: of the results, in which `rows` are those of the cells. A row of NaN has no sum, and one that sees
// nothing may be all 0.
void check_totals(const ComputeDevice& device, const ScoreRule& rule, const Region& cells,
                  const RowStatistics& statistics, const Region& rows);

}  // namespace headscope
