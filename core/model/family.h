// The families of models that can be opened, one row each: the keys of config.json and the names of the tensors.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/architecture.h"

namespace headscope {

class ConfigReader;
class WeightFiles;

// A number of config.json: its key, and the default of the family's reference implementation when the key is absent.
// Without a default the key must be there. The reference's defaults are those of its configuration class, which
// save_pretrained leaves out of config.json where a model has them.
struct ConfigNumber {
  const char* key = "";
  std::optional<double> otherwise;
  const char* older = "";  // another key for the same, read where `key` is absent
};

struct ConfigKeys {
  ConfigNumber vocab_size{"vocab_size", {}};
  ConfigNumber d_model{"hidden_size", {}};
  ConfigNumber num_layers{"num_hidden_layers", {}};
  ConfigNumber num_heads{"num_attention_heads", {}};
  ConfigNumber num_kv_heads{};   // without a default, or when null: num_heads
  ConfigNumber head_dim{};       // likewise: d_model / num_heads
  ConfigNumber more_head_dim{};  // added to head_dim; "" where it is the whole
  ConfigNumber mlp_width{};      // likewise: 4 d_model, or the family's own rule
  ConfigNumber max_positions{"max_position_embeddings", {}};
  ConfigNumber norm_eps{"layer_norm_eps", {}};
  const char* activation = "";
  ConfigNumber token_types{};      // "" without such a table
  ConfigNumber embedding_width{};  // "" where it is d_model
};

// Names of modules: a tensor is NAME.weight or NAME.bias, or of a name that ends in _ NAMEweight or NAMEbias (in_proj_
// of nn.MultiheadAttention). "" for a module that the family does not have. The names of a layer follow `layer`, the
// layer's number and a dot; those of Architecture::Part::pool `layer` alone.
struct TensorNames {
  const char* word = "";
  const char* older_word = "";  // another name of the same
  const char* position = "";
  // Of models that read images: the map of patches, [d_model, channels, patch, patch], and the whole names of single
  // tokens; position_table is the whole name of a table [1, positions, d_model].
  const char* patch = "";
  const char* class_token = "";
  const char* registers = "";
  const char* position_table = "";
  const char* probe = "";              // the whole name of the learned query of Architecture::Part::pool
  const char* first_convolution = "";  // of models that read features of a sound, [d_model, channels, taps]
  const char* second_convolution = "";
  const char* token_type = "";
  const char* embedding_norm = "";
  const char* embedding_projection = "";  // where Architecture::embedding_width is above 0
  const char* layer = "";
  const char* attention_norm = "";      // of what enters attention, or, with NormPlace::after_sum, of the sum
  const char* attention_norm_out = "";  // of what attention gives, before it is added
  const char* qkv = "";                 // fused, rows in blocks [Q K V]; or the three below
  const char* query = "";
  const char* key = "";
  const char* value = "";
  const char* output = "";
  const char* query_norm = "";
  const char* key_norm = "";
  // Of latents, `key` with what gets rotary positions below the latent's rows; then what makes heads of them, keys and
  // values of every head in one.
  const char* query_latent = "";
  const char* query_latent_norm = "";
  const char* key_latent = "";
  const char* key_latent_norm = "";
  const char* query_of_latent = "";
  const char* key_value_of_latent = "";
  const char* mlp_norm = "";
  const char* mlp_norm_out = "";
  const char* attention_scale = "";  // the whole names, where Architecture::layer_scale says so
  const char* mlp_scale = "";
  const char* gate_up = "";  // both of a gated MLP in one, rows [gate up]; or the two below
  const char* gate = "";
  const char* up = "";
  const char* down = "";
  // Of a mixture: a matrix each an expert, whose names follow `experts`, the expert's number and a dot; or all experts'
  // matrices in one tensor [experts, in, out] (the tensor's whole name; biases end in _bias), where of gate and up
  // every even column is gate's.
  const char* router = "";
  const char* router_correction = "";  // the whole name
  const char* experts = "";
  const char* expert_gate = "";
  const char* expert_up = "";
  const char* expert_down = "";
  const char* shared_expert = "";  // what stands before the names of the matrices of the one that every row passes
  const char* stacked_gate_up = "";
  const char* stacked_down = "";
  // Or all experts' matrices in one tensor [experts, out, in], one each for gate, up and down (GGUF).
  const char* experts_gate = "";
  const char* experts_up = "";
  const char* experts_down = "";
  const char* sinks = "";     // the whole name
  const char* relative = "";  // of Architecture::relative: one of the body, not of every layer
  // Of Architecture::disentangled: a table of the body and its norm, and the projections of its rows in every layer.
  const char* relative_positions = "";
  const char* relative_norm = "";
  const char* position_key = "";
  const char* position_query = "";
  const char* convolution = "";  // of Architecture::convolution, of the body, and the norm of the sum
  const char* convolution_norm = "";
  const char* final_norm = "";
  // Names of the head, which do not have the body's prefix ("bert.", "model."). Files may be without the projection.
  const char* projection = "";  // of Architecture::projection
  const char* transform = "";
  const char* transform_norm = "";
  const char* decoder = "";
  const char* decoder_bias = "";     // the whole name; "" where the decoder has no bias
  const char* older_transform = "";  // other names of these in some files
  const char* older_transform_norm = "";
  const char* older_decoder_bias = "";  // the whole name
  const char* decoder_row = "";         // the whole name of a bias [1, vocab_size]; files may be without it
};

// A key of config.json with which a model may ask for arithmetic that is not implemented, and the values that are
// allowed.
struct Refusal {
  const char* key;
  std::vector<std::string_view> allowed;  // as JSON text: "false", "absolute"
};

// The keys of config.json (true or false) that say which matrices and norms have biases; "": the fixed value of the
// family.
struct BiasKeys {
  const char* everywhere = "";   // nanoGPT's `bias`: linear maps and norms
  const char* projections = "";  // queries, keys, values and output
  const char* mlp = "";
};

// Sliding windows: Architecture::sliding_window is config.json's `sliding_window`, or `otherwise` where it is absent.
// Which layers have it: those that `layer_types` calls sliding_attention; without such a list all, or as said here.
struct WindowKeys {
  std::int64_t otherwise = 0;  // 0: none
  const char* key = "sliding_window";
  bool breadth = false;             // the key's number counts the keys on both sides, half of them on each
  bool switched = false;            // true: only where use_sliding_window is true, in layers from max_window_layers on
  bool layers_differ = false;       // the reference computes layers as layer_types says; false: all or none
  std::int64_t full_every = 0;      // layer n sees everything where this divides n + 1; 0: no such layer
  bool full_first = false;          // where it divides n: layer 0 sees everything
  const char* full_every_key = "";  // the key with that number; "" for none
};

// Rotary positions: the keys and defaults of the base and of how many features of a head are turned.
struct RotaryKeys {
  ConfigNumber theta{"rope_theta", 10000};
  ConfigNumber share{"partial_rotary_factor", 1};  // of a head's features, rounded down
  ConfigNumber features{};                         // their number itself, where the key is named
  ConfigNumber window_theta{};                     // of the layers with a window, unscaled; "": the same as all others
};

struct Family {
  Architecture fixed;  // the settings that config.json does not decide; its `family` names the row
  std::vector<std::string_view> model_types;
  // model_types of larger models that hold one of these as `text_config`, or, a model that reads images, as
  // `vision_config`
  std::vector<std::string_view> wrappers;
  // Whether a configuration of these model_types is this row's, or one of the rows that follow; null: it is.
  bool (*applies)(ConfigReader& reader) = nullptr;
  std::vector<std::string_view> marks;  // keys that all of this family's configurations have, and no other's
  ConfigKeys keys;
  TensorNames names;
  BiasKeys biases;
  bool in_out = false;  // matrices of the layers are [in, out] (Conv1D)
  // Used where config.json has no tie_word_embeddings. by_file: tied unless the file has a decoder of its own.
  enum class Tied { no, yes, by_file };
  Tied tied = Tied::no;
  std::optional<WindowKeys> window;
  RotaryKeys rotary;
  RotaryRule::Pairs pairs = RotaryRule::Pairs::halves;
  std::vector<Refusal> refused;
  // How names of tensors begin that belong to other parts of a larger model, or to heads that make no tokens: such
  // tensors are not read, and not listed as unexpected.
  std::vector<std::string_view> left_out;
  bool makes_vectors = false;  // of texts, whatever stands in its files: there is no head that predicts tokens
  // Of a model with an encoder and a decoder, whose encoder this row is: its decoder's self-attention and
  // cross-attention (Architecture::Part), in this order. Of a model whose result is gathered by one more layer: that
  // layer. Empty for others.
  std::vector<Family> more_parts;
  // What the family says in its own way; null: nothing. Problems go to the reader.
  void (*particulars)(ConfigReader& reader, const Family& family, Architecture& architecture) = nullptr;
  // Makes tensors that the files keep in another layout known as this row names and uses them; null: none are. Throws
  // Error, which begins with `what`, where one has not as many axes as its name says.
  void (*arrange)(WeightFiles& files, const Architecture& architecture, const std::string& what) = nullptr;
};

std::span<const Family> families();

// The types of configurations that open, each once, in the order of the rows, and the family that opens it: the first
// of several that tell their configurations apart by other keys.
struct FamilyType {
  std::string_view model_type;
  const Family* family = nullptr;
};
std::vector<FamilyType> family_types();

// Prefixes that training code puts before the names of the body: "transformer.", "model.", "_orig_mod.", ...; "" first.
std::span<const std::string_view> body_prefixes();

}  // namespace headscope
