// Everything that a request names, read and ready to compute with: tokens, vectors, weights, mask files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/layer_weights.h"
#include "core/request/mask.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

class Checkpoint;
struct FeatureInput;
struct HeadRule;
struct ImageInput;
struct OwnArrays;
struct Patches;
struct RelativePositions;
struct RowNorm;

struct Inputs {
  std::vector<std::string> tokens;      // one per query position, as shown: words, or "0", "1", ... for files
  std::vector<std::string> key_tokens;  // the same object as tokens in self-attention
  // Where each token lies in its phrase: [begin, end) in bytes. Empty for inputs from files.
  std::vector<Range> offsets, key_offsets;
  // First token of the second phrase; its offsets, and those of the tokens after it, count in that phrase. 0: one
  // phrase.
  std::int64_t second_begin = 0;

  // Either x (and key_x, value_x for cross-attention) ...
  Tensor x;               // [batch, query_len, input_dim]
  Tensor key_x, value_x;  // [batch, key_len, input_dim], or empty
  // ... or attention alone.
  Tensor query, key, value;  // [batch, heads, len, head_dim], or empty

  LayerWeights weights;                          // empty for attention alone
  std::shared_ptr<const LayerWeights> unedited;  // as loaded, where the request edits some of `weights`; else null
  // In the order of the request's file terms; before them the biases of relative positions of a model that has them.
  std::vector<MaskFile> mask_files;
  std::shared_ptr<const Patches> patches;   // numbers of another run that `--patch` puts in; null: none
  std::shared_ptr<const OwnArrays> arrays;  // of `--set`, `--add` and `--project-out` (own_arrays.h); null: none
  Tensor dropout_mask;                      // 1 = kept; broadcasts to [batch, heads, query_len, key_len]; or empty

  // Sizes after every default: what the request runs with.
  std::int64_t batch = 1, query_len = 0, key_len = 0;  // key_len without the key of bias_k
  std::int64_t num_heads = 0, num_kv_heads = 0, head_dim = 0, value_head_dim = 0;
  std::int64_t input_dim = 0, d_model = 0;

  // Only of a layer of a checkpoint; null and unused otherwise.
  std::shared_ptr<const Checkpoint> checkpoint;
  std::int64_t layer = 0;
  std::vector<std::int64_t> token_ids;           // [query_len], of the model's vocabulary; empty for images and sounds
  std::shared_ptr<const ImageInput> image;       // whose patches the tokens are; null: there is none
  std::shared_ptr<const FeatureInput> features;  // of a sound, whose frames the tokens are; null: there are none
  std::vector<std::int64_t> token_types;         // [query_len]; empty: all 0
  // [query_len], the word that each token is part of (-1: none, a special token of the text, or a token of an image
  // that is no patch); empty where nothing is known of them.
  std::vector<std::int64_t> words;
  std::vector<MaskTerm> own_mask;             // the model's own mask, which hides besides the request's
  std::shared_ptr<const HeadRule> head_rule;  // applied between the split into heads and raw_scores; null: no such step
  // Of a model whose queries and keys meet relative positions (Architecture::disentangled); null: no such step.
  std::shared_ptr<const RelativePositions> relative_positions;
  std::optional<double> score_scale;  // the model's own; nullopt: 1/sqrt(head_dim)
  std::optional<double> softcap;      // the model's own of the scores, where the request has none
  // Normalises what attention gives before it is added to the stream; null: no such step.
  std::shared_ptr<const RowNorm> output_norm;
  // Of a layer of a decoder that has an encoder beside it: the encoder's own inputs; else null. `checkpoint` is then
  // the part of the model that the layer is of, and the tokens are the decoder's; of cross-attention key_x and value_x,
  // which the encoder's run gives, cannot be read before. Likewise of the layer that gathers what a model gives, whose
  // `encoder` is that model and whose `image` is that of the keys.
  std::shared_ptr<const Inputs> encoder;
};

}  // namespace headscope
