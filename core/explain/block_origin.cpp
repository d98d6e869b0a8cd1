#include "core/explain/block_origin.h"

#include <algorithm>
#include <set>

#include "core/base/assert.h"

namespace headscope {
namespace {

// The row of the fused projection's file at which a block begins: part p, head h, in units of one head's rows.
std::int64_t block_row(QkvLayout layout, std::int64_t heads, std::int64_t part, std::int64_t head) {
  return layout == QkvLayout::per_head ? head * 3 + part : part * heads + head;
}

bool is_split_stage(StageId stage) {
  return StageId::qkv_split <= stage && stage <= StageId::value;
}

}  // namespace

std::optional<BlockGrid> block_grid(const Trace& trace, StageId stage) {
  const Inputs& inputs = *trace.inputs;
  if (stage == StageId::concat) return BlockGrid{inputs.query_len, inputs.num_heads, true};
  const LayerWeights& weights = inputs.weights;
  const bool even = inputs.num_kv_heads == inputs.num_heads && inputs.value_head_dim == inputs.head_dim;
  if (!is_split_stage(stage) || !inputs.query.empty() || !weights.fused() || !even) return std::nullopt;
  return BlockGrid{3, inputs.num_heads, false};
}

BlockOrigin block_origin(const Trace& trace, StageId stage, std::int64_t row, std::int64_t column) {
  const Inputs& inputs = *trace.inputs;
  const std::optional<BlockGrid> grid = block_grid(trace, stage);
  HEADSCOPE_ASSERT(grid && 0 <= row && row < grid->rows && 0 <= column && column < grid->columns,
                   to_string(Shape{row, column}) + " of " + std::string(stage_name(stage)));
  if (grid->of_concat) {
    const Provenance from = provenance_of(trace.request.merge, inputs.num_heads, inputs.query_len,
                                          inputs.value_head_dim, row, column * inputs.value_head_dim);
    return {from.head, from.position, std::nullopt};
  }
  const std::int64_t heads = inputs.num_heads;
  const std::int64_t at = block_row(read_layout_of(trace.request, inputs.weights), heads, row, column);
  if (inputs.weights.qkv_layout == QkvLayout::per_head) return {at / 3, -1, static_cast<Part>(at % 3)};
  return {at % heads, -1, static_cast<Part>(at / heads)};
}

BlockComparison compare_blocks(const Trace& right, const Trace& wrong, StageId stage) {
  BlockComparison result;
  const std::optional<BlockGrid> grid = block_grid(right, stage);
  if (!grid || !block_grid(wrong, stage)) return result;
  result.blocks = grid->rows * grid->columns;
  for (std::int64_t row = 0; row < grid->rows; ++row) {
    std::set<std::int64_t> tokens, heads;
    for (std::int64_t column = 0; column < grid->columns; ++column) {
      const BlockOrigin is = block_origin(wrong, stage, row, column);
      const bool same = is == block_origin(right, stage, row, column);
      result.in_place += same ? 1 : 0;
      if (row == 0 && column == 0) result.first_in_place = same;
      if (row == grid->rows - 1 && column == grid->columns - 1) result.last_in_place = same;
      tokens.insert(is.token);
      heads.insert(is.head);
    }
    const auto token_count = static_cast<std::int64_t>(tokens.size());
    const auto head_count = static_cast<std::int64_t>(heads.size());
    result.least_tokens = row == 0 ? token_count : std::min(result.least_tokens, token_count);
    result.least_heads = row == 0 ? head_count : std::min(result.least_heads, head_count);
    result.most_tokens = std::max(result.most_tokens, token_count);
    result.most_heads = std::max(result.most_heads, head_count);
  }
  return result;
}

}  // namespace headscope
