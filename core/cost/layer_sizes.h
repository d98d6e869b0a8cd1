// The sizes of one computed layer, here and of a text that is twice as long, and how many numbers its stages have.
#pragma once

#include "core/attention/trace.h"
#include "core/cost/cost_formula.h"
#include "core/cost/cost_size.h"
#include "core/request/stage.h"

namespace headscope {

// The sizes of a computed layer; 0 for what it does not have.
CostSizes cost_sizes_of(const Trace& trace);

// The same of a text that is twice as long: twice as many queries, tokens and keys. Where the queries stand behind keys
// of a past, or are learned ones, they stay as many and the keys become twice as many.
CostSizes twice_as_long(const CostSizes& sizes, const Trace& trace);

// How many numbers a stage has, by the axes of its row in stage_infos().
CostProduct numbers_of(StageId stage);

}  // namespace headscope
