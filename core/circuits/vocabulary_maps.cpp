#include "core/circuits/vocabulary_maps.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/assert.h"
#include "core/circuits/embedded_tokens.h"

namespace headscope {
namespace {

const Axes kRowAxes{Axis::batch, Axis::position, Axis::feature}, kMapAxes{Axis::query, Axis::key},
    kFactorAxes{Axis::batch, Axis::head, Axis::position, Axis::feature}, kWeightAxes{Axis::feature, Axis::feature};

std::vector<float> as_floats(const std::vector<double>& values) {
  std::vector<float> floats(values.size());
  std::transform(values.begin(), values.end(), floats.begin(), [](double value) { return static_cast<float>(value); });
  return floats;
}

// Matrix m of a stack [matrices, rows, columns], times `factor`.
Tensor factor_of(const Tensor& stack, std::int64_t m, double factor) {
  const std::int64_t rows = stack.dim(1), columns = stack.dim(2);
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  stack.read({{m, m + 1}, {0, rows}, {0, columns}}, values);
  for (float& value : values) value = static_cast<float>(static_cast<double>(value) * factor);
  return Tensor::of({rows, columns}, kWeightAxes, std::move(values));
}

// What each feature of a head's context does to the stream that the decoder's rows are multiplied with.
Tensor written_directions(const TokenDecoder& decoder, const Tensor& output, std::int64_t head) {
  const std::int64_t rows = output.dim(1), columns = output.dim(2);
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  output.read({{head, head + 1}, {0, rows}, {0, columns}}, values);
  for (std::size_t row = 0; row < values.size(); row += static_cast<std::size_t>(columns)) {
    const std::span<float> place = std::span(values).subspan(row, static_cast<std::size_t>(columns));
    const std::vector<double> direction = decoder.direction({place.begin(), place.end()});
    std::transform(direction.begin(), direction.end(), place.begin(),
                   [](double value) { return static_cast<float>(value); });
  }
  return Tensor::of({rows, columns}, kWeightAxes, std::move(values));
}

// A matrix whose rows are made block by block, times some weights.
struct Factor {
  const Tensor& weight;
  std::vector<float> rows = {};
  void add(const Backend& backend, const Tensor& block, const CancelToken& cancel) {
    const std::vector<float> made = backend.linear(block, weight, {}, cancel).values();
    rows.insert(rows.end(), made.begin(), made.end());
  }
  Tensor take() {
    const std::int64_t width = weight.dim(0), count = std::ssize(rows) / width;
    return Tensor::of({1, 1, count, width}, kFactorAxes, std::move(rows));
  }
};

// left right^T, computed where it is read.
Tensor product_of(const Tensor& left, const Tensor& right, const std::shared_ptr<const Backend>& backend) {
  const auto read = [left, right, backend](const Region& region, std::span<float> out) {
    const Tensor cells = backend->query_key_products(left, right, {{0, 1}, {0, 1}, region[0], region[1]}, {});
    const std::vector<float> values = cells.values();
    std::copy(values.begin(), values.end(), out.begin());
  };
  return Tensor::computed({left.dim(2), right.dim(2)}, kMapAxes, read);
}

Tensor block_of(const std::vector<double>& rows, std::int64_t count) {
  return Tensor::of({1, count, std::ssize(rows) / count}, kRowAxes, as_floats(rows));
}

}  // namespace

VocabularyMaps vocabulary_maps(const Checkpoint& checkpoint, std::int64_t layer, std::int64_t head, NormFolding folding,
                               const std::shared_ptr<const Backend>& backend, const CancelToken& cancel) {
  const HeadMaps maps = head_maps(checkpoint, layer, folding);
  HEADSCOPE_ASSERT(0 <= head && head < maps.heads(), std::to_string(head));
  const EmbeddedTokens tokens(checkpoint, layer, folding);
  const TokenDecoder decoder(checkpoint, folding);
  const std::int64_t group = maps.group_of(head);
  const Tensor query_weight = factor_of(maps.query, head, score_scale_in(checkpoint.architecture(), layer)),
               key_weight = factor_of(maps.key, group, 1), value_weight = factor_of(maps.value, group, 1);
  Factor queries{query_weight}, keys{key_weight}, values{value_weight};
  visit_blocks(tokens.count(), cancel, [&](std::int64_t begin, std::int64_t end) {
    const Tensor block = block_of(tokens.rows(begin, end), end - begin);
    for (Factor* factor : {&queries, &keys, &values}) {
      if (factor != &values || !decoder.empty()) factor->add(*backend, block, cancel);
    }
  });
  VocabularyMaps found{product_of(queries.take(), keys.take(), backend), {}};
  if (decoder.empty()) return found;
  const Tensor directions = written_directions(decoder, maps.output, head);
  Factor logits{directions};
  visit_blocks(decoder.count(), cancel, [&](std::int64_t begin, std::int64_t end) {
    logits.add(*backend, block_of(decoder.rows(begin, end), end - begin), cancel);
  });
  found.ov = product_of(values.take(), logits.take(), backend);
  return found;
}

}  // namespace headscope
