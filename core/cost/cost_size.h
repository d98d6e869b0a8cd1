// The sizes that formulas of costs name: their symbols and what they mean.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace headscope {

// What a count is made of; cost_size_infos() has its symbol and its meaning, a row each, in this order.
enum class CostSize {
  batch,
  queries,
  keys,
  tokens,
  past,
  heads,
  kv_heads,
  head_dim,
  value_head_dim,
  plain_dim,
  rotary_dim,
  input_dim,
  key_input_dim,
  value_input_dim,
  qkv_rows,
  model_width,
  query_rank,
  key_rank,
  positions,
  added_matrices,
};
constexpr std::size_t kCostSizes = 20;

// The number that each stands for. Doubles, for products of them pass 2^63; they are whole, and exact below 2^53.
using CostSizes = std::array<double, kCostSizes>;

struct CostSizeInfo {
  CostSize size{};
  std::string_view symbol;   // "G"; in formulas, and the key in JSON
  std::string_view meaning;  // "heads of keys and values"
};

// One row a size, in the order of CostSize.
const std::vector<CostSizeInfo>& cost_size_infos();
const CostSizeInfo& cost_size_info(CostSize size);

}  // namespace headscope
