#include "app/cli/bench_layer.h"

#include <cmath>
#include <memory>
#include <vector>

#include "core/attention/merge_heads.h"
#include "core/attention/projection_steps.h"
#include "core/model/seeded.h"

namespace headscope::cli {

namespace {

Tensor drawn_heads(TorchGenerator& generator, const BenchCase& size) {
  const Shape shape{1, size.heads, size.seq_len, size.head_dim()};
  std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
  generator.randn(element_count(shape), values.data());
  return Tensor::of(shape, {Axis::batch, Axis::head, Axis::position, Axis::feature}, std::move(values));
}

}  // namespace

BenchLayer::BenchLayer(const BenchCase& size) : alone_(size.alone) {
  Request request;
  request.mask = size.mask;
  rule_.scale = 1.0 / std::sqrt(static_cast<double>(size.head_dim()));
  rule_.mask = std::make_shared<const Mask>(build_mask(
      request, {}, {.batch = size.batch, .heads = size.heads, .query_len = size.seq_len, .key_len = size.seq_len}));

  TorchGenerator generator(0);
  const Axes features{Axis::batch, Axis::position, Axis::feature};
  const Axes scores{Axis::batch, Axis::head, Axis::query, Axis::key};
  if (alone_) {
    query_ = drawn_heads(generator, size);
    key_ = drawn_heads(generator, size);
    value_ = drawn_heads(generator, size);
  } else {
    x_ = draw_sequence(generator, size.batch, size.seq_len, size.input_dim);
    layer_ = draw_layer(generator, {size.input_dim, size.d_model, size.heads, size.heads}, 1.0, QkvLayout::blocked);
    projected_ = Tensor::zeros({size.batch, size.seq_len, 3 * size.d_model}, features);
    query_ = split_heads(projected_.sliced(2, 0, size.d_model), size.heads);
    key_ = split_heads(projected_.sliced(2, size.d_model, 2 * size.d_model), size.heads);
    value_ = split_heads(projected_.sliced(2, 2 * size.d_model, 3 * size.d_model), size.heads);
    results_.weights = Tensor::zeros({size.batch, size.heads, size.seq_len, size.seq_len}, scores);
    output_ = Tensor::zeros({size.batch, size.seq_len, size.d_model}, features);
  }
  const Shape rows{size.batch, size.heads, size.seq_len};
  results_.statistics.max = Tensor::zeros(rows, {Axis::batch, Axis::head, Axis::query});
  results_.statistics.sum = Tensor::zeros(rows, {Axis::batch, Axis::head, Axis::query});
  results_.context = Tensor::zeros({size.batch, size.heads, size.seq_len, size.head_dim()},
                                   {Axis::batch, Axis::head, Axis::position, Axis::feature});
}

void BenchLayer::run(const Backend& backend, const CancelToken& cancel) {
  if (!alone_) backend.linear_into(x_, layer_.qkv, projected_, cancel);
  const QueryRange all{{0, query_.dim(0)}, {0, query_.dim(1)}, {0, query_.dim(2)}};
  backend.attention({.query = query_, .key = key_, .rule = rule_}, value_, all, results_, cancel);
  if (alone_) return;
  backend.linear_into(merged_heads(results_.context, Merge::transpose), layer_.output, output_, cancel);
}

}  // namespace headscope::cli
