// A trained model from a folder: config.json, safetensors, tokenizer. Files are mapped; weights are read when they are
// used.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/model/architecture.h"
#include "core/model/layer_weights.h"
#include "core/tensor/tensor.h"

namespace headscope {

class Tokenizer;

// Weights are stored as in their file: two-byte numbers stay two-byte, Conv1D matrices ([in, out]) are transposed
// views. Vectors (norms, biases) are float32. Tensors that the architecture does not have are empty.
struct NormWeights {
  Tensor weight;  // [features]
  Tensor bias;    // [features]; empty for an RMS norm
  bool empty() const { return weight.empty(); }
};

struct EmbeddingWeights {
  Tensor word;        // [vocab_size, d_model]
  Tensor position;    // [position_offset + max_positions, d_model], learned positions
  Tensor token_type;  // [token_types, d_model]
  NormWeights norm;
};

struct BlockWeights {
  NormWeights attention_norm, mlp_norm;
  LayerWeights attention;
  Tensor query_norm, key_norm;  // [head_dim], or empty
  Linear gate, up, down;        // gate only where the MLP is gated
};

// Logits of a token: decoder(final_norm(hidden)), or decoder(transform_norm(f(transform(final_norm(hidden))))).
struct OutputHead {
  enum class Kind { none, next_token, masked };  // none: the model was saved without its head
  NormWeights final_norm;                        // of the body; also there when the model has no head
  Linear transform;                              // masked heads, with Architecture::head_activation; may be empty
  NormWeights transform_norm;
  Linear decoder;  // [vocab_size, d_model]; tied: the word embedding's storage
  Kind kind = Kind::none;
};

class Checkpoint {
 public:
  // A folder with config.json and model.safetensors (or model.safetensors.index.json with its shards), or demo:NAME for
  // one that Headscope ships. Reads the configuration and headers, no weights. Throws Error that lists everything that
  // is missing or does not fit, each with name, found and expected; UsageError for an unknown demo.
  static std::shared_ptr<const Checkpoint> open(const std::string& path_or_demo);
  ~Checkpoint();
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  const std::string& path() const;  // as given to open()
  const Architecture& architecture() const;

  // Made on the first call and kept: the same storage every time. Safe from any thread.
  EmbeddingWeights embedding() const;
  BlockWeights block(std::int64_t layer) const;  // asserts 0 <= layer < num_layers
  OutputHead output_head() const;

  // Read on the first call; null when the folder has none. Throws Error when it is malformed.
  std::shared_ptr<const Tokenizer> tokenizer() const;

  // Tensors of the files that the architecture does not use, sorted. Buffers that can be computed again (causal masks,
  // position ids, inverse frequencies) and BERT's pooler and next-sentence head are not listed.
  const std::vector<std::string>& unexpected() const;
  std::int64_t bytes() const;                      // of the tensors that are used
  std::int64_t parameters() const;                 // numbers in them; a tied decoder counts once
  const std::vector<std::string>& dtypes() const;  // of the tensors that are used, sorted: "BF16"
  const std::vector<std::string>& files() const;   // names of the safetensors files in the folder
  bool holds(const std::string& tensor) const;     // whether a file has a tensor of that name

 private:
  struct Contents;
  explicit Checkpoint(std::unique_ptr<Contents> contents);
  std::unique_ptr<Contents> contents_;
};

}  // namespace headscope
