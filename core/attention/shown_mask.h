// Which cells of a stage are really hidden: what pictures hatch and statistics leave out.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/attention/trace.h"
#include "core/request/mask.h"

namespace headscope {

// The trace's mask where the stage hides by it, or null: stages before the mask hold all their scores. Rows that are
// hidden completely and still got weights (a finite --mask-fill, --fully-masked uniform) show them.
std::shared_ptr<const Mask> shown_mask(const Trace& trace, StageId stage);

// Whether fully masked rows get weights all the same: 1 / key_len each.
bool uniform_when_fully_masked(const Request& request);

// Which of two results a cell of one matrix is hidden in: the places in A and in B of its rows, and of its columns.
struct MaskPair {
  std::vector<std::pair<std::int64_t, std::int64_t>> rows, columns;
  std::int64_t batch = 0, head = 0;  // of both
};

// Cells that both hide, as a mask of one batch item and one head, [rows, columns]; null when there is none.
std::shared_ptr<const Mask> hidden_in_both(const Trace& a, const Trace& b, StageId stage, const MaskPair& pair);

}  // namespace headscope
