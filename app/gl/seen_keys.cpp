#include "app/gl/seen_keys.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/request/mask.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

constexpr std::int64_t kBlocks = 16;          // of a mask that hides half of the cells, one in 32 is computed in vain
constexpr std::int64_t kFewestQueries = 256;  // fewer leave a large card without work
constexpr std::int64_t kSumStep = 128;

bool hides_by_minus_infinity(const ScoreRule& rule) {
  return rule.mask != nullptr && rule.mask->hidden.any() && !rule.mask_after_softmax &&
         rule.mask_fill < -static_cast<double>(std::numeric_limits<float>::max());
}

}  // namespace

Range seen_keys(const ScoreRule& rule, const Region& rows, std::int64_t key_len) {
  const Range all{0, key_len};
  if (!hides_by_minus_infinity(rule)) return all;
  const HiddenCells& hidden = rule.mask->hidden;
  const Range batches = hidden.batch() == 1 ? Range{0, 1} : rows[0];
  const Range heads = hidden.heads() == 1 ? Range{0, 1} : rows[1];
  Range seen{key_len, 0};
  for (std::int64_t b = batches.begin; b < batches.end; ++b) {
    for (std::int64_t h = heads.begin; h < heads.end; ++h) {
      for (std::int64_t i = rows[2].begin; i < rows[2].end; ++i) {
        const std::optional<VisibleKeys> keys = hidden.visible_keys(b, h, i);
        if (!keys || keys->first.size() + keys->second.size() == 0) return all;
        for (const Range& run : {keys->first, keys->second}) {
          if (run.size() == 0) continue;
          seen = {std::min(seen.begin, run.begin), std::max(seen.end, run.end)};
        }
      }
    }
  }
  // row_statistics.comp adds up keys that lie 128 apart: sums have the same bits from any multiple of it on.
  return {seen.begin / kSumStep * kSumStep, seen.end};
}

std::int64_t queries_at_once(const ScoreRule& rule, std::int64_t key_len) {
  if (!hides_by_minus_infinity(rule)) return std::numeric_limits<std::int64_t>::max();
  return std::max(kFewestQueries, rounded_up(parts_over(key_len, kBlocks), 64));
}

}  // namespace headscope
