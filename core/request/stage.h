// The named tensors of one attention layer, in the order in which they are computed.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace headscope {

// Shapes and meaning: core/README.md; one row for each, in this order: stage_infos() in core/request/stage_info.h. The
// enumerators are spelled as in files, options and on screen.
enum class StageId {
  input,
  key_input,
  value_input,
  qkv,
  qkv_split,
  qkv_heads,
  query_proj,
  key_proj,
  value_proj,
  query,
  key,
  value,
  c2p,
  p2c,
  raw_scores,
  scores,
  capped_scores,
  masked_scores,
  weights,
  dropped_weights,
  captured_weights,
  sink_weights,
  context,
  concat,
  output,
  attention_norm_out,
};

// "masked_scores".
std::string_view stage_name(StageId stage);

// The stage of that name; nullopt when there is none.
std::optional<StageId> stage_named(std::string_view name);

// All of them, in the order above.
const std::vector<StageId>& all_stages();

// Whether rows are queries and columns are keys: c2p ... captured_weights.
bool is_score_like(StageId stage);

// weights, dropped_weights, captured_weights and sink_weights: never negative, drawn with a sequential map on [0, 1].
bool is_weight_like(StageId stage);

}  // namespace headscope
