// Gradients by attention weights as text for the terminal, as JSON and as named tensors.
#pragma once

#include <string>
#include <vector>

#include "core/io/safetensors.h"
#include "core/sweep/weight_gradients.h"

namespace headscope::cli {

// {"metric", "position", "value", "steps", "layers": [{layer, sum, difference, gap}], "heads": [{layer, head, sum,
// absolute, largest, query, key}]}; difference and gap, which is difference - sum, are null without a path.
std::string gradients_json(const WeightGradients& found, const WeightQuestion& question);

// A table of the sums, layers by heads; what paths miss; the cells that do most.
std::string gradients_text(const WeightGradients& found, const WeightQuestion& question);

// layers.N.weights, layers.N.gradient and layers.N.product, [batch, heads, query, key]. They refer to `found`.
std::vector<NamedTensorRef> gradient_tensors(const WeightGradients& found);

}  // namespace headscope::cli
