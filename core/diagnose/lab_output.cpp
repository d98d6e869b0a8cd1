// This part of the lab goes from weights to the output.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/backend/kernels/wide_products.h"
#include "core/diagnose/layer_lab.h"
#include "core/request/interventions.h"

namespace headscope {
namespace {

bool all_finite(const double* numbers, std::int64_t count) {
  return std::all_of(numbers, numbers + count, [](double each) { return std::isfinite(each); });
}

}  // namespace

void LayerLab::mix(const Pair& at, const double* weights, double* to) const {
  const WideStage& value = *heads_->at(StageId::value);
  const std::int64_t keys = std::min(at.keys, value.shape[2]), features = value.shape[3];
  const std::int64_t own = kv_head_of(what_.faults.value_groups, at.h, at.heads, value.shape[1]);
  const double* from = value.values.data() + (at.b * value.shape[1] + own) * value.shape[2] * features;
  const auto count = static_cast<std::int64_t>(at.rows.size());
  const std::optional<NumberGrid>& grid = what_.faults.accumulator;
  if (!grid) {
    mix_wide_rows({weights, at.keys, count}, {from, features, keys}, features, to, features);
    // A value that is no finite number makes every sum of its feature none, whatever its weight.
    if (all_finite(to, count * features) || all_finite(from, keys * features)) return;
  }
  std::fill_n(to, count * features, 0.0);
  for (std::int64_t r = 0; r < count; ++r) {
    for (std::int64_t j = 0; j < keys; ++j) {
      const double weight = weights[r * at.keys + j];
      // A hidden value is not read.
      if (weight == 0 && hides(at.b, at.h, at.rows[static_cast<std::size_t>(r)], j)) continue;
      for (std::int64_t d = 0; d < features; ++d) {
        double& sum = to[r * features + d];
        double product = weight * from[j * features + d];
        if (grid && what_.faults.rounds_products) product = rounded_to(*grid, product);
        sum += product;
        if (grid) sum = rounded_to(*grid, sum);
      }
    }
  }
}

WideStage LayerLab::context(const WideStage& weights, Rows rows) const {
  const std::int64_t heads = weights.shape[1], count = weights.shape[2], keys = weights.shape[3];
  const std::int64_t features = heads_->at(StageId::value)->shape[3];
  WideStage result{{weights.shape[0], heads, count, features}, {}};
  result.values.resize(static_cast<std::size_t>(element_count(result.shape)));
  each_pair(weights.shape[0] * heads, [&](std::int64_t pair) {
    mix({pair / heads, pair % heads, heads, keys, rows}, weights.values.data() + pair * count * keys,
        result.values.data() + pair * count * features);
  });
  if (grid_ != nullptr) {
    for (double& each : result.values) each = stored(each);
  }
  return result;
}

WideStage LayerLab::joined(const WideStage& context) const {
  const std::int64_t batch = context.shape[0], heads = context.shape[1], len = context.shape[2];
  const std::int64_t features = context.shape[3];
  WideStage concat{{batch, len, heads * features}, context.values};
  if (what_.request.merge == Merge::direct || what_.faults.join == LayerFaults::Layout::viewed) return concat;
  const bool features_first = what_.faults.join == LayerFaults::Layout::features_first;
  const std::int64_t head_step = features_first ? 1 : features, feature_step = features_first ? heads : 1;
  const LayerFaults::Joined how = what_.faults.heads;
  const double share = how == LayerFaults::Joined::averaged ? 1 / static_cast<double>(heads) : 1;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t i = 0; i < len; ++i) {
      double* to = concat.values.data() + (b * len + i) * heads * features;
      const auto at = [&](std::int64_t h, std::int64_t d) {
        return context.values[static_cast<std::size_t>(((b * heads + h) * len + i) * features + d)];
      };
      for (std::int64_t d = 0; d < features; ++d) {
        double all = 0;
        for (std::int64_t h = 0; h < heads && how != LayerFaults::Joined::apart; ++h) all += at(h, d);
        for (std::int64_t h = 0; h < heads; ++h) {
          to[h * head_step + d * feature_step] = how == LayerFaults::Joined::apart ? at(h, d) : stored(all * share);
        }
      }
    }
  }
  return concat;
}

WideStage LayerLab::output(const WideStage& concat, Rows rows) const {
  const Linear& layer = what_.inputs.weights.output;
  if (layer.empty()) return {};
  WideStage result = what_.faults.output_missing ? concat : projected(concat, layer);
  if (what_.faults.residual_added) {
    const WideStage& x = *heads_->at(StageId::input);
    const std::int64_t features = result.shape[2], len = x.shape[1];
    const auto count = static_cast<std::int64_t>(rows.size());
    for (std::int64_t row = 0; row < result.shape[0] * count; ++row) {
      const std::int64_t from = row / count * len + rows[static_cast<std::size_t>(row % count)];
      for (std::int64_t d = 0; d < features; ++d) {
        double& value = result.values[static_cast<std::size_t>(row * features + d)];
        value = stored(value + x.values[static_cast<std::size_t>(from * features + d)]);
      }
    }
  }
  return result;
}

}  // namespace headscope
