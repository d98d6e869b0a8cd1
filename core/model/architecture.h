// What a model computes, described as data: norms, positions, activations, sizes. One forward runs every architecture.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

// Rotary positions (Su et al. 2021): of every query and key the `features` numbers from `begin` on are turned pair by
// pair, pair p at position m by the angle m * inverse_frequencies[p]; the other features are unchanged. Pairs are
// counted from `begin` on. With x, y the two numbers
// of a pair: x cos - y sin, y cos + x sin.
struct RotaryRule {
  // halves: pair p is (p, p + features / 2), as Hugging Face Transformers' rotate_half; neighbours: (2 p, 2 p + 1), as
  // the paper and Meta's own Llama code.
  enum class Pairs { halves, neighbours };
  std::int64_t features = 0, begin = 0;
  Pairs pairs = Pairs::halves;
  // [features / 2], scaling of long contexts already applied. Each value is a float32: the reference implementations
  // keep them so, and multiply them with the position in float32.
  std::vector<double> inverse_frequencies;
  double factor = 1;  // multiplies cos and sin
  friend bool operator==(const RotaryRule&, const RotaryRule&) = default;
};

// A mixture of experts in place of one MLP: of a row x the router gives p = softmax(router x) over all experts, or
// p_e = sigmoid((router x)_e) of each; the `chosen` largest p (of equal ones the first) choose experts, whose results
// are summed with the factors p_e, divided by the sum of the chosen p where `renormalised`, and times `factor`. A
// softmax of the chosen logits alone gives the same factors.
struct MixtureRule {
  std::int64_t experts = 0, chosen = 0;
  std::int64_t width = 0;  // features between the matrices of an expert
  bool renormalised = true;
  bool sigmoid = false;  // p_e = sigmoid((router x)_e)
  bool correction =
      false;  // a learned number of every expert is added to its p where experts are chosen, and only there
  // Experts stand in so many groups, as many in each; those of the `chosen_groups` best groups alone can be chosen. A
  // group is as good as the best of its experts, with a correction as the sum of its two best.
  std::int64_t groups = 1, chosen_groups = 1;
  double factor = 1;
  std::int64_t shared_width = 0;  // of one more MLP, which every row passes and whose result is added; 0: there is none
  // gpt-oss: gate' = min(gate, limit), up' = up held within [-limit, limit], then gate' sigmoid(slope gate') * (up' +
  // 1) in place of f(gate) * up.
  struct Clamp {
    double limit = 7, slope = 1.702;
    friend bool operator==(const Clamp&, const Clamp&) = default;
  };
  std::optional<Clamp> clamp;
  std::vector<bool> layers;  // [num_layers], those that have the mixture, others an MLP; empty: all of them
  bool router_bias = false, expert_bias = false;
  friend bool operator==(const MixtureRule&, const MixtureRule&) = default;
};

// Multi-head latent attention (DeepSeek-AI 2024, DeepSeek-V2, section 2.1): of the normalised stream x
//   query latent = RMSNorm(W_qa x), or x itself without a query_rank; queries are linear maps of it
//   key latent = RMSNorm(first key_rank features of W_kva x), the other `rotary` features of W_kva x beside it
// values are linear maps of the key latent; the key of a head is a linear map of it, and then those `rotary` features,
// which are the same for all heads and alone get rotary positions.
struct LatentRule {
  std::int64_t query_rank = 0, key_rank = 0, rotary = 0;
  double norm_eps = 1e-6;  // of both norms
  friend bool operator==(const LatentRule&, const LatentRule&) = default;
};

