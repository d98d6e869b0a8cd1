// The middle of attention on the device: query, key and value are uploaded, scores stay on the device, requested
// results are copied back.
#pragma once

#include <span>

#include "app/gl/compute_device.h"
#include "core/backend/backend.h"
#include "core/backend/score_rule.h"
#include "core/request/stage.h"

namespace headscope {

// Backend::attention().
void attention_on(ComputeDevice& device, const Tensor& query, const Tensor& key, const Tensor& value,
                  const ScoreRule& rule, const QueryRange& part, AttentionResults& to, const CancelToken& cancel);

// Cells of raw_scores ... dropped_weights over `cells` of [batch, heads, query_len, key_len] into
// device.buffers->result; they are not copied back. Weights need the statistics of their rows: those of
// `statistic_rows` in `statistics`; null for scores.
void make_cells(ComputeDevice& device, StageId stage, const Tensor& query, const Tensor& key, const ScoreRule& rule,
                const RowStatistics* statistics, const Region& statistic_rows, const Region& cells,
                const CancelToken& cancel);

// Backend::read_scores().
void read_scores_on(ComputeDevice& device, StageId stage, const Tensor& query, const Tensor& key, const ScoreRule& rule,
                    const RowStatistics* statistics, const Region& region, std::span<float> out,
                    const CancelToken& cancel);

// Whether every number is finite. Then the value of a hidden key has no effect without further checks: its weight is 0.
bool all_finite(const Tensor& tensor);

}  // namespace headscope
