// Sizes after every default, from options, files and weights. Internal to core/model.
#pragma once

#include "core/model/input_sources.h"
#include "core/model/inputs.h"

namespace headscope {

// What each projection takes: the key and value sides of a file may differ from the query side (kdim, vdim).
struct FeatureCounts {
  std::int64_t query = 0, key = 0, value = 0;
};

// Of weights whose sizes are resolved.
FeatureCounts feature_counts(const LayerWeights& weights);

// The batch that all files and --batch agree on; 1 without any. UsageError names the two that differ.
std::int64_t agreed_batch(const Request& request, const Sources& sources);

// UsageError when a float32 tensor of this shape would pass kDefaultMemoryLimit; `what` begins the sentence.
void check_memory(const Shape& shape, const char* what);

// Sizes that seeded weights get from options, from the files' width, or by default.
void resolve_seeded_sizes(const Request& request, const Sources& sources, Inputs& inputs);

// Sizes that inputs.weights, read from a file, dictate. Options may repeat them, not contradict them (UsageError).
void resolve_file_sizes(const Request& request, Inputs& inputs);

}  // namespace headscope
