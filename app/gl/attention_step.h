// One step of attention on the device, and what of its results the processor writes.
#pragma once

#include "app/gl/compute_device.h"
#include "core/backend/backend.h"

namespace headscope {

// The cells of a block of queries.
struct AttentionStep {
  const Tensor& value;
  const HiddenCells* hidden;  // null: every value is finite, and a hidden cell's weight of 0 needs no check
  Region cells;               // of the scores: the keys that these queries can see
  Region uploaded;            // the queries and keys that go to the device together
  Region local;               // the cells, counted from the beginning of the results
};

// Cells of `to` beside those that the step computes are hidden and weigh nothing. The device may compute meanwhile.
void clear_beside(ComputeDevice& device, const AttentionStep& step, Tensor& to);

// Weights in buffers.result to their place. A row whose scores give no weights is NaN from end to end; `statistics` are
// those of all results.
void read_weights(ComputeDevice& device, const AttentionStep& step, const RowStatistics& statistics, Tensor& to);

}  // namespace headscope
