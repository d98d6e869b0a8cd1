#include "core/heads/shown_rows.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "core/base/assert.h"
#include "core/tensor/row_strips.h"

namespace headscope {
namespace {

// Step 2 for one row of the matrix, with step 1.
void add_row(std::span<const float> row, std::span<const double> norms, const TokenGroups& groups,
             std::span<double> sums) {
  for (std::size_t c = 0; c < sums.size(); ++c) {
    for (const std::int64_t j : groups.columns[c]) {
      const auto key = static_cast<std::size_t>(j);
      const auto weight = static_cast<double>(row[key]);
      if (norms.empty()) {
        sums[c] += weight;
      } else if (weight != 0) {
        sums[c] += weight * norms[key];
      }
    }
  }
}

// Step 3.
void keep_largest(std::span<double> row, double top_p, std::vector<std::size_t>& order) {
  order.resize(row.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Sorted only where every number can be compared.
  if (std::any_of(row.begin(), row.end(), [](double value) { return value != value; })) return;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return row[a] != row[b] ? row[a] > row[b] : a < b; });
  double mass = 0;
  for (const std::size_t c : order) mass += row[c];
  if (!(mass > 0)) return;
  const double wanted = top_p * mass;
  double kept = 0;
  for (const std::size_t c : order) {
    if (kept >= wanted) {
      row[c] = 0;
    } else {
      kept += row[c];
    }
  }
}

// Step 4.
void divide_by_sum(std::span<double> row) {
  double sum = 0;
  for (const double value : row) sum += value;
  if (sum == 0) return;
  for (double& value : row) value /= sum;
}

}  // namespace

void ShownRows::read(const Tensor& matrix, std::span<const double> norms, Range row_range, Range column_range,
                     std::span<float> out) const {
  HEADSCOPE_ASSERT(static_cast<std::int64_t>(out.size()) == row_range.size() * column_range.size(),
                   std::to_string(out.size()) + " cells");
  if (out.empty()) return;
  const std::int64_t keys = matrix.dim(1);
  const auto row_at = [&](std::int64_t r) -> const std::vector<std::int64_t>& {
    return groups->rows[static_cast<std::size_t>(r)];
  };
  const Range queries{row_at(row_range.begin).front(), row_at(row_range.end - 1).back() + 1};
  const std::int64_t together = std::max<std::int64_t>(1, kComputedPiece / std::max<std::int64_t>(1, keys));
  std::vector<float> strip;
  std::vector<double> sums(static_cast<std::size_t>(columns()), 0.0);
  std::vector<std::size_t> order;
  std::int64_t r = row_range.begin;  // rows come in order, and so do the members of groups
  float* to = out.data();
  for (std::int64_t begin = queries.begin; begin < queries.end; begin += together) {
    const Range part{begin, std::min(begin + together, queries.end)};
    strip.resize(static_cast<std::size_t>(part.size() * keys));
    matrix.read(Region{part, {0, keys}}, strip);
    for (std::int64_t i = part.begin; i < part.end; ++i) {
      const auto first = static_cast<std::size_t>((i - part.begin) * keys);
      add_row(std::span(strip).subspan(first, static_cast<std::size_t>(keys)), norms, *groups, sums);
      if (i != row_at(r).back()) continue;
      const auto members = static_cast<double>(row_at(r).size());
      for (double& sum : sums) sum /= members;
      if (view.top_p < 1) keep_largest(sums, view.top_p, order);
      if (view.renormalise) divide_by_sum(sums);
      for (std::int64_t c = column_range.begin; c < column_range.end; ++c) {
        *to++ = static_cast<float>(sums[static_cast<std::size_t>(c)]);
      }
      std::fill(sums.begin(), sums.end(), 0.0);
      ++r;
    }
  }
}

Tensor by_groups(const Tensor& matrix, const TokenGroups& groups, const Showing& view) {
  const ShownRows shown{without_weighting(view), std::make_shared<const TokenGroups>(groups)};
  if (shown.rows() == 0 || shown.columns() == 0) return {};
  std::vector<float> values(static_cast<std::size_t>(shown.rows() * shown.columns()));
  shown.read(matrix, {}, {0, shown.rows()}, {0, shown.columns()}, values);
  return Tensor::of({shown.rows(), shown.columns()}, {Axis::query, Axis::key}, std::move(values));
}

}  // namespace headscope
