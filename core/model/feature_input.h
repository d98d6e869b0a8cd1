// The features of a sound as a model reads them: the tokens that its frames become.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/tensor/tensor.h"

namespace headscope {

class Checkpoint;

struct FeatureInput {
  std::string path;
  std::int64_t bands = 0, frames = 0;
  Tensor first;                    // [frames, d_model], what the first convolution gives, after gelu
  Tensor tokens;                   // [frames / 2, d_model], the same of the second
  Tensor embedded;                 // [1, frames / 2, d_model], with positions: what enters layer 0
  std::vector<std::string> names;  // of the tokens, by the frame on which each stands: "f0", "f2", "f4", ...
};

// Makes tokens of features [bands, frames] (or [1, bands, frames]) for the checkpoint's model, by its FeatureRule; sums
// are double. Equals WhisperEncoder's conv1, conv2 and embed_positions. `path` names them in errors. Throws Error for
// other shapes than the model's bands and two frames for each of its positions, and Cancelled.
std::shared_ptr<const FeatureInput> feature_input(const Tensor& features, const std::string& path,
                                                  const Checkpoint& checkpoint, const CancelToken& cancel);

}  // namespace headscope
