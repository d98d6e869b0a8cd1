// A linear map of a model, as its file holds it.
#pragma once

#include <string>

#include "core/tensor/tensor.h"

namespace headscope {

// A linear map y = x W^T + b, as torch.nn.Linear stores it. `weight` may be a transposed view (tutorial 003 and Conv1D
// files store [in, out]), and may hold the two-byte numbers of its file: then it is not stored().
struct Linear {
  Tensor weight;            // [out, in]
  Tensor bias;              // [out], or empty
  std::string weight_name;  // in the file, for messages and explanations; "" when made here
  std::string bias_name;
  bool empty() const { return weight.empty(); }
};

}  // namespace headscope
