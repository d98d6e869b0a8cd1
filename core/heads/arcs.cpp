#include "core/heads/arcs.h"

#include <algorithm>
#include <tuple>

#include "core/base/assert.h"

namespace headscope {

namespace {

bool stronger(const Arc& a, const Arc& b) {
  if (a.weight != b.weight) return a.weight > b.weight;
  return std::tie(a.head, a.query, a.key) < std::tie(b.head, b.query, b.key);
}

}  // namespace

Arcs strongest_arcs(const Trace& trace, const ArcRequest& request, const CancelToken& cancel) {
  Arcs result;
  const Tensor& weights = trace.tensor(StageId::weights);
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(request.most, 0));
  std::vector<Arc>& kept = result.arcs;
  std::vector<float> row(static_cast<std::size_t>(std::max<std::int64_t>(request.keys.size(), 0)));
  // No weight at or below this can be among the strongest any more.
  float floor = 0;
  for (const std::int64_t head : request.heads) {
    HEADSCOPE_ASSERT(head >= 0 && head < weights.dim(1), "a head that the trace does not have");
    for (std::int64_t i = request.queries.begin; i < request.queries.end; ++i) {
      cancel.check();
      weights.read(Region{{request.batch, request.batch + 1}, {head, head + 1}, {i, i + 1}, request.keys}, row);
      for (std::size_t j = 0; j < row.size(); ++j) {
        if (!(row[j] > 0) || !(static_cast<double>(row[j]) >= request.hide_below)) continue;
        ++result.found;
        if (row[j] < floor) continue;
        kept.push_back({head, i, request.keys.begin + static_cast<std::int64_t>(j), row[j]});
        if (kept.size() < 2 * most + 64) continue;
        const auto end = kept.begin() + static_cast<std::ptrdiff_t>(most);
        std::nth_element(kept.begin(), end, kept.end(), stronger);
        floor = end->weight;
        kept.resize(most);
      }
    }
  }
  std::sort(kept.begin(), kept.end(), stronger);
  if (kept.size() > most) kept.resize(most);
  return result;
}

std::int64_t strongest_key(const Trace& trace, std::int64_t batch, std::int64_t head, std::int64_t query) {
  ArcRequest request;
  request.batch = batch;
  request.heads = {head};
  request.queries = {query, query + 1};
  request.keys = {0, trace.key_len()};
  request.most = 1;
  const Arcs strongest = strongest_arcs(trace, request);
  return strongest.arcs.empty() ? 0 : strongest.arcs.front().key;
}

}  // namespace headscope
