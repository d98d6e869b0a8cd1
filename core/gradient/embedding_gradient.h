// The embeddings of a text backwards: from what enters layer 0 to the sums that it is made of.
#pragma once

#include "core/base/thread_pool.h"
#include "core/gradient/rows.h"
#include "core/model/architecture.h"
#include "core/model/checkpoint_weights.h"

namespace headscope {

// The gradient by the sums of word, type and position, [rows, width], from that by what enters layer 0, [rows,
// d_model]: back through their projection and norm where the model has them, in the order of normed_embedding()
// (core/model/stack.h). `sums` are the rows themselves.
GradientRows before_embedding(const Architecture& architecture, const EmbeddingWeights& weights,
                              const GradientRows& sums, const GradientRows& dx, ThreadPool& threads);

}  // namespace headscope
