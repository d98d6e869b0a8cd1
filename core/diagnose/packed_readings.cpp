#include "core/diagnose/packed_readings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/model/packed_texts.h"

namespace headscope {
namespace {

const Axes kHeadAxes = {Axis::batch, Axis::head, Axis::position, Axis::feature};

bool holds(const std::vector<std::int64_t>& lengths, std::int64_t batch, std::int64_t len) {
  return batch == static_cast<std::int64_t>(lengths.size()) && *std::max_element(lengths.begin(), lengths.end()) <= len;
}

// [batch, heads, len, features] in either order of the axes, or with heads and features in one.
std::vector<PackedReading> packed_heads(const Tensor& own, const Tensor& theirs,
                                        const std::vector<std::int64_t>& lengths) {
  std::vector<PackedReading> readings;
  const std::int64_t heads = own.dim(1), features = own.dim(3);
  if (theirs.shape() == Shape{own.dim(2), heads, features}) {  // packed as ours, whatever sizes are equal
    readings.push_back({"", theirs.permuted({1, 0, 2}).dense_copy().reshaped(own.shape(), own.axes())});
    return readings;
  }
  if (theirs.rank() == 3 && theirs.dim(2) == heads * features && holds(lengths, theirs.dim(0), theirs.dim(1))) {
    const Tensor split = theirs.reshaped({theirs.dim(0), theirs.dim(1), heads, features}, kHeadAxes);
    readings.push_back(
        {"[batch, len, heads * features]", packed_texts(split.permuted({0, 2, 1, 3}).dense_copy(), lengths)});
  }
  if (theirs.rank() != 4 || theirs.dim(3) != features) return readings;
  if (theirs.dim(1) == heads && holds(lengths, theirs.dim(0), theirs.dim(2))) {
    readings.push_back({"[batch, heads, len, features]", packed_texts(theirs, lengths)});
  }
  if (theirs.dim(2) == heads && holds(lengths, theirs.dim(0), theirs.dim(1))) {
    readings.push_back({"[batch, len, heads, features]", packed_texts(theirs.permuted({0, 2, 1, 3}), lengths)});
  }
  return readings;
}

// What queries of a text have with its own keys, in ours.
Tensor scores_within(const Tensor& own, const Tensor& theirs, const std::vector<std::int64_t>& lengths) {
  Tensor packed = own.dense_copy();
  const std::vector<float> from = theirs.values();
  const std::int64_t heads = own.dim(1), all = own.dim(2), rows = theirs.dim(2), columns = theirs.dim(3);
  float* const to = packed.mutable_data();
  std::int64_t begin = 0;
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t i = 0; i < lengths[b]; ++i) {
        const std::int64_t row = ((static_cast<std::int64_t>(b) * heads + h) * rows + i) * columns;
        std::copy_n(from.begin() + row, lengths[b], to + (h * all + begin + i) * all + begin);
      }
    }
    begin += lengths[b];
  }
  return packed;
}

std::vector<PackedReading> readings_of(StageId stage, const Tensor& own, const Tensor& theirs,
                                       const std::vector<std::int64_t>& lengths) {
  if (own.rank() == 4 && is_score_like(stage)) {
    const bool fits = theirs.rank() == 4 && theirs.dim(1) == own.dim(1) &&
                      holds(lengths, theirs.dim(0), theirs.dim(2)) && holds(lengths, theirs.dim(0), theirs.dim(3));
    if (!fits) return {};
    return {{"[batch, heads, queries, keys]", scores_within(own, theirs, lengths)}};
  }
  if (own.rank() == 4) return packed_heads(own, theirs, lengths);
  const bool rows = own.rank() == 3 && theirs.rank() == 3 && theirs.dim(2) == own.dim(2) &&
                    holds(lengths, theirs.dim(0), theirs.dim(1));
  if (!rows) return {};
  return {{"[batch, len, features]", packed_rows(theirs, lengths)}};
}

}  // namespace

std::vector<PackedReading> packed_readings(const Trace& ours, StageId stage, const Tensor& theirs) {
  const std::vector<std::int64_t>& lengths = ours.request.lengths;
  const Tensor& own = ours.tensor(stage);
  if (lengths.empty() || theirs.shape() == own.shape()) return {};
  std::vector<PackedReading> readings = readings_of(stage, own, theirs, lengths);
  for (PackedReading& each : readings) {
    if (!each.as.empty()) each.as += fmt::format(", of every item the first places ({})", fmt::join(lengths, ","));
  }
  return readings;
}

}  // namespace headscope
