// The names under which files keep one attention layer: the contract's table, a row each.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace headscope {

// How the matrices of a layer stand. fused: queries, keys and values in one, row by row of every head; torch_blocked:
// in one, in blocks; torch_separate: three, whose biases are one vector; separate: three, [out, in]; x_times_w: three,
// [in, out]; heads: three, [heads, in, out] of each head.
enum class LayerRows { fused, torch_blocked, torch_separate, separate, x_times_w, heads };

// Which names a row may hold; "": it has no such tensor.
struct NameScheme {
  LayerRows rows;
  const char* title;
  const char* about;  // what `info` says of it
  const char* qkv;
  const char* qkv_bias;
  const char* query;
  const char* key;
  const char* value;
  const char* query_bias;
  const char* key_bias;
  const char* value_bias;
  const char* output;
  const char* output_bias;
  bool extra_key;  // bias_k and bias_v
};

// Rows with the same projections differ in their output.
std::span<const NameScheme> layer_schemes();

// The tensors that a row needs, and all that it knows.
std::vector<std::string> required_names(const NameScheme& scheme);
std::vector<std::string> known_names(const NameScheme& scheme);

}  // namespace headscope
