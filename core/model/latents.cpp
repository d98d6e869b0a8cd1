#include "core/model/latents.h"

#include <algorithm>
#include <span>
#include <vector>

#include "core/base/assert.h"
#include "core/model/picked_rows.h"
#include "core/model/row_norm.h"

namespace headscope {
namespace {

const Axes kAxes{Axis::batch, Axis::position, Axis::feature};
const Axes kMatrix{Axis::position, Axis::feature};

RowNorm latent_norm(const LatentRule& rule, const NormWeights& weights) {
  return {Architecture::Norm::rms, weights, rule.norm_eps, false, ""};
}

Tensor unread(const Shape& shape) {
  return Tensor::computed(shape, kAxes, [](const Region&, std::span<float>) {
    HEADSCOPE_ASSERT(false, "latents of a model that has not run");
  });
}

// The rows of [key_rank features of W] that make one row of a projection; row -1: none does.
void read_row(const Tensor& stored, std::int64_t row, Range columns, std::span<float> to) {
  const std::int64_t rank = stored.dim(1);
  std::fill(to.begin(), to.end(), 0.0F);
  const Range inside{columns.begin, std::min(columns.end, rank)};
  if (row < 0 || inside.size() <= 0) return;
  stored.read({{row, row + 1}, inside}, to.first(static_cast<std::size_t>(inside.size())));
}

}  // namespace

Latents latents_of(const LatentRule& rule, const LatentWeights& weights, const Tensor& x, const Backend& backend,
                   const CancelToken& cancel) {
  Latents latents;
  latents.query = x;
  if (rule.query_rank > 0) {
    latents.query = backend.linear(x, weights.query.weight, weights.query.bias, cancel);
    norm_rows(latent_norm(rule, weights.query_norm), latents.query, 0, latents.query);
  }
  latents.key = backend.linear(x, weights.key.weight, weights.key.bias, cancel);
  Tensor latent = latents.key.writable_sliced(2, 0, rule.key_rank);
  norm_rows(latent_norm(rule, weights.key_norm), latent, 0, latent);
  latents.value = latents.key.sliced(2, 0, rule.key_rank).dense_copy();
  return latents;
}

Latents latent_shapes(const Architecture& architecture, std::int64_t batch, std::int64_t len) {
  const LatentRule& rule = *architecture.latents;
  const std::int64_t query = rule.query_rank > 0 ? rule.query_rank : architecture.d_model;
  return {unread({batch, len, query}), unread({batch, len, rule.key_rank + rule.rotary}),
          unread({batch, len, rule.key_rank})};
}

Linear latent_key_projection(const Architecture& architecture, const Linear& stored) {
  if (stored.empty()) return {};
  const std::int64_t rank = architecture.latents->key_rank, rotary = architecture.latents->rotary;
  const std::int64_t features = architecture.head_dim, nope = features - rotary;
  const std::int64_t in_file = nope + architecture.value_features();
  const auto read = [=, weight = stored.weight](const Region& region, std::span<float> out) {
    const auto width = static_cast<std::size_t>(region[1].size());
    for (std::int64_t row = region[0].begin; row < region[0].end; ++row) {
      const std::span<float> to = out.subspan(static_cast<std::size_t>(row - region[0].begin) * width, width);
      const std::int64_t feature = row % features;
      read_row(weight, feature < nope ? row / features * in_file + feature : -1, region[1], to);
      const std::int64_t copied = rank + feature - nope - region[1].begin;
      if (feature >= nope && 0 <= copied && copied < region[1].size()) to[static_cast<std::size_t>(copied)] = 1.0F;
    }
  };
  const Shape shape{architecture.num_heads * features, rank + rotary};
  Linear projection;
  projection.weight = Tensor::computed(shape, kMatrix, read);
  projection.weight_name = stored.weight_name + " (keys)";
  return projection;
}

Linear latent_value_projection(const Architecture& architecture, const Linear& stored) {
  const std::int64_t features = architecture.value_features();
  const std::int64_t nope = architecture.head_dim - architecture.latents->rotary;
  return picked_rows(stored, architecture.num_heads * features, "values",
                     [=](std::int64_t row) { return row / features * (nope + features) + nope + row % features; });
}

}  // namespace headscope