// An image in place of a text (Dosovitskiy et al. 2021): it is cut into patches of `patch` x `patch` pixels, row by
// row; the numbers of a patch, channel by channel, pass a linear map and become a token. Before them stand the class
// token, which has a position of its own, and registers (Darcet et al. 2024), which have none.
struct ImageRule {
  static constexpr std::int64_t kChannels = 3;
  // What becomes of the learned positions when an image has another grid of patches than the one they were learned on:
  // it is refused, or they are interpolated by cubic convolution, with a = -0.75 between the nearest positions
  // (torch's bicubic), or with a = -0.5 over all that a new place covers (torch's with antialias).
  enum class OtherGrid { refused, bicubic, bicubic_antialias };
  std::int64_t height = 0, width = 0;  // pixels of the images that positions were learned on
  std::int64_t patch = 0;
  bool class_token = true;
  std::int64_t registers = 0;
  bool patch_bias = true;
  OtherGrid other_grid = OtherGrid::refused;
  std::int64_t rows() const { return height / patch; }
  std::int64_t columns() const { return width / patch; }
  std::int64_t leading() const { return (class_token ? 1 : 0) + registers; }  // tokens before the patches
  friend bool operator==(const ImageRule&, const ImageRule&) = default;
};

// The features of a sound in place of a text (Radford et al. 2022, Whisper, section 2.2): [bands, frames], where every
// frame holds the log-mel spectrum of a moment. Two convolutions over three frames each make tokens of them, gelu after
// either; the second stands on every other frame, so that two frames become a token:
//   first[d, t] = gelu(sum_c,k W1[d, c, k] features[c, t + k - 1] + b1[d])
//   token[i, d] = gelu(sum_c,k W2[d, c, k] first[c, 2 i + k - 1] + b2[d]);  what is outside counts as 0
struct FeatureRule {
  static constexpr std::int64_t kTaps = 3;  // frames of a convolution
  static constexpr std::int64_t kFramesPerToken = 2;
  std::int64_t bands = 0;
  friend bool operator==(const FeatureRule&, const FeatureRule&) = default;
};

// Biases of relative positions (Raffel et al. 2020, T5, section 2.1): the number of the bucket of j - i and the head is
// added to the score of query i and key j. With n = j - i where both directions have half of the buckets each, the
// upper half for n > 0, else n = min(j - i, 0): |n| below half of a direction's buckets has a bucket of its own, larger
// ones share buckets that grow by a factor up to `most_distance`, from which on all are in the last one.
struct RelativeRule {
  std::int64_t buckets = 32, most_distance = 128;
  bool both_directions = true;
  friend bool operator==(const RelativeRule&, const RelativeRule&) = default;
};

// Disentangled attention (He et al. 2020, DeBERTa, section 3.1): beside the product of query i and key j their score
// has that of query i with the key of their relative position (c2p, content to position), and that of key j with its
// query (p2c, position to content), where the model has these. Keys and queries of relative positions are projected
// from a table of 2 span rows, whose row for i - j is
//   min(max(bucket(i - j) + span, 0), 2 span - 1)
// for both: the paper's algorithm reads j - i for p2c, its published code and checkpoints do not. Without buckets
// bucket(n) = n and span = most_distance. With buckets span = buckets, and with m = buckets / 2, rounded down,
// bucket(n) = n for |n| <= m, else sign(n) (ceil(log(|n| / m) / log((most_distance - 1) / m) (m - 1)) + m).
struct DisentangledRule {
  bool c2p = false, p2c = false;
  std::int64_t buckets = 0;  // 0: none
  std::int64_t most_distance = 512;
  bool own_projections = true;  // false: of queries and keys themselves
  bool normed = false;          // rows of the table pass a norm before they are projected
  std::int64_t span() const { return buckets > 0 ? buckets : most_distance; }
  friend bool operator==(const DisentangledRule&, const DisentangledRule&) = default;
};

