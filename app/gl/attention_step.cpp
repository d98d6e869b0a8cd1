#include "app/gl/attention_step.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "app/gl/seen_keys.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

constexpr std::int64_t kHugePageNumbers = std::int64_t{1} << 19;

// Calls visit(row, its first number) for the rows of `to` that the step computes, on all threads.
void visit_rows(ComputeDevice& device, const AttentionStep& step, Tensor& to,
                const std::function<void(const Index& row, float* first)>& visit) {
  const Region& local = step.local;
  const std::int64_t queries = local[2].size(), matrices = local[0].size() * local[1].size();
  float* const first = to.mutable_data();
  const Strides& strides = to.strides();
  // The rows of a huge page to one thread: see ComputeStaging.
  const std::int64_t rows = std::clamp<std::int64_t>(kHugePageNumbers / strides[2], 1, queries);
  const std::int64_t tasks = parts_over(queries, rows);
  device.threads.run(matrices * tasks, true, [&](std::int64_t n) {
    const std::int64_t matrix = n / tasks, begin = n % tasks * rows;
    Index row{local[0].begin + matrix / local[1].size(), local[1].begin + matrix % local[1].size(), 0};
    for (std::int64_t i = begin; i < std::min(begin + rows, queries); ++i) {
      row[2] = local[2].begin + i;
      visit(row, first + row[0] * strides[0] + row[1] * strides[1] + row[2] * strides[2]);
    }
  });
}

// The hidden cells of `to` beside those that are computed.
void fill_beside(const AttentionStep& step, const Tensor& to, float* row, float value) {
  std::fill_n(row, step.local[3].begin, value);
  std::fill(row + step.local[3].end, row + to.dim(3), value);
}

}  // namespace

void clear_beside(ComputeDevice& device, const AttentionStep& step, Tensor& to) {
  if (to.empty() || step.local[3].size() == to.dim(3)) return;
  visit_rows(device, step, to, [&](const Index&, float* row) { fill_beside(step, to, row, 0.0F); });
}

void read_weights(ComputeDevice& device, const AttentionStep& step, const RowStatistics& statistics, Tensor& to) {
  read_part(device.buffers->result, step.local, to);
  if (step.local[3].size() == to.dim(3)) return;
  visit_rows(device, step, to, [&](const Index& at, float* row) {
    if (gives_weights(statistics.max.at(at), statistics.sum.at(at))) return;
    fill_beside(step, to, row, std::numeric_limits<float>::quiet_NaN());
  });
}

}  // namespace headscope
