#include "app/session/background/models/head_thumbnails.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/attention/shown_mask.h"
#include "core/base/error.h"
#include "core/heads/grouped_mask.h"
#include "core/heads/shown_rows.h"
#include "core/heads/shown_weights.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

double mean_entropy_of(const std::vector<HeadResult>& heads) {
  double sum = 0;
  std::int64_t known = 0;
  for (const HeadResult& head : heads) {
    const MetricValue& entropy = head.metrics[HeadMetric::entropy];
    if (entropy.rows == 0) continue;
    sum += entropy.value;
    ++known;
  }
  return known > 0 ? sum / static_cast<double>(known) : std::numeric_limits<double>::quiet_NaN();
}

// At most kThumbnailPixels a side, each pixel the largest cell under it.
HeadResult head_picture(const Trace& layer, const ModelQuery& query, std::int64_t head, const TokenGroups& groups,
                        const CancelToken& cancel) {
  HeadResult result;
  const PyramidSource source = shown_of(layer, query, head, groups);
  if (source.matrix.empty()) return result;
  const std::int64_t rows = source.matrix.dim(0), columns = source.matrix.dim(1);
  const auto cells = [](std::int64_t count) { return parts_over(count, kThumbnailPixels); };
  const PooledPixels pixels =
      pool_cells(source, {0, rows}, {0, columns}, {cells(rows), cells(columns)}, Pooling::max, cancel);
  std::vector<std::uint8_t> hidden;
  hidden.reserve(pixels.values.size());
  for (std::int64_t i = 0; i < pixels.rows; ++i) {
    for (std::int64_t j = 0; j < pixels.columns; ++j) hidden.push_back(pixels.hidden(i, j) ? 1 : 0);
  }
  result.picture = Tensor::of({pixels.rows, pixels.columns}, {Axis::query, Axis::key}, pixels.values);
  result.mask = mask_of(hidden, pixels.rows, pixels.columns);
  return result;
}

// What metrics are of: the weights as they are shown, or as computed where they cannot be.
Trace measured_layer(const Trace& layer, const Showing& view) {
  try {
    return view.changes_something() ? shown_layer(layer, view, HiddenColumns::zero) : layer;
  } catch (const UsageError&) {
    return layer;
  }
}

double largest_of(const std::vector<HeadResult>& heads) {
  double largest = 0;
  for (const HeadResult& head : heads) {
    for (const float value : head.picture.empty() ? std::vector<float>() : head.picture.values()) {
      if (std::isfinite(value)) largest = std::max(largest, static_cast<double>(value));
    }
  }
  return largest;
}

}  // namespace

PyramidSource shown_of(const Trace& layer, const ModelQuery& query, std::int64_t head, const TokenGroups& groups) {
  PyramidSource source{matrix_at(layer.tensor(StageId::weights), query.batch, head),
                       shown_mask(layer, StageId::weights), query.batch, head};
  if (query.norms) {
    source.matrix = value_weighted_norms(layer, query.batch, head);
  } else if (query.tokens.weighting != Weighting::weights) {
    if (layer.find(StageId::value) == nullptr) return {};
    source.matrix = matrix_at(weighted_weights(layer, query.tokens.weighting), query.batch, head);
  }
  if (!query.tokens.changes_something()) return source;
  source.matrix = by_groups(source.matrix, groups, query.tokens);
  if (!query.tokens.changes_tokens()) return source;
  if (source.mask) source.mask = grouped_mask(*source.mask, query.batch, head, groups);
  source.batch = source.head = 0;
  return source;
}

LayerResult layer_result(const Trace& layer, const ModelQuery& query, const CancelToken& cancel) {
  const Trace measured = measured_layer(layer, query.tokens);
  const TokenPlaces places(measured);
  const TokenGroups groups = token_groups(query.tokens, layer);
  LayerResult result;
  for (std::int64_t h = 0; h < layer.num_heads(); ++h) {
    result.heads.push_back(head_picture(layer, query, h, groups, cancel));
    result.heads.back().metrics = head_metrics(measured, query.batch, h, places, cancel);
  }
  result.mean_entropy = mean_entropy_of(result.heads);
  result.largest = largest_of(result.heads);
  return result;
}

}  // namespace headscope
