// Which cells of a matrix are hidden when its tokens were merged or left out.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/heads/token_groups.h"
#include "core/request/mask.h"

namespace headscope {

// A mask of these cells, [rows, columns], 1 = hidden. Null when none is hidden.
std::shared_ptr<const Mask> mask_of(const std::vector<std::uint8_t>& hidden, std::int64_t rows, std::int64_t columns);

// The mask of [groups.rows, groups.columns]: a grouped cell is hidden when all of its cells are hidden in this batch
// item and head of `mask`, and so is one of no cells. Null when none is hidden.
std::shared_ptr<const Mask> grouped_mask(const Mask& mask, std::int64_t batch, std::int64_t head,
                                         const TokenGroups& groups);

// The same of all batch items and heads that the mask tells apart; never null. It adds nothing to scores.
std::shared_ptr<const Mask> grouped_mask(const Mask& mask, const TokenGroups& groups);

}  // namespace headscope
