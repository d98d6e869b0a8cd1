#include "core/gradient/embedding_gradient.h"

#include "core/backend/linear.h"
#include "core/gradient/norm_gradient.h"
#include "core/model/row_norm.h"

namespace headscope {

GradientRows before_embedding(const Architecture& architecture, const EmbeddingWeights& weights,
                              const GradientRows& sums, const GradientRows& dx, ThreadPool& threads) {
  const RowNorm norm = row_norm_of(architecture, weights.norm);
  const Linear& projection = weights.projection;
  if (projection.empty()) return before_norm(norm, sums, dx);
  if (architecture.projected_first) {
    return before_linear(before_norm(norm, linear_of(sums, projection, threads), dx), projection, threads);
  }
  return before_norm(norm, sums, before_linear(dx, projection, threads));
}

}  // namespace headscope
