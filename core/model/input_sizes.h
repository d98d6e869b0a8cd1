// Sizes after every default, from options, files and weights. Internal to core/model.
#pragma once

#include "core/model/input_sources.h"
#include "core/model/inputs.h"

namespace headscope {

// The input width of each projection: the key and value sides of a file may differ from the query side (torch: kdim,
// vdim).
struct FeatureCounts {
  std::int64_t query = 0, key = 0, value = 0;
};

// The widths of weights whose sizes are resolved.
FeatureCounts feature_counts(const LayerWeights& weights);

// The batch that all files and --batch agree on; 1 without any. UsageError names the two that differ.
std::int64_t agreed_batch(const Request& request, const Sources& sources);

// UsageError when a float32 tensor of this shape would take more than kDefaultMemoryLimit; `what` begins the sentence.
void check_memory(const Shape& shape, const char* what);

// Sets the sizes of seeded weights: from options, from the width of input files, or by default.
void resolve_seeded_sizes(const Request& request, const Sources& sources, Inputs& inputs);

// Sets the sizes that inputs.weights, read from a file, dictate. Options may repeat them, but not contradict them
// (UsageError).
void resolve_file_sizes(const Request& request, Inputs& inputs);

}  // namespace headscope
