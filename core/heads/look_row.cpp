#include "core/heads/look_row.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/request/stage.h"

namespace headscope {

LookRow look_row(const Trace& trace, std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t most) {
  const Tensor& weights = trace.tensor(StageId::weights);
  std::vector<float> row(static_cast<std::size_t>(weights.dim(3)));
  weights.read(Region{{batch, batch + 1}, {head, head + 1}, {query, query + 1}, {0, weights.dim(3)}}, row);
  LookRow look;
  look.finite = std::all_of(row.begin(), row.end(), [](float weight) { return std::isfinite(weight); });
  if (!look.finite) return look;
  std::vector<LookedAt> seen;
  for (std::size_t j = 0; j < row.size(); ++j) {
    const auto key = static_cast<std::int64_t>(j);
    if (row[j] == 0 && trace.mask->hidden.hidden(batch, head, query, key)) continue;
    seen.push_back({key, static_cast<double>(row[j])});
  }
  const auto shown = std::min(seen.size(), static_cast<std::size_t>(std::max<std::int64_t>(0, most)));
  const auto end = seen.begin() + static_cast<std::ptrdiff_t>(shown);
  std::partial_sort(seen.begin(), end, seen.end(), [](const LookedAt& a, const LookedAt& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.key < b.key;
  });
  for (auto other = end; other != seen.end(); ++other) look.others_sum += other->weight;
  look.others = static_cast<std::int64_t>(seen.size() - shown);
  seen.resize(shown);
  look.largest = std::move(seen);
  return look;
}

}  // namespace headscope
