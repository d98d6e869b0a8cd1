// A request: what is to be computed, as a plain value with one field for each REQUEST option of the command line.
// Session files save it, undo keeps it, and results are compared by it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/request/interventions.h"

namespace headscope {

enum class QkvLayout { automatic, per_head, blocked };  // rows [q_h k_h v_h] per head, or [Q K V]
enum class Embedding { token, sequence };
enum class Position { none, sinusoidal };
// key_keep and key_hide: as keep and hide, of a file that is [batch, key_len] and says of every key who may see it.
enum class MaskKind { automatic, additive, keep, hide, key_keep, key_hide };
// The axes of files of queries, keys and values: [batch, heads, len, head_dim], [batch, len, heads, head_dim], or texts
// of several lengths one behind the other, [sum of the lengths, heads, head_dim].
enum class HeadsLayout { automatic, bhsd, bshd, thd };
enum class CausalAlign { top_left, bottom_right };
enum class MaskOrder { after_scale, before_scale };
enum class FullyMasked { as_computed, zero, uniform };
enum class SoftcapOrder { before_mask, after_mask };
enum class GroupBy { pieces, words };            // whether pieces of a word are shown as one token
enum class HideTokens { none, special, first };  // which tokens are left out of what is shown
enum class Weighting { weights, value_norm };    // a weight as it is, or times the length of its value
enum class Merge { transpose, direct };
enum class BackendChoice { automatic, cpu, gpu, reference };
// The lists of layers of a model with an encoder and a decoder, or of one whose result is gathered by one more layer,
// pool, which stands behind those of `encoder`. automatic: cross where there is a decoder text, else encoder.
enum class AttentionList { automatic, encoder, decoder, cross, pool };

// The known mistakes of the contract's last section, without merge-direct, which is Request::merge.
enum class Variant {
  softmax_over_queries,
  no_scale,
  scale_by_d_model,
  mask_inverted,
  mask_after_softmax,
  qkv_blocked_as_per_head,
  qkv_per_head_as_blocked,
  key_not_transposed,
};

// One term of `--mask`; several compose. `none` is the empty list.
struct MaskTerm {
  enum class Kind { causal, padding, window, prefix, alibi, file } kind = Kind::causal;
  std::int64_t size = 0;  // padding:N, window:W, prefix:P
  std::string path;       // file
  friend bool operator==(const MaskTerm&, const MaskTerm&) = default;
};

struct Request : Interventions {
  // Where the vectors of queries, keys and values come from. An empty path or phrase means: not given.
  std::string phrase;
  std::optional<std::string> second_phrase;     // for a model that reads pairs: [CLS] A [SEP] B [SEP]
  std::optional<std::string> key_phrase;        // cross-attention
  std::vector<std::int64_t> token_ids;          // instead of a phrase; empty: not given
  std::string image;                            // a PNG or JPEG picture, for a model that reads images
  std::string features;                         // FILE.npy: a sound's features, for a model that reads them
  std::optional<std::string> decoder_phrase;    // of a model with an encoder, which reads the phrase, and a decoder
  std::vector<std::int64_t> decoder_ids;        // instead of a decoder_phrase, the start token too; empty: not given
  std::string input, key_input, value_input;    // FILE.npy: x
  std::string query, key, value;                // FILE.npy: attention alone; or `query` alone, a file that names all
  HeadsLayout layout = HeadsLayout::automatic;  // of query, key and value
  std::vector<std::int64_t> lengths;            // of the texts in files of HeadsLayout::thd; empty: not given

  // Where the weights come from.
  std::string model = "seeded";                        // seeded | demo:NAME | path
  std::optional<std::int64_t> layer;                   // nullopt: the last layer
  AttentionList attention = AttentionList::automatic;  // the list that `layer` counts in
  std::string weights;                                 // a file of one attention layer; "": not given
  QkvLayout qkv_layout = QkvLayout::automatic;

  // Sizes. nullopt means the default, or the size that the weights or inputs have.
  std::optional<std::int64_t> heads, kv_heads, d_model, input_dim, batch;
  std::uint64_t seed = 0;
  double init_gain = 1.0;  // multiplies every seeded weight matrix (not the biases)
  Embedding embedding = Embedding::token;
  Position position = Position::none;

  // Mask.
  std::vector<MaskTerm> mask;
  MaskKind mask_kind = MaskKind::automatic;  // of mask files only
  CausalAlign causal_align = CausalAlign::top_left;
  MaskOrder mask_order = MaskOrder::after_scale;
  double mask_fill = -std::numeric_limits<double>::infinity();
  FullyMasked fully_masked = FullyMasked::as_computed;

  // Keys and values that stand before the text's own.
  std::int64_t past = 0;             // queries begin at this place of the keys
  std::string key_past, value_past;  // FILE.npy: joined before the keys and values; "": not given

  // Scores and weights.
  std::optional<double> scale;    // nullopt: the model's own, else 1/sqrt(head_dim)
  std::optional<double> softcap;  // nullopt: none
  SoftcapOrder softcap_order = SoftcapOrder::before_mask;
  double dropout = 0.0;
  std::uint64_t dropout_seed = 0;
  std::string dropout_mask;  // FILE.npy, 1 = kept; "": kept weights are drawn

  Merge merge = Merge::transpose;
  std::vector<Variant> variants;

  // The session, or picture that carries one, whose run gives the numbers of `patches`; "": not given.
  std::string patch_from;

  // How weights are shown, exported and measured.
  GroupBy groups = GroupBy::pieces;
  HideTokens hide_tokens = HideTokens::none;
  bool renormalise = false;  // rows are divided by their sums
  Weighting weighting = Weighting::weights;
  double top_p = 1.0;  // the smallest set of keys with this share of a row's weight; 1: all

  BackendChoice backend = BackendChoice::automatic;
  int threads = 0;  // 0: all cores

  friend bool operator==(const Request&, const Request&) = default;
};

// The defaults of a seeded request where an optional size is not given.
constexpr std::int64_t kDefaultHeads = 8;
constexpr std::int64_t kDefaultModelWidth = 512;

// True when the request runs attention alone (--query --key --value).
inline bool is_attention_alone(const Request& r) {
  return !r.query.empty() || !r.key.empty() || !r.value.empty();
}

// True when a decoder has something to read.
inline bool has_decoder_text(const Request& r) {
  return r.decoder_phrase.has_value() || !r.decoder_ids.empty();
}

// The list whose layer is shown; of a model without a decoder it says nothing.
inline AttentionList attention_list(const Request& r) {
  if (r.attention != AttentionList::automatic) return r.attention;
  return has_decoder_text(r) ? AttentionList::cross : AttentionList::encoder;
}

// True when the shown layer is the decoder's: its self-attention, or its cross-attention.
inline bool shows_decoder(const Request& r) {
  return has_decoder_text(r) && attention_list(r) != AttentionList::encoder && attention_list(r) != AttentionList::pool;
}

// True when the shown layer is the one that gathers what a model gives.
inline bool shows_pool(const Request& r) {
  return r.attention == AttentionList::pool;
}

// True when keys and values come from elsewhere than queries.
inline bool is_cross_attention(const Request& r) {
  return r.key_phrase.has_value() || !r.key_input.empty() || shows_pool(r) ||
         (shows_decoder(r) && attention_list(r) == AttentionList::cross);
}

bool has_variant(const Request& request, Variant variant);

// Equal requests have equal hashes.
std::size_t hash_of(const Request& request);

}  // namespace headscope
