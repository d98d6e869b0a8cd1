// A linear map of a model, as its file holds it.
#pragma once

#include <cstdint>
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
  // Above 0: the size of a head whose rows stand pair by pair in the file, as GGUF's Llama has them: row p of a head
  // and row p + size / 2 are its rows 2 p and 2 p + 1 there. 0: rows stand as in the file.
  std::int64_t paired_head = 0;
  bool empty() const { return weight.empty(); }
};

// Rows [begin, end) of a map that holds several, with their biases: [end - begin, in], views of the same numbers.
inline Linear rows_of(const Linear& all, std::int64_t begin, std::int64_t end) {
  Linear part = all;
  part.weight = all.weight.sliced(0, begin, end);
  if (!all.bias.empty()) part.bias = all.bias.sliced(0, begin, end);
  return part;
}

}  // namespace headscope
