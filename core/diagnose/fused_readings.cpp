#include "core/diagnose/fused_readings.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/attention/projection_steps.h"
#include "core/request/stage.h"

namespace headscope {
namespace {

enum class FusedOrder { blocked, grouped, last };
constexpr std::pair<FusedOrder, const char*> kOrders[] = {
    {FusedOrder::blocked, "the columns in blocks, [Q K V]"},
    {FusedOrder::grouped, "the columns per head, [q_h k_h v_h]"},
    {FusedOrder::last, "the columns as [heads, features, 3]"},
};

// How many heads each of query, key and value has, and how many features a head.
struct FusedSizes {
  std::int64_t groups = 0;  // of key and value heads
  std::array<std::int64_t, 3> heads{}, width{};
  std::int64_t all() const { return heads[0] * width[0] + heads[1] * width[1] + heads[2] * width[2]; }
};

// Where that order has feature `d` of head `h` of query, key or value (`part` 0, 1, 2).
std::int64_t column_of(FusedOrder order, const FusedSizes& sizes, std::size_t part, std::int64_t h, std::int64_t d) {
  if (order == FusedOrder::last) return (h * sizes.width[part] + d) * 3 + static_cast<std::int64_t>(part);
  std::int64_t before = 0, stride = 0;
  const std::int64_t groups = order == FusedOrder::blocked ? 1 : sizes.groups;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::int64_t own = sizes.heads[k] / groups * sizes.width[k];
    if (k < part) before += own;
    stride += own;
  }
  const std::int64_t in_group = sizes.heads[part] / groups;
  return h / in_group * stride + before + h % in_group * sizes.width[part] + d;
}

// For each column of ours the one of theirs.
std::vector<std::int64_t> columns_between(FusedOrder own, FusedOrder other, const FusedSizes& sizes) {
  std::vector<std::int64_t> columns(static_cast<std::size_t>(sizes.all()));
  for (std::size_t part = 0; part < 3; ++part) {
    for (std::int64_t h = 0; h < sizes.heads[part]; ++h) {
      for (std::int64_t d = 0; d < sizes.width[part]; ++d) {
        columns[static_cast<std::size_t>(column_of(own, sizes, part, h, d))] = column_of(other, sizes, part, h, d);
      }
    }
  }
  return columns;
}

Tensor with_columns(const Tensor& theirs, const std::vector<std::int64_t>& columns) {
  const std::vector<float> from = theirs.values();
  std::vector<float> to(from.size());
  const std::size_t width = columns.size();
  for (std::size_t first = 0; first < from.size(); first += width) {
    for (std::size_t c = 0; c < width; ++c) to[first + c] = from[first + static_cast<std::size_t>(columns[c])];
  }
  return Tensor::of(theirs.shape(), theirs.axes(), std::move(to));
}

}  // namespace

std::vector<FusedReading> fused_readings(const Trace& ours, const Tensor& theirs) {
  const Inputs& in = *ours.inputs;
  const Stage* own = ours.find(StageId::qkv);
  if (own == nullptr || !(own->tensor.shape() == theirs.shape())) return {};
  const FusedSizes sizes{
      in.num_kv_heads, {in.num_heads, in.num_kv_heads, in.num_kv_heads}, {in.head_dim, in.head_dim, in.value_head_dim}};
  if (own->tensor.dim(own->tensor.rank() - 1) != sizes.all()) return {};
  const bool per_head = read_layout_of(ours.request, in.weights) == QkvLayout::per_head;
  const FusedOrder is = per_head ? FusedOrder::grouped : FusedOrder::blocked;
  const bool alike = in.num_heads == in.num_kv_heads && in.head_dim == in.value_head_dim;
  std::vector<FusedReading> readings;
  for (const auto& [order, words] : kOrders) {
    if (order == is || (order == FusedOrder::last && !alike)) continue;
    const std::vector<std::int64_t> columns = columns_between(is, order, sizes);
    bool moves = false;
    for (std::size_t c = 0; c < columns.size(); ++c) moves = moves || columns[c] != static_cast<std::int64_t>(c);
    if (moves) readings.push_back({words, with_columns(theirs, columns)});
  }
  return readings;
}

}  // namespace headscope
