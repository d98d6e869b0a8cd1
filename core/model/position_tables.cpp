#include "core/model/position_tables.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace headscope {

Tensor sinusoidal_table(std::int64_t positions, std::int64_t features) {
  Tensor table = Tensor::zeros({positions, features}, {Axis::position, Axis::feature});
  const std::int64_t half = (features + 1) / 2;
  float* value = table.mutable_data();
  for (std::int64_t p = 0; p < positions; ++p) {
    for (std::int64_t d = 0; d < features; ++d) {
      const std::int64_t place = d < half ? 2 * d : 2 * (d - half) + 1;
      const double exponent = static_cast<double>(2 * (place / 2)) / static_cast<double>(features);
      const double angle = static_cast<double>(p) / std::pow(10000.0, exponent);
      *value++ = static_cast<float>(d < half ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

std::int64_t relative_bucket(const RelativeRule& rule, std::int64_t distance) {
  std::int64_t buckets = rule.buckets, first = 0;
  if (rule.both_directions) {
    buckets /= 2;
    if (distance > 0) first = buckets;
  } else {
    distance = std::min<std::int64_t>(distance, 0);
  }
  const std::int64_t away = std::abs(distance), single = buckets / 2;
  if (away < single) return first + away;
  const auto count = static_cast<float>(buckets - single);
  const float ratio = static_cast<float>(away) / static_cast<float>(single);
  const auto whole =
      static_cast<float>(std::log(static_cast<double>(rule.most_distance) / static_cast<double>(single)));
  const auto shared = static_cast<std::int64_t>(std::log(ratio) / whole * count);
  return first + std::min(single + shared, buckets - 1);
}

std::int64_t relative_row(const DisentangledRule& rule, std::int64_t distance) {
  const std::int64_t middle = rule.buckets / 2, away = std::abs(distance), span = rule.span();
  std::int64_t bucket = distance;
  if (rule.buckets > 0 && away > middle) {
    const float own = std::log(static_cast<float>(away) / static_cast<float>(middle));
    const float whole = std::log(static_cast<float>(rule.most_distance - 1) / static_cast<float>(middle));
    const auto shared = static_cast<std::int64_t>(std::ceil(own / whole * static_cast<float>(middle - 1)));
    bucket = (distance < 0 ? -1 : 1) * (shared + middle);
  }
  return std::clamp<std::int64_t>(bucket + span, 0, 2 * span - 1);
}

MaskFile relative_bias(const RelativeRule& rule, const EmbeddingWeights& weights, std::int64_t query_len,
                       std::int64_t key_len) {
  const std::int64_t heads = weights.relative.dim(1);
  const std::vector<float> table = weights.relative.values();
  MaskFile bias;
  bias.path = weights.relative_name;
  bias.is_captured = true;
  for (std::int64_t i = 0; i < query_len; ++i) {
    for (std::int64_t j = 0; j < key_len; ++j) bias.rows.push_back(relative_bucket(rule, j - i));
  }
  std::vector<float> added;
  added.reserve(static_cast<std::size_t>(heads) * bias.rows.size());
  for (std::int64_t h = 0; h < heads; ++h) {
    for (const std::int64_t row : bias.rows) added.push_back(table[static_cast<std::size_t>(row * heads + h)]);
  }
  bias.values = Tensor::of({heads, query_len, key_len}, {Axis::head, Axis::query, Axis::key}, std::move(added));
  return bias;
}

}  // namespace headscope
