#include "app/gl/seen_keys.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/backend/score_rows.h"
#include "core/request/mask.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

constexpr std::int64_t kBlocks = 16;          // of a mask that hides half of the cells, one in 32 is computed in vain
constexpr std::int64_t kFewestQueries = 256;  // fewer leave a large card without work
constexpr std::int64_t kSumStep = 128;

bool hides_by_minus_infinity(const ScoreRows& rows) {
  return rows.hides() && rows.hidden_score() == -std::numeric_limits<float>::infinity();
}

// Whether a query of these sees nothing.
bool any_all_hidden(const HiddenCells& hidden, std::int64_t b, std::int64_t h, const Range& queries) {
  for (std::int64_t i = queries.begin; i < queries.end; ++i) {
    if (hidden.all_hidden(b, h, i)) return true;
  }
  return false;
}

}  // namespace

Range seen_keys(const ScoreRule& rule, const Region& rows, std::int64_t key_len) {
  const Range all{0, key_len};
  const ScoreRows of_rule(rule);
  if (!hides_by_minus_infinity(of_rule)) return all;
  const HiddenCells& hidden = rule.mask->hidden;
  const Range batches = hidden.batch() == 1 ? Range{0, 1} : rows[0];
  const Range heads = hidden.heads() == 1 ? Range{0, 1} : rows[1];
  Range seen{key_len, 0};
  for (std::int64_t b = batches.begin; b < batches.end; ++b) {
    for (std::int64_t h = heads.begin; h < heads.end; ++h) {
      if (any_all_hidden(hidden, b, h, rows[2])) return all;
      const KeySpans spans = of_rule.spans(b, h, rows[2]);
      const KeySpan& last = spans.second.size() > 0 ? spans.second : spans.first;
      seen = {std::min(seen.begin, spans.first.begin), std::max(seen.end, last.end)};
    }
  }
  // row_statistics.comp adds up keys that lie 128 apart: sums have the same bits from any multiple of it on.
  return {seen.begin / kSumStep * kSumStep, seen.end};
}

std::int64_t queries_at_once(const ScoreRule& rule, std::int64_t key_len) {
  if (!hides_by_minus_infinity(ScoreRows(rule))) return std::numeric_limits<std::int64_t>::max();
  return std::max(kFewestQueries, rounded_up(parts_over(key_len, kBlocks), 64));
}

bool gives_weights(float max, float sum) {
  return std::isfinite(max) && std::isfinite(sum) && sum != 0;
}

}  // namespace headscope
