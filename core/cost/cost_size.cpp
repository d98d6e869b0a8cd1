#include "core/cost/cost_size.h"

#include <string>

#include "core/base/assert.h"

namespace headscope {
namespace {

using Z = CostSize;

}  // namespace

const std::vector<CostSizeInfo>& cost_size_infos() {
  static const std::vector<CostSizeInfo> table = {
      {Z::batch, "B", "batch items"},
      {Z::queries, "Q", "queries"},
      {Z::keys, "K", "keys, those of a past and of bias_k among them"},
      {Z::tokens, "T", "tokens that keys and values are made of"},
      {Z::past, "P", "keys of the past, which are given"},
      {Z::heads, "H", "heads"},
      {Z::kv_heads, "G", "heads of keys and values"},
      {Z::head_dim, "D", "features of a head of queries and keys"},
      {Z::value_head_dim, "Dv", "features of a head of values"},
      {Z::plain_dim, "D_nope", "those of D that have no rotary positions"},
      {Z::rotary_dim, "D_rope", "those of D that rotary positions turn"},
      {Z::input_dim, "input_dim", "features that queries are projected from"},
      {Z::key_input_dim, "key_input_dim", "features of the vectors of keys"},
      {Z::value_input_dim, "value_input_dim", "features that values are projected from"},
      {Z::qkv_rows, "qkv_rows", "rows of the fused projection of queries, keys and values"},
      {Z::model_width, "d_model", "features of the model's stream"},
      {Z::query_rank, "rank_q", "features of the query's latent"},
      {Z::key_rank, "rank_kv", "features of the latent of keys and values"},
      {Z::positions, "R", "relative positions that the text reads"},
      {Z::added_matrices, "A", "matrices of what is added to the scores"},
  };
  return table;
}

const CostSizeInfo& cost_size_info(CostSize size) {
  const auto row = static_cast<std::size_t>(size);
  HEADSCOPE_ASSERT(row < cost_size_infos().size() && cost_size_infos()[row].size == size, std::to_string(row));
  return cost_size_infos()[row];
}

}  // namespace headscope
