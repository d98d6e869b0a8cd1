// A stage of other code beside ours, cell by cell, in one layout: what a picture of a diagnosis shows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/backend/backend.h"
#include "core/base/cancel.h"
#include "core/diagnose/diagnosis.h"
#include "core/diagnose/layer_lab.h"
#include "core/tensor/tensor.h"

namespace headscope {

// All three have the axes of our stage; [batch, 1, queries, keys] where theirs is a mean over heads.
struct StageSides {
  Tensor theirs, ours;
  Tensor difference;    // theirs - ours, computed when read; 0 where both are NaN or the same infinity
  std::string read_as;  // the layout that theirs was turned from; "" for our own
  bool averaged = false;
  bool from_given = false;  // ours follows from their stages before; false: from our own
};

// The sides of one stage that diagnose() judged as `found`. `given`: their stages before it, as diagnose() read them; a
// stage of more than kMostSidesCells follows from our own stages all the same. Throws Cancelled.
StageSides stage_sides(const Trace& ours, const ExternalStage& theirs, const StageComparison& found,
                       const GivenStages& given, const std::shared_ptr<const Backend>& backend,
                       const CancelToken& cancel);
constexpr std::int64_t kMostSidesCells = std::int64_t{1} << 24;

// The cells of one matrix of a stage that differ, as a diagnosis judged them.
struct WrongCells {
  std::vector<std::uint8_t> rows, columns;  // 1: some cell there differs
  std::vector<std::uint8_t> cells;          // row by row, 1: differs; empty for a matrix of more than kMostSidesCells
  std::int64_t count = 0;
  bool at(std::int64_t row, std::int64_t column) const {
    return !cells.empty() &&
           cells[static_cast<std::size_t>(row) * columns.size() + static_cast<std::size_t>(column)] != 0;
  }
};

// Of the matrix of (batch, head) of the stage; `head` is ignored where it has none. Where Where::places holds some of
// the cells alone, cells further away than `found.allowed` count as well, but no scores that the mask of `ours` hides.
WrongCells wrong_cells(const Trace& ours, const StageComparison& found, const StageSides& sides, std::int64_t batch,
                       std::int64_t head);

}  // namespace headscope
