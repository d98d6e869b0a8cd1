// What every term of a mask does to one cell of the scores: which of them hide it, and what each adds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/request/mask.h"
#include "core/request/request.h"
#include "core/tensor/shape.h"

namespace headscope {

// A cell of [batch, heads, query_len, key_len], which is not that of the key of bias_k.
struct MaskCell {
  std::int64_t b = 0, h = 0, i = 0, j = 0;
};

struct MaskPart {
  std::string name;    // "causal", "padding:2", a file's path, "painted"
  Index index;         // of a file: in its own axes; of another term: the cell's
  bool hides = false;  // the cell; else it adds
  double added = 0;    // finite; 0 where it hides
};

// The terms that hide the cell (paint that shows it again takes all of them back) and those that add to its score, a
// file's 0 among them; in the order of build_mask(), whose arguments these are. `positions` of queries count from the
// diagonal of `request`.
std::vector<MaskPart> mask_parts(const Request& request, const std::vector<MaskFile>& files, const MaskSizes& sizes,
                                 std::span<const MaskTerm> own, const MaskCell& cell);

}  // namespace headscope
