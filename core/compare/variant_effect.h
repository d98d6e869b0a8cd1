// The effect of a known mistake on one request, as data: compares two traces of the same inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/explain/block_origin.h"

namespace headscope {

// Compares a stage of both traces. Rows are counted over all axes but the last.
struct StageDifference {
  StageId stage{};
  bool same_shape = true;                 // false: the members below `equal` are not filled
  bool equal = false;                     // every cell is the same number; NaN is the same as NaN
  double largest = 0;                     // |wrong - right| over cells without NaN; infinite where only one is infinite
  Index cell;                             // place of `largest`; empty when equal
  double right_norm = 0, wrong_norm = 0;  // root of the sum of squares of the finite cells
  double right_sum = 0, wrong_sum = 0;    // of the finite cells
  std::int64_t rows = 0, right_nan_rows = 0, wrong_nan_rows = 0;
};

// The sums of the rows of `weights`, with what a learned sink takes of each.
struct WeightSums {
  std::int64_t rows = 0, nan_rows = 0;
  std::int64_t off = 0;            // rows without NaN whose sum is further than 1e-4 from 1
  double lowest = 1, highest = 1;  // over rows without NaN
};

// Which rows of concat read a token that the mask of the right trace hides from them, through weights, through the sum
// that weights are divided by, or through the scores.
struct MaskLeak {
  bool masked = false;           // the right mask hides a cell; false: the other members are not filled
  std::int64_t rows = 0;         // batch * query_len
  std::int64_t leaking = 0;      // rows that read a hidden token
  std::int64_t row = -1;         // position of the first of them; -1: none
  std::int64_t token = -1;       // the first hidden key token that this row reads; -1: none
  bool from_the_future = false;  // some row reads a token after its own
};

struct VariantEffect {
  std::vector<StageDifference> stages;  // of the stages that both have, in order
  std::optional<StageId> first_different;
  WeightSums right_sums, wrong_sums;  // zero rows where there are no weights
  MaskLeak leak;
  BlockComparison concat_blocks, split_blocks;  // of concat; of query, key and value (0 blocks where they have none)
  const BlockComparison& blocks_of(StageId stage) const {
    return stage == StageId::concat ? concat_blocks : split_blocks;
  }
  const StageDifference* find(StageId stage) const;
};

// Effects are computed up to this many cells of a stage: every cell is read.
constexpr std::int64_t kMostEffectCells = std::int64_t{1} << 24;

// `wrong` is `right` with variants switched on: the same inputs, sizes and backend. No stage of them is larger than
// kMostEffectCells (asserted). Throws Cancelled.
VariantEffect variant_effect(const Trace& right, const Trace& wrong, const CancelToken& cancel);

// Compares one stage, which both traces have.
StageDifference stage_difference(StageId stage, const Tensor& right, const Tensor& wrong);

// See MaskLeak. With queries and keys of the same tokens, a token counts as read by its query too.
MaskLeak mask_leak(const Trace& right, const Trace& wrong, const CancelToken& cancel);

}  // namespace headscope
