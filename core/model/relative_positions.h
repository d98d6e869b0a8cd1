// The relative positions of a text, as rows of a model's table that queries and keys of positions are projected from.
#pragma once

#include <cstdint>
#include <memory>

#include "core/model/architecture.h"
#include "core/model/checkpoint_weights.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct RelativePositions {
  DisentangledRule rule;
  std::int64_t first = 0;  // which row of the table rows[0] is
  Tensor rows;             // [1, count, d_model], after the table's norm: those that a text of its length reads

  // Which of `rows` belongs to query i and key j.
  std::int64_t row_of(std::int64_t i, std::int64_t j) const;
};

// Those of a text of `len` tokens, of a model with Architecture::disentangled.
std::shared_ptr<const RelativePositions> relative_positions_of(const Architecture& architecture,
                                                               const EmbeddingWeights& weights, std::int64_t len);

}  // namespace headscope
