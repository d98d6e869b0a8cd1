// The tensors of a trained model, grouped as its parts use them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/model/layer_weights.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Weights are stored as in their file: two-byte numbers stay two-byte, Conv1D matrices ([in, out]) are transposed
// views. Vectors (norms, biases) are float32. Tensors that the architecture does not have are empty.
struct NormWeights {
  Tensor weight;  // [features]
  Tensor bias;    // [features]; empty for an RMS norm
  bool empty() const { return weight.empty(); }
};

// What makes tokens of an image (Architecture::image).
struct PatchWeights {
  Linear projection;   // [d_model, channels * patch * patch]
  Tensor class_token;  // [1, d_model], where there is one
  Tensor registers;    // [registers, d_model], where there are some
};

// What makes tokens of a sound's features (Architecture::features): rows [d_model, channels * taps], the taps of a
// channel beside each other.
struct ConvolutionWeights {
  Linear first, second;
};

struct EmbeddingWeights {
  Tensor word;        // [vocab_size, width], width: Architecture::word_width()
  Tensor position;    // [position_offset + max_positions, width], learned positions
  Tensor token_type;  // [token_types, width]
  NormWeights norm;
  Linear projection;  // [d_model, width], where Architecture::embedding_width is above 0
  PatchWeights patches;
  Tensor relative;  // [buckets, num_heads], where Architecture::relative says so, and its name in the file
  std::string relative_name;
  Tensor relative_positions;  // [2 span, d_model], where Architecture::disentangled says so
  NormWeights relative_norm;  // of its rows, where the model has one
  ConvolutionWeights convolutions = {};
  Tensor probe = {};  // [d_model], the learned query of Architecture::Part::pool
};

// Of a mixture (Architecture::mixture). The numbers stay in the file: an expert that no row chose is not read.
struct ExpertWeights {
  struct Expert {
    Linear gate, up, down;
  };
  Linear router;  // [experts, d_model]
  std::vector<Expert> experts;
  Tensor correction;  // [experts], where MixtureRule::correction says so
  Expert shared;      // where MixtureRule::shared_width is above 0
};

// What makes the latents of a layer out of its input (Architecture::latents).
struct LatentWeights {
  Linear query;  // [query_rank, d_model], where there is a query_rank
  Linear key;    // [key_rank + rotary, d_model]
  NormWeights query_norm, key_norm;
};

struct BlockWeights {
  NormWeights attention_norm, mlp_norm;
  NormWeights attention_norm_out, mlp_norm_out;  // of results, before they are added (Architecture::NormPlace)
  std::string attention_norm_out_name;           // of its weight in the file
  LayerWeights attention;                        // of latents, where the model has them
  std::shared_ptr<const LatentWeights> latents;  // null without
  Tensor query_norm, key_norm;                   // [head_dim], of a norm over all heads [heads * head_dim], or empty
  Linear gate, up, down;                         // gate only where the MLP is gated; empty where there are experts
  std::shared_ptr<const ExpertWeights> experts;  // null without
  // Of layer 0 beside whose attention a convolution stands (Architecture::convolution): [d_model, d_model / groups *
  // taps], the taps of a channel beside each other; and the norm of the sum.
  Linear convolution = {};
  NormWeights convolution_norm = {};
};

// Logits of a token before Architecture::logit_scale and logit_softcap: decoder(final_norm(hidden)), or
// decoder(transform_norm(f(transform(final_norm(hidden))))).
struct OutputHead {
  enum class Kind { none, next_token, masked };  // none: the model was saved without its head
  NormWeights final_norm;                        // of the body; also there when the model has no head
  Linear transform;                              // masked heads, with Architecture::head_activation; may be empty
  NormWeights transform_norm;
  Linear decoder;  // [vocab_size, Architecture::word_width()]; tied: the word embedding's storage
  Kind kind = Kind::none;
  Linear projection = {};  // [Architecture::projection, d_model], where that is above 0
};

}  // namespace headscope
