// The keys that each query sees under a mask: the facts that the mask editor shows beside every row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/request/mask.h"
#include "core/request/request.h"

namespace headscope {

struct MaskRow {
  std::int64_t visible = 0;  // keys
  std::int64_t later = 0;    // visible keys after the query's own place
};

// One for every query, whose own key is i + diagonal. The key of bias_k does not count as later.
std::vector<MaskRow> mask_rows(const HiddenCells& hidden, std::int64_t b, std::int64_t h, std::int64_t diagonal,
                               bool extra_key);

enum class RowVerdict { fine, sees_later, leaks, hidden_whole, uniform };

// leaks: sees later keys although the request or the model has a causal mask; uniform: every key is hidden, and the
// weights are 1/K each, by a finite fill or --fully-masked uniform; hidden_whole: every key is hidden, and the weights
// are NaN or 0.
RowVerdict verdict_of(const MaskRow& row, const Request& request, bool causal);

// "sees 5", "sees 5, 2 later", "leaks: 2 later", "hidden whole: NaN", "hidden whole: uniform by -1e+20".
std::string verdict_text(const MaskRow& row, const Request& request, bool causal);

}  // namespace headscope
