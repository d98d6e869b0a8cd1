// A trained model from a folder: config.json, safetensors, tokenizer. Opened lazily: mapped, and read where looked at.
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

// Weights lie as their file holds them: two-byte numbers stay such, Conv1D matrices ([in, out]) are transposed views.
// Vectors (norms, biases) are float32. Whatever the architecture has not is empty.
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
  NormWeights final_norm;                        // of the body; there without a head, too
  Linear transform;                              // masked heads, with Architecture::head_activation; may be empty
  NormWeights transform_norm;
  Linear decoder;  // [vocab_size, d_model]; tied: the word embedding's storage
  Kind kind = Kind::none;
};

class Checkpoint {
 public:
  // A folder with config.json and model.safetensors (or model.safetensors.index.json with its shards), or demo:NAME for
  // one that Headscope ships. Reads the configuration and headers, no weights. Throws Error with all that is
  // missing or does not fit, names with found and expected; UsageError for a demo that is not there.
  static std::shared_ptr<const Checkpoint> open(const std::string& path_or_demo);
  ~Checkpoint();
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  const std::string& path() const;  // as it was asked for
  const Architecture& architecture() const;

  // Made on the first call and kept: the same storage every time. Safe from any thread.
  EmbeddingWeights embedding() const;
  BlockWeights block(std::int64_t layer) const;  // asserts 0 <= layer < num_layers
  OutputHead output_head() const;

  // Read on the first call; null when the folder has none. Throws Error when it is malformed.
  std::shared_ptr<const Tokenizer> tokenizer() const;

  // Tensors that the files hold and the architecture has no place for, sorted. Buffers that can be made again (causal
  // masks, position ids, inverse frequencies) and BERT's pooler and next-sentence head are not among them.
  const std::vector<std::string>& unexpected() const;
  std::int64_t bytes() const;                      // of the tensors that are used
  std::int64_t parameters() const;                 // numbers in them; a tied decoder counts once
  const std::vector<std::string>& dtypes() const;  // of the tensors that are used, sorted: "BF16"
  const std::vector<std::string>& files() const;   // names of the safetensors files in the folder
  bool holds(const std::string& tensor) const;     // whether one of them has a tensor of that name

 private:
  struct Contents;
  explicit Checkpoint(std::unique_ptr<Contents> contents);
  std::unique_ptr<Contents> contents_;
};

}  // namespace headscope