struct Architecture {
  // A model with an encoder and a decoder is three models here, whose layers attend once: its encoder; the
  // self-attention of the decoder's layers, without what follows it; their cross-attention and MLP. A layer of the
  // decoder is one of either. pool: the one layer behind a whole model whose query is learned, and whose keys are what
  // the model gives (Zhai et al. 2023, SigLIP).
  enum class Part { whole, encoder, decoder, cross, pool };
  enum class Norm { layer, rms };
  // Where the norms of a layer stand, of its attention and of its MLP alike (f):
  //   before x + f(norm(x));  after_sum norm(x + f(x));  after x + norm(f(x));  around x + norm'(f(norm(x)))
  enum class NormPlace { before, after_sum, after, around };
  enum class Position { none, learned, rotary };
  enum class Mlp { none, plain, gated };  // down(f(up x)); down(f(gate x) * up x)
  // How the rows of a fused projection lie: [Q K V]; [q_h k_h v_h] of every head; [q_h .. k_g v_g] of every group of
  // heads that share a key
  enum class FusedRows { blocked, per_head, grouped };
  // gelu: x Phi(x) by erf; gelu_tanh: its approximation by tanh ("gelu_new", "gelu_pytorch_tanh"); silu: x sigmoid(x);
  // quick_gelu: x sigmoid(1.702 x)
  enum class Activation { gelu, gelu_tanh, silu, relu, quick_gelu };

  // A convolution over the rows that enter layer 0, whose result is added to what leaves that layer, before one more
  // norm (He et al. 2021, DeBERTa-v2; core/model/row_convolution.h).
  struct Convolution {
    std::int64_t taps = 3, groups = 1;     // rows that it reads, an odd number; groups of features on their own
    std::optional<Activation> activation;  // of what it gives; nullopt: tanh
    friend bool operator==(const Convolution&, const Convolution&) = default;
  };

  std::string family;  // the row of the table of families: "gpt2", "bert", "llama", ...
  Part part = Part::whole;
  bool of_decoder() const { return part == Part::decoder || part == Part::cross; }
  std::int64_t vocab_size = 0, d_model = 0, num_layers = 0;
  std::int64_t num_heads = 0, num_kv_heads = 0, head_dim = 0;
  std::int64_t value_head_dim = 0;  // features of a head of values; 0: head_dim
  std::optional<LatentRule> latents;
  std::optional<ImageRule> image;       // reads images; nullopt: token ids
  std::optional<FeatureRule> features;  // reads features of a sound; nullopt: token ids
  std::int64_t mlp_width = 0;           // 0 without an MLP
  std::int64_t max_positions = 0;       // tokens that a text may have; learned: rows of the table less position_offset

  FusedRows fused_rows = FusedRows::blocked;
  bool causal = false;
  std::optional<std::int64_t> sliding_window;  // only keys j with i - j < sliding_window
  std::vector<bool> windowed;                  // [num_layers], the layers that have the window; empty: all of them
  bool alibi = false;                          // -slope(head) * (i - j) is added to the scores (Press et al. 2022)
  std::int64_t alibi_size = 0;                 // which slopes: the number of the mask term (core/request/alibi.h)
  std::optional<RelativeRule> relative;        // the table of the first layer is that of all
  std::optional<DisentangledRule> disentangled;
  std::optional<double> score_scale;    // instead of 1 / sqrt(head_dim)
  bool scale_by_layer = false;          // the scale of layer n is divided by n + 1
  std::optional<double> score_softcap;  // C * tanh(scores / C) before the mask
  bool sinks = false;                   // a learned logit of every head joins the softmax and is dropped

