#include "core/attention/merged_on_demand.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "core/tensor/parts.h"

namespace headscope {

Tensor merged_on_demand(const Tensor& context, Merge merge) {
  const std::int64_t heads = context.dim(1), len = context.dim(2), features = context.dim(3);
  return Tensor::computed({context.dim(0), len, heads * features}, {Axis::batch, Axis::position, Axis::feature},
                          [context, merge, heads, len, features](const Region& region, std::span<float> out) {
                            const std::int64_t width = region[2].size();
                            std::vector<float> rows;
                            for (std::int64_t b = region[0].begin; b < region[0].end; ++b) {
                              float* to = out.data() + (b - region[0].begin) * region[1].size() * width;
                              if (merge == Merge::transpose) {
                                // All rows of these heads at once, of one head only the columns that are asked for.
                                const Range own{region[2].begin / features, parts_over(region[2].end, features)};
                                const Range read = own.size() > 1 ? Range{0, features}
                                                                  : Range{region[2].begin - own.begin * features,
                                                                          region[2].end - own.begin * features};
                                rows.resize(static_cast<std::size_t>(own.size() * region[1].size() * read.size()));
                                context.read({{b, b + 1}, own, region[1], read}, rows);
                                const float* from = rows.data();
                                for (std::int64_t h = own.begin; h < own.end; ++h) {
                                  const Range columns{std::max(region[2].begin - h * features, std::int64_t{0}),
                                                      std::min(region[2].end - h * features, features)};
                                  float* first = to + h * features + columns.begin - region[2].begin;
                                  for (std::int64_t i = 0; i < region[1].size(); ++i, from += read.size()) {
                                    std::copy_n(from + columns.begin - read.begin, columns.size(), first + i * width);
                                  }
                                }
                                continue;
                              }
                              // The places of a row follow one another in memory: position p of the batch is context's
                              // [p / (len * features), p / features % len, p % features].
                              for (std::int64_t i = region[1].begin; i < region[1].end; ++i) {
                                std::int64_t place = i * heads * features + region[2].begin;
                                const std::int64_t end = i * heads * features + region[2].end;
                                float* row = to + (i - region[1].begin) * width;
                                while (place < end) {
                                  const std::int64_t h = place / (len * features), position = place / features % len,
                                                     d = place % features;
                                  const std::int64_t count = std::min(features - d, end - place);
                                  context.read({{b, b + 1}, {h, h + 1}, {position, position + 1}, {d, d + count}},
                                               std::span<float>(row, static_cast<std::size_t>(count)));
                                  row += count;
                                  place += count;
                                }
                              }
                            }
                          });
}

Tensor projected_on_demand(const Tensor& x, const Linear& layer, std::shared_ptr<const Backend> backend) {
  return Tensor::computed({x.dim(0), x.dim(1), layer.weight.dim(0)}, x.axes(),
                          [x, layer, backend](const Region& region, std::span<float> out) {
                            const Region rows{region[0], region[1], {0, x.dim(2)}};
                            Tensor part = Tensor::zeros({region[0].size(), region[1].size(), x.dim(2)}, x.axes());
                            x.read(rows, std::span<float>(part.mutable_data(), static_cast<std::size_t>(part.size())));
                            const Tensor y = backend->linear(part, layer.weight, layer.bias, CancelToken());
                            Region columns = whole(y.shape());
                            columns[2] = region[2];
                            y.read(columns, out);
                          });
}

}  // namespace headscope
