// Which cells of a stage of two results belong together. Internal to core/compare.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/request/stage.h"
#include "core/tensor/shape.h"
#include "core/tensor/tensor.h"
#include "core/text/token_alignment.h"

namespace headscope {

// Places along an axis: of A, and of B.
using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct Alignments {
  TokenAlignment queries, keys;
};

Alignments alignments_of(const Trace& a, const Trace& b);

// The places of every axis that belong together; empty with a reason where they do not, "[1, 8, 5, 64] beside [1, 4, 5,
// 128]".
std::vector<Pairs> axis_pairs(const Tensor& a, const Tensor& b, StageId stage, const Alignments& tokens,
                              std::string& reason);

// What is computed when it is read costs as much as the forward did; small stages may be read all the same.
bool costs_much(const Tensor& tensor);

// Equal, or both no number.
inline bool same_number(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

// f(index in A, a, b) for every pair of cells, row by row. Throws Cancelled.
template <typename F>
void each_pair(const Tensor& a, const Tensor& b, const std::vector<Pairs>& pairs, const CancelToken& cancel, F&& f) {
  const int rank = a.rank();
  for (const Pairs& axis : pairs) {
    if (axis.empty()) return;
  }
  std::vector<float> left(static_cast<std::size_t>(a.dim(rank - 1))), right(static_cast<std::size_t>(b.dim(rank - 1)));
  PerAxis<std::int64_t> place;
  for (int axis = 0; axis < rank; ++axis) place.push_back(0);
  while (true) {
    cancel.check();
    Region from, to;
    Index at;
    for (int axis = 0; axis + 1 < rank; ++axis) {
      const auto& [i, j] = pairs[static_cast<std::size_t>(axis)][static_cast<std::size_t>(place[axis])];
      from.push_back({i, i + 1});
      to.push_back({j, j + 1});
      at.push_back(i);
    }
    from.push_back({0, a.dim(rank - 1)});
    to.push_back({0, b.dim(rank - 1)});
    at.push_back(0);
    a.read(from, left);
    b.read(to, right);
    for (const auto& [i, j] : pairs.back()) {
      at[rank - 1] = i;
      f(at, static_cast<double>(left[static_cast<std::size_t>(i)]),
        static_cast<double>(right[static_cast<std::size_t>(j)]));
    }
    int axis = rank - 2;
    for (; axis >= 0; --axis) {
      if (++place[axis] < static_cast<std::int64_t>(pairs[static_cast<std::size_t>(axis)].size())) break;
      place[axis] = 0;
    }
    if (axis < 0) return;
  }
}

}  // namespace headscope
