#include "core/model/architecture_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>

#include "core/base/message_text.h"

namespace headscope {
namespace {

constexpr std::int64_t kLargestSetting = std::int64_t{1} << 40;

template <auto member>
ArchitectureField::Choice choice_of(std::vector<const char*> words) {
  return {std::move(words), [](Architecture& architecture, std::size_t word) {
            auto& setting = architecture.*member;
            setting = static_cast<std::remove_reference_t<decltype(setting)>>(word);
          }};
}

std::vector<ArchitectureField> all_fields() {
  using A = Architecture;
  const std::vector<const char*> activations = {"gelu", "gelu_tanh", "silu", "relu", "quick_gelu"};
  const std::vector<const char*> activation_keys = {
      "hidden_act", "activation_function", "hidden_activation", "activation", "act", "ffn_activation"};
  return {
      {"num_layers",
       &A::num_layers,
       true,
       {"num_hidden_layers", "n_layer", "n_layers", "num_layers", "depth"},
       "how many layers there are"},
      {"num_heads",
       &A::num_heads,
       true,
       {"num_attention_heads", "n_head", "n_heads", "num_heads", "attention_heads", "heads"},
       "heads of queries"},
      {"num_kv_heads",
       &A::num_kv_heads,
       false,
       {"num_key_value_heads", "n_kv_heads", "num_kv_heads", "n_head_kv", "kv_heads"},
       "heads of keys and values; num_heads where it is left out"},
      {"head_dim",
       &A::head_dim,
       false,
       {"head_dim", "d_head", "kv_channels"},
       "features of a head; else d_model / num_heads"},
      {"max_positions",
       &A::max_positions,
       true,
       {"max_position_embeddings", "n_positions", "block_size", "max_seq_len", "max_sequence_length", "n_ctx",
        "seq_length", "context_length"},
       "tokens that a text may have"},
      {"causal", &A::causal, true, {"is_decoder", "causal"}, "whether a token sees only itself and what is before it"},
      {"sliding_window", &A::sliding_window, false, {"sliding_window"}, "only the last so many keys are seen"},
      {"score_scale", &A::score_scale, false, {}, "multiplies scores; else 1 / sqrt(head_dim)"},
      {"norm", choice_of<&A::norm>({"layer", "rms"}), true, {}, "LayerNorm or RMS norm"},
      {"norm_eps",
       &A::norm_eps,
       true,
       {"rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_eps", "norm_epsilon", "layernorm_epsilon"},
       "the norms' epsilon"},
      {"norm_plus_one", &A::norm_plus_one, false, {}, "norms multiply by 1 + weight"},
      {"norm_first",
       ArchitectureField::Truth{[](A& architecture, bool first) {
         architecture.norm_place = first ? A::NormPlace::before : A::NormPlace::after_sum;
       }},
       true,
       {},
       "x + f(norm(x)); false: norm(x + f(x))"},
      {"head_norm_eps", &A::head_norm_eps, false, {}, "epsilon of query_norm and key_norm; else norm_eps"},
      {"head_norm", choice_of<&A::head_norm_kind>({"layer", "rms"}), false, {}, "of query_norm and key_norm; else rms"},
      {"qkv_clip", &A::qkv_clip, false, {}, "queries, keys and values are held within [-qkv_clip, qkv_clip]"},
      {"position_offset", &A::position_offset, false, {}, "token i reads row i + position_offset of the positions"},
      {"embedding_scale", &A::embedding_scale, false, {}, "multiplies word embeddings"},
      {"activation", choice_of<&A::activation>(activations), false, activation_keys, "of the MLP"},
      {"head_activation", choice_of<&A::head_activation>(activations), false, {}, "of transform; else activation"},
  };
}

}  // namespace

std::span<const ArchitectureField> architecture_fields() {
  static const std::vector<ArchitectureField> fields = all_fields();
  return fields;
}

std::string map_word(const std::string& config_word) {
  static constexpr std::array<std::array<std::string_view, 2>, 4> other = {
      {{"gelu_new", "gelu_tanh"}, {"gelu_pytorch_tanh", "gelu_tanh"}, {"gelu_fast", "gelu_tanh"}, {"swish", "silu"}}};
  for (const auto& [theirs, ours] : other) {
    if (config_word == theirs) return std::string(ours);
  }
  return config_word;
}

namespace {

struct FieldReader {
  const ArchitectureField& field;
  ConfigReader& reader;
  Architecture& architecture;

  void operator()(std::int64_t Architecture::*member) const {
    architecture.*member = reader.whole(field.key, 0, kLargestSetting);
  }
  void operator()(std::optional<std::int64_t> Architecture::*member) const {
    architecture.*member = reader.whole(field.key, 1, kLargestSetting);
  }
  void operator()(double Architecture::*member) const { architecture.*member = reader.positive(field.key); }
  void operator()(std::optional<double> Architecture::*member) const {
    architecture.*member = reader.positive(field.key);
  }
  void operator()(bool Architecture::*member) const { architecture.*member = reader.truth(field.key, false); }
  void operator()(const ArchitectureField::Truth& truth) const {
    truth.set(architecture, reader.truth(field.key, false));
  }
  void operator()(const ArchitectureField::Choice& choice) const {
    const std::string word = map_word(reader.text(field.key, choice.words.front()));
    const auto found = std::find(choice.words.begin(), choice.words.end(), word);
    if (found != choice.words.end()) {
      choice.set(architecture, static_cast<std::size_t>(found - choice.words.begin()));
      return;
    }
    reader.add_problem(
        fmt::format("{} is {}, expected {}", field.key, in_quotes(word), fmt::join(choice.words, " or ")));
  }
};

}  // namespace

void read_field(const ArchitectureField& field, ConfigReader& reader, Architecture& architecture) {
  if (reader.find(field.key) != nullptr) {
    std::visit(FieldReader{field, reader, architecture}, field.place);
  } else if (field.needed) {
    reader.add_problem(fmt::format("{} is missing ({})", field.key, field.about));
  }
}

}  // namespace headscope
