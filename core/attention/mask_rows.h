// What each query sees under a mask: what the mask editor says of every row.
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

// One for every query; `diagonal` is added to i to get its own place. The key of bias_k is not counted as later.
std::vector<MaskRow> mask_rows(const HiddenCells& hidden, std::int64_t b, std::int64_t h, std::int64_t diagonal,
                               bool extra_key);

enum class RowVerdict { fine, sees_later, leaks, hidden_whole, uniform };

// leaks: sees later keys although causal order was asked for (by the request or the model); uniform: hidden whole, with
// weights of 1/K each, by a finite fill or by --fully-masked uniform; hidden_whole: the same with NaN or zeros.
RowVerdict verdict_of(const MaskRow& row, const Request& request, bool causal);

// "sees 5", "sees 5, 2 later", "leaks: 2 later", "hidden whole: NaN", "hidden whole: uniform by -1e+20".
std::string verdict_text(const MaskRow& row, const Request& request, bool causal);

}  // namespace headscope
