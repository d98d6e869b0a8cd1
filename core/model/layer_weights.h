// The weights of one attention layer, whatever file or seed they came from.
#pragma once

#include <optional>
#include <string>

#include "core/backend/linear.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Either `qkv` (fused) or `query`, `key` and `value` (separate) is set. Grouped heads have key and value rows for
// kv_heads * head_dim features.
struct LayerWeights {
  Linear qkv;                                  // [3*d_model, input_dim]; fewer rows with grouped heads, in blocks
  QkvLayout qkv_layout = QkvLayout::per_head;  // the layout of the rows of qkv: never automatic
  // Rows of keys (and as many of values) in a blocked qkv, where they follow from the output projection or bias_k; else
  // nullopt.
  std::optional<std::int64_t> fused_key_rows;
  Linear query, key, value;
  Tensor bias_k, bias_v;  // [kv_heads * head_dim]: one more key that no mask hides; or empty
  // [heads], a logit that joins every row of its head's softmax and is dropped afterwards; or empty. And its name.
  Tensor sinks;
  std::string sinks_name;
  // What makes keys and queries of relative positions, where they are not `key` and `query` (DisentangledRule).
  Linear position_key, position_query;
  Linear output;                          // [d_model, heads * value_head_dim], or empty
  std::optional<std::int64_t> num_heads;  // from the file's metadata; nullopt when it has none
  std::string source;                     // "seeded 0", or the path
  bool fused() const { return !qkv.empty(); }
  bool empty() const { return qkv.empty() && query.empty(); }
};

// Reads `--weights FILE` (contract, 'Tensor names of one attention layer'): safetensors, or a file of torch.save, that
// is such a layer or holds one among other tensors, "self_attn.in_proj_weight". `layout`, unless automatic, overrides
// the layout that the names imply. Throws Error when names, shapes or dtypes do not fit, naming found and expected.
LayerWeights read_layer_weights(const std::string& path, QkvLayout layout);

// The same from tensors in memory, as the file would name them; for tests and captures.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};
LayerWeights layer_weights_from(const std::vector<NamedTensor>& tensors, QkvLayout layout, const std::string& source);

// Lower-case hex SHA-256 over every tensor in a fixed order: name, shape, float32 little-endian bytes.
std::string sha256_of(const LayerWeights& weights);

}  // namespace headscope