  Norm norm = Norm::layer;
  double norm_eps = 1e-5;
  bool norm_plus_one = false;  // Gemma: the weight is added to 1
  NormPlace norm_place = NormPlace::before;
  bool norms_input() const { return norm_place == NormPlace::before || norm_place == NormPlace::around; }
  bool norms_result() const { return norm_place == NormPlace::after || norm_place == NormPlace::around; }
  // Attention and MLP read the same stream: x + attention(norm(x)) + mlp(norm(x)); a family without the name of a norm
  // for the MLP gives both the same. Only with NormPlace::before.
  bool parallel = false;
  // What attention and the MLP give is multiplied by learned numbers, feature by feature, instead of being normalised
  // (Touvron et al. 2021, LayerScale). Only with NormPlace::around.
  bool layer_scale = false;
  bool shared_norm = false;       // the MLP has no norm of its own, though the family names one
  bool bare_first_layer = false;  // the attention of layer 0 reads the stream without a norm
  bool drops_stream = false;      // what attention gives takes the place of the stream, which is not added to it
  bool head_norm = false;         // queries and keys pass a norm over head_dim before positions are applied
  bool head_norm_whole = false;   // that norm is over all heads of a position, before they are split
  bool head_norm_own = false;     // every head has weights of its own for that norm
  Norm head_norm_kind = Norm::rms;
  double head_norm_eps = 0;  // epsilon of that norm
  // Above 0: queries, keys and values are held within [-qkv_clip, qkv_clip] as they leave their projections.
  double qkv_clip = 0;

  Position position = Position::none;
  std::int64_t position_offset = 0;  // RoBERTa: token i reads row i + 2 of the table
  std::optional<RotaryRule> rotary;
  std::optional<RotaryRule> window_rotary;  // of the layers with a window, where it is another
  bool sinusoidal = false;                  // learned: the table is computed where the files hold none (Marian)
  std::int64_t token_types = 0;             // rows of the table of token types; 0 without one
  bool embedding_norm = false;              // the sum of the embeddings is normalised before the first layer
  // Above 0: the tables of embeddings, and what the decoder reads, have so many features; the sum of the embeddings,
  // after its norm, is projected to d_model.
  std::int64_t embedding_width = 0;
  bool projected_first = false;  // that sum is projected before its norm
  std::optional<Convolution> convolution;
  // Above 0: the layers share the weights of so many groups, of which each has as many layers in a row.
  std::int64_t layer_groups = 0;
  double embedding_scale = 1;  // multiplies word embeddings; a float32 (Gemma: sqrt(d_model) rounded to float32)
  bool final_norm = false;     // after the last layer
  // Above 0: what the final norm leaves is mapped to so many features, in which texts and images are compared (Radford
  // et al. 2021). As the files hold it.
  std::int64_t projection = 0;
  bool projection_bias = false;
  bool tied_embeddings = false;         // the decoder is the word embedding
  double logit_scale = 1;               // multiplies what the decoder gives
  std::optional<double> logit_softcap;  // then C * tanh(logit / C)
  Mlp mlp = Mlp::none;
  Activation activation = Activation::gelu;
  std::optional<MixtureRule> mixture;
  // Of the masked head's transform: norm(f(W x + b)).
  Activation head_activation = Activation::gelu;
  bool transform_bias = true, transform_norm_bias = true, decoder_bias = true;  // where the family names them

  bool qkv_bias = true, output_bias = true, mlp_bias = true, norm_bias = true;
  bool key_bias = true;  // false: of queries, keys and values the keys have none (Whisper)

  std::int64_t value_features() const { return value_head_dim > 0 ? value_head_dim : head_dim; }
  std::int64_t word_width() const { return embedding_width > 0 ? embedding_width : d_model; }
  // The number that the names of the layer's tensors have.
  std::int64_t stored_layer(std::int64_t layer) const;
  bool has_window(std::int64_t layer) const;
  bool has_experts(std::int64_t layer) const;
  // The layer's own scale of scores; nullopt: 1 / sqrt(head_dim).
  std::optional<double> score_scale_of(std::int64_t layer) const;
  // Null without rotary positions.
  const RotaryRule* rotary_of(std::int64_t layer) const;
  friend bool operator==(const Architecture&, const Architecture&) = default;
};

using ConvolutionRule = Architecture::Convolution;

// "gelu_tanh" and so on.
const char* activation_name(Architecture::Activation activation);

}  // namespace headscope
