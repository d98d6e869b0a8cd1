// What a model computes, described as data: norms, positions, activations, sizes. One forward runs every architecture.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

// Rotary positions (Su et al. 2021): of every query and key the first `features` numbers are turned pair by pair, pair
// p at position m by the angle m * inverse_frequencies[p]; the other features are unchanged. With x, y the two numbers
// of a pair: x cos - y sin, y cos + x sin.
struct RotaryRule {
  // halves: pair p is (p, p + features / 2), as Hugging Face Transformers' rotate_half; neighbours: (2 p, 2 p + 1), as
  // the paper and Meta's own Llama code.
  enum class Pairs { halves, neighbours };
  std::int64_t features = 0;
  Pairs pairs = Pairs::halves;
  // [features / 2], scaling of long contexts already applied. Each value is a float32: the reference implementations
  // keep them so, and multiply them with the position in float32.
  std::vector<double> inverse_frequencies;
  double factor = 1;  // multiplies cos and sin
  friend bool operator==(const RotaryRule&, const RotaryRule&) = default;
};

struct Architecture {
  enum class Norm { layer, rms };
  enum class Position { none, learned, rotary };
  enum class Mlp { none, plain, gated };  // down(f(up x)); down(f(gate x) * up x)
  // gelu: x Phi(x) by erf; gelu_tanh: its approximation by tanh ("gelu_new", "gelu_pytorch_tanh"); silu: x sigmoid(x)
  enum class Activation { gelu, gelu_tanh, silu, relu };

  std::string family;  // the row of the table of families: "gpt2", "bert", "llama", ...
  std::int64_t vocab_size = 0, d_model = 0, num_layers = 0;
  std::int64_t num_heads = 0, num_kv_heads = 0, head_dim = 0;
  std::int64_t mlp_width = 0;      // 0 without an MLP
  std::int64_t max_positions = 0;  // tokens that a text may have; learned: rows of the table less position_offset

  bool causal = false;
  std::optional<std::int64_t> sliding_window;  // only keys j with i - j < sliding_window
  std::optional<double> score_scale;           // instead of 1 / sqrt(head_dim)

  Norm norm = Norm::layer;
  double norm_eps = 1e-5;
  bool norm_plus_one = false;  // Gemma: the weight is added to 1
  // true: x + attention(norm(x)), then x + mlp(norm(x)); false: norm(x + attention(x)), then norm(x + mlp(x))
  bool norm_first = true;
  bool head_norm = false;    // queries and keys pass an RMS norm over head_dim before positions are applied
  double head_norm_eps = 0;  // epsilon of that norm

  Position position = Position::none;
  std::int64_t position_offset = 0;  // RoBERTa: token i reads row i + 2 of the table
  std::optional<RotaryRule> rotary;
  std::int64_t token_types = 0;  // rows of the table of token types; 0 without one
  bool embedding_norm = false;   // the sum of the embeddings is normalised before the first layer
  double embedding_scale = 1;    // multiplies word embeddings; a float32 (Gemma: sqrt(d_model) rounded to float32)
  bool final_norm = false;       // after the last layer
  bool tied_embeddings = false;  // the decoder is the word embedding
  Mlp mlp = Mlp::none;
  Activation activation = Activation::gelu;
  // Of the masked head's transform: norm(f(W x + b)).
  Activation head_activation = Activation::gelu;

  bool qkv_bias = true, output_bias = true, mlp_bias = true, norm_bias = true;
  friend bool operator==(const Architecture&, const Architecture&) = default;
};

// "gelu_tanh" and so on.
const char* activation_name(Architecture::Activation activation);

}  // namespace headscope
