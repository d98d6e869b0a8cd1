#include "app/gl/weight_totals.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "app/gl/seen_keys.h"
#include "core/base/error.h"

namespace headscope {
namespace {

constexpr std::uint32_t kBitsOfOne = 0x3f800000;

// What rounding may make of a sum of so many weights.
double tolerance_of(std::int64_t keys) {
  return 5e-5 + 3e-8 * static_cast<double>(keys);
}

}  // namespace

bool has_totals(const ScoreRule& rule) {
  return !rule.mask_after_softmax;
}

void make_totals(ComputeDevice& device, const Region& cells) {
  ComputeBuffers& buffers = *device.buffers;
  const std::int64_t batch = cells[0].size(), heads = cells[1].size(), queries = cells[2].size(),
                     keys = cells[3].size();
  if (buffers.ones_count < batch * keys) {
    buffers.ones.upload(std::vector<std::uint32_t>(static_cast<std::size_t>(batch * keys), kBitsOfOne));
    buffers.ones_count = batch * keys;
  }
  buffers.totals.reserve(batch * heads * queries);
  // One value of one feature, which is 1, for all heads.
  device.kernels->weighted_values({.batch = batch,
                                   .rows = queries,
                                   .columns = 1,
                                   .depth = keys,
                                   .heads = {.first_head = 0, .heads = heads, .heads_per_group = heads}},
                                  buffers.result, buffers.ones, nullptr, 0, buffers.totals);
}

void check_totals(const ComputeDevice& device, const ScoreRule& rule, const Region& cells,
                  const RowStatistics& statistics, const Region& rows) {
  const std::int64_t count = element_count(rows);
  std::vector<float> totals(static_cast<std::size_t>(count)), max(totals), sum(totals);
  device.buffers->totals.read(0, totals);
  statistics.max.read(rows, max);
  statistics.sum.read(rows, sum);
  const double tolerance = tolerance_of(cells[3].size());
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const bool may_vanish = rule.fully_masked == FullyMasked::zero && totals[i] == 0;
    if (!gives_weights(max[i], sum[i]) || may_vanish || std::abs(static_cast<double>(totals[i]) - 1) <= tolerance)
      continue;
    throw Error(fmt::format("The graphics driver is wrong: a row of weights sums to {:.6g}, not to 1.", totals[i]));
  }
}

}  // namespace headscope
