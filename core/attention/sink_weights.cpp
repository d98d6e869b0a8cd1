#include "core/attention/sink_weights.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace headscope {
namespace {

constexpr std::int64_t kRowsAtOnce = 64;

double share_of(double sink, std::span<const float> scores) {
  double largest = sink;
  for (const float score : scores) {
    if (std::isnan(score)) return std::nan("");
    largest = std::max(largest, static_cast<double>(score));
  }
  const double own = std::exp(sink - largest);
  double sum = own;
  for (const float score : scores) sum += std::exp(static_cast<double>(score) - largest);
  return own / sum;
}

struct SinkRows {
  Tensor scores, sinks;
  std::vector<char> frozen;  // [heads]
  bool uniform = false;      // fully masked rows are
  std::shared_ptr<const Mask> mask;

  void read(const Region& region, std::span<float> out) const {
    const std::int64_t keys = scores.dim(3);
    std::vector<float> rows;
    auto to = out.begin();
    for (std::int64_t b = region[0].begin; b < region[0].end; ++b) {
      for (std::int64_t h = region[1].begin; h < region[1].end; ++h) {
        for (std::int64_t first = region[2].begin; first < region[2].end; first += kRowsAtOnce) {
          const Range queries{first, std::min(first + kRowsAtOnce, region[2].end)};
          rows.resize(static_cast<std::size_t>(queries.size() * keys));
          scores.read({{b, b + 1}, {h, h + 1}, queries, {0, keys}}, rows);
          for (std::int64_t i = queries.begin; i < queries.end; ++i) {
            const bool none = frozen[static_cast<std::size_t>(h)] != 0 || (uniform && mask->hidden.all_hidden(b, h, i));
            const std::span<const float> row(rows.data() + (i - queries.begin) * keys, static_cast<std::size_t>(keys));
            *to++ = none ? 0.0F : static_cast<float>(share_of(sinks.at({h}), row));
          }
        }
      }
    }
  }
};

}  // namespace

void add_sink_weights(TraceBuilder& builder, const ScoreRule& rule) {
  if (rule.sinks.empty()) return;
  const Trace& trace = builder.trace();
  SinkRows rows{trace.tensor(StageId::masked_scores), rule.sinks, {}, false, rule.mask};
  for (std::int64_t h = 0; h < trace.num_heads(); ++h) {
    rows.frozen.push_back(frozen_head(trace.request, builder.layer(), h) != nullptr ? 1 : 0);
  }
  rows.uniform = trace.request.fully_masked == FullyMasked::uniform && rule.mask->hidden.any();
  const Shape shape{rows.scores.dim(0), rows.scores.dim(1), rows.scores.dim(2)};
  builder.add_view(StageId::sink_weights, "softmax, the sink's share",
                   Tensor::computed(shape, {Axis::batch, Axis::head, Axis::query},
                                    [rows](const Region& region, std::span<float> out) { rows.read(region, out); }));
}

}  // namespace headscope
