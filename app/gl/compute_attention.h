// The middle of attention on the device: query, key and value are uploaded, scores stay on the device, requested
// results are copied back.
#pragma once

#include <span>

#include "app/gl/compute_device.h"
#include "core/backend/backend.h"

namespace headscope {

// Backend::attention().
void attention_on(ComputeDevice& device, const ScoreOperands& of, const Tensor& value, const QueryRange& part,
                  AttentionResults& to, const CancelToken& cancel);

// The cells into device.buffers->result; they are not copied back. Weights need cells.statistics, whose rows
// `statistic_rows` are those of the region.
void make_cells(ComputeDevice& device, const ScoreOperands& of, const ScoreCells& cells, const Region& statistic_rows,
                const CancelToken& cancel);

// Backend::read_scores().
void read_scores_on(ComputeDevice& device, const ScoreOperands& of, const ScoreCells& cells, std::span<float> out,
                    const CancelToken& cancel);

}  // namespace headscope
