// Attention by plain loops in double, stage after stage, with every intervention made by hand where it belongs: what
// the engine is compared with. Knows the request's options and nothing of the engine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/model/inputs.h"
#include "core/request/request.h"
#include "core/request/stage.h"

namespace headscope {

struct PlainStage {
  Shape shape;
  std::vector<double> values;
  std::size_t place(const std::vector<std::int64_t>& at) const;
  double& at(const std::vector<std::int64_t>& index) { return values[place(index)]; }
  double at(const std::vector<std::int64_t>& index) const { return values[place(index)]; }
};

// Which cells are hidden; by [query][key].
using PlainMask = std::vector<std::vector<bool>>;

// causal, padding and window terms, then painted cells.
PlainMask plain_mask(const Request& request, std::int64_t query_len, std::int64_t key_len);

// All stages from input (or, of attention alone, query) to output. Fused per-head projections, or attention alone;
// grouped heads; scale, softcap before or after what alibi adds, fill, fully-masked as-computed, dropout by a mask,
// merge by transpose, softmax over keys or queries.
std::map<StageId, PlainStage> plain_attention(const Request& request, const Inputs& inputs);

}  // namespace headscope
