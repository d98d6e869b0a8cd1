// Which cells of a stage are shown as hidden: pictures hatch them and statistics leave them out.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/attention/trace.h"
#include "core/request/mask.h"

namespace headscope {

// The trace's mask for stages that it applies to; null for stages before the mask, which hold all their scores. Fully
// masked rows that still have weights (a finite --mask-fill, --fully-masked uniform) count as visible, and so do other
// hidden cells that hold weight, which are marked.
std::shared_ptr<const Mask> shown_mask(const Trace& trace, StageId stage);

// Whether fully masked rows still get weights: 1 / key_len each.
bool uniform_when_fully_masked(const Request& request);

// The rows and columns of a matrix that compares two results: of each, its index in A and in B.
struct MaskPair {
  std::vector<std::pair<std::int64_t, std::int64_t>> rows, columns;
  std::int64_t batch = 0, head = 0;  // of both
};

// Cells that are hidden in both results, as a mask of one batch item and one head, [rows, columns]; null when there is
// none.
std::shared_ptr<const Mask> hidden_in_both(const Trace& a, const Trace& b, StageId stage, const MaskPair& pair);

}  // namespace headscope
