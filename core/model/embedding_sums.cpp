#include "core/model/embedding_sums.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/assert.h"
#include "core/model/architecture.h"
#include "core/model/checkpoint_weights.h"
#include "core/model/stack.h"

namespace headscope {
namespace {

const Axes kAxes{Axis::batch, Axis::position, Axis::feature};

// A row of a table, or zeros where the model has no such table.
std::vector<float> table_row(const Tensor& table, std::int64_t index, std::int64_t width) {
  std::vector<float> row(static_cast<std::size_t>(width));
  if (!table.empty()) table.read({{index, index + 1}, {0, width}}, row);
  return row;
}

}  // namespace

EmbeddingSums embedding_sums(const Checkpoint& checkpoint, std::span<const std::int64_t> ids,
                             std::span<const std::int64_t> types) {
  const Architecture& architecture = checkpoint.architecture();
  const EmbeddingWeights weights = checkpoint.embedding();
  const std::int64_t width = architecture.word_width(), len = std::ssize(ids);
  const auto scale = static_cast<float>(architecture.embedding_scale);
  std::vector<float> words, rest;
  for (std::int64_t i = 0; i < len; ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (const float value : table_row(weights.word, ids[at], width)) words.push_back(scale * value);
    const std::vector<float> type = table_row(weights.token_type, types.empty() ? 0 : types[at], width);
    const std::vector<float> place = table_row(weights.position, i + architecture.position_offset, width);
    for (std::size_t d = 0; d < type.size(); ++d) rest.push_back(type[d] + place[d]);
  }
  return {Tensor::of({1, len, width}, kAxes, std::move(words)), Tensor::of({1, len, width}, kAxes, std::move(rest))};
}

Tensor embedded_shares(const Checkpoint& checkpoint, const EmbeddingSums& sums, std::span<const double> shares,
                       std::int64_t batch) {
  const std::vector<float> words = sums.words.values(), rest = sums.rest.values();
  const std::int64_t len = sums.words.dim(1), width = sums.words.dim(2);
  HEADSCOPE_ASSERT(std::ssize(shares) == len, to_string(sums.words.shape()));
  std::vector<float> rows;
  rows.reserve(static_cast<std::size_t>(batch) * words.size());
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::size_t k = 0; k < words.size(); ++k) {
      const double share = shares[k / static_cast<std::size_t>(width)];
      rows.push_back(static_cast<float>(share * static_cast<double>(words[k]) + static_cast<double>(rest[k])));
    }
  }
  return normed_embedding(checkpoint.architecture(), checkpoint.embedding(),
                          Tensor::of({batch, len, width}, kAxes, std::move(rows)));
}

}  // namespace headscope
