// What is to be computed: a plain value with one field per REQUEST option of the command line. It is what a session
// file saves, what undo keeps, and what two results are compared by.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace headscope {

enum class QkvLayout { automatic, per_head, blocked };  // rows [q_h k_h v_h] per head, or [Q K V]
enum class Embedding { token, sequence };
enum class Position { none, sinusoidal };
enum class MaskKind { automatic, additive, keep, hide };
enum class CausalAlign { top_left, bottom_right };
enum class MaskOrder { after_scale, before_scale };
enum class FullyMasked { as_computed, zero, uniform };
enum class Merge { transpose, direct };
enum class BackendChoice { automatic, cpu, gpu, reference };

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

struct LayerHead {
  std::int64_t layer = 0;
  std::int64_t head = 0;
  friend bool operator==(const LayerHead&, const LayerHead&) = default;
};

// Interventions: numbers changed by hand, heads held still, cells painted over. `on` false: listed, without effect.
// `fields` is what a hash is made of.

// A head whose context is 0.
struct AblatedHead {
  LayerHead place;
  bool on = true;
  auto fields() const { return std::tie(place, on); }
  friend bool operator==(const AblatedHead&, const AblatedHead&) = default;
};

// One number of a stage, or of a tensor of the layer's weights, replaced once it is there; all that comes after
// follows.
struct NumberEdit {
  std::string tensor;                 // a stage, or a tensor by the name that its file gives it
  std::vector<std::int64_t> index;    // in the tensor's own axes
  float value = 0;                    // never NaN
  std::optional<std::int64_t> layer;  // of a model; nothing: the layer that is shown
  bool on = true;
  auto fields() const { return std::tie(tensor, index, value, layer, on); }
  friend bool operator==(const NumberEdit&, const NumberEdit&) = default;
};

// The weights of a head, held at what no score decides.
struct FrozenHead {
  enum class As { uniform, identity };  // 1 / visible keys each; 1 at the query's own place
  LayerHead place;
  As as = As::uniform;
  bool on = true;
  auto fields() const { return std::tie(place, as, on); }
  friend bool operator==(const FrozenHead&, const FrozenHead&) = default;
};

// What multiplies the stage `query` or `key`; of `key` the head is a key and value head.
struct HeadFactor {
  std::optional<LayerHead> place;  // nothing: every head of every layer
  double factor = 1.0;
  bool on = true;
  auto fields() const { return std::tie(place, factor, on); }
  friend bool operator==(const HeadFactor&, const HeadFactor&) = default;
};

// A rectangle of the mask, hidden or shown whatever lies below it; what lies beyond the scores is cut off.
struct PaintedCells {
  static constexpr std::int64_t kToTheEnd = std::numeric_limits<std::int64_t>::max();
  bool hides = true;
  std::int64_t query_begin = 0, query_end = kToTheEnd;
  std::int64_t key_begin = 0, key_end = kToTheEnd;
  bool on = true;
  auto fields() const { return std::tie(hides, query_begin, query_end, key_begin, key_end, on); }
  friend bool operator==(const PaintedCells&, const PaintedCells&) = default;
};

// The interventions of a request, each list in the order in which it was made. Every list has its row in
// core/request/intervention_kinds.h.
struct Interventions {
  std::vector<AblatedHead> ablate;  // those that are on come first
  std::vector<FrozenHead> freeze;
  std::vector<HeadFactor> scale_query, scale_key;
  std::vector<NumberEdit> edits;
  std::vector<PaintedCells> paint;

  friend bool operator==(const Interventions&, const Interventions&) = default;
};

struct Request : Interventions {
  // Where the queries' (and keys', values') vectors come from. Paths are empty when not given.
  std::string phrase;
  std::optional<std::string> second_phrase;  // of a model that reads two: [CLS] A [SEP] B [SEP]
  std::optional<std::string> key_phrase;     // cross-attention
  std::vector<std::int64_t> token_ids;
  std::string input, key_input, value_input;  // FILE.npy: x
  std::string query, key, value;              // FILE.npy: attention alone

  // Where the weights come from.
  std::string model = "seeded";       // seeded | demo:NAME | path
  std::optional<std::int64_t> layer;  // default: the last
  std::string weights;                // FILE.safetensors: one attention layer
  QkvLayout qkv_layout = QkvLayout::automatic;

  // Sizes. Nothing means the default, or what the weights or inputs dictate.
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

  // Scores and weights.
  std::optional<double> scale;  // nothing: 1/sqrt(head_dim)
  std::optional<double> softcap;
  double dropout = 0.0;
  std::uint64_t dropout_seed = 0;
  std::string dropout_mask;  // FILE.npy, 1 = kept

  Merge merge = Merge::transpose;
  std::vector<Variant> variants;

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

// True when keys and values come from elsewhere than queries.
inline bool is_cross_attention(const Request& r) {
  return r.key_phrase.has_value() || !r.key_input.empty();
}

bool has_variant(const Request& request, Variant variant);

// Equal requests have equal hashes.
std::size_t hash_of(const Request& request);

}  // namespace headscope
