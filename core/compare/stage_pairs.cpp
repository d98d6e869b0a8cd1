#include "core/compare/stage_pairs.h"

#include <fmt/format.h>

#include "core/attention/stage_layout.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostComputed = std::int64_t{1} << 24;

Pairs position_by_position(std::int64_t count) {
  Pairs pairs;
  for (std::int64_t i = 0; i < count; ++i) pairs.push_back({i, i});
  return pairs;
}

}  // namespace

Alignments alignments_of(const Trace& a, const Trace& b) {
  return {align_tokens(a.query_labels(), b.query_labels()), align_tokens(a.key_labels(), b.key_labels())};
}

std::vector<Pairs> axis_pairs(const Tensor& a, const Tensor& b, StageId stage, const Alignments& tokens,
                              std::string& reason) {
  if (a.rank() != b.rank()) {
    reason = fmt::format("{} beside {}", to_string(a.shape()), to_string(b.shape()));
    return {};
  }
  std::vector<Pairs> pairs;
  for (int axis = 0; axis < a.rank(); ++axis) {
    const Axis kind = a.axes()[axis];
    const bool keys = kind == Axis::key || (kind == Axis::position && rows_are_keys(stage));
    const bool positions = keys || kind == Axis::query || kind == Axis::position;
    if (positions) {
      const TokenAlignment& along = keys ? tokens.keys : tokens.queries;
      Pairs own;
      for (const auto& pair : along.pairs) {
        if (pair.first < a.dim(axis) && pair.second < b.dim(axis)) own.push_back(pair);
      }
      pairs.push_back(std::move(own));
    } else if (a.dim(axis) == b.dim(axis)) {
      pairs.push_back(position_by_position(a.dim(axis)));
    } else {
      reason = fmt::format("{} beside {}", to_string(a.shape()), to_string(b.shape()));
      return {};
    }
  }
  return pairs;
}

bool costs_much(const Tensor& tensor) {
  return !tensor.stored() && tensor.size() > kMostComputed;
}

}  // namespace headscope
