#include "core/model/architecture_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>

#include "core/base/message_text.h"
#include "core/request/alibi.h"

namespace headscope {
namespace {

using A = Architecture;
using Rows = std::vector<ArchitectureField>;

constexpr std::int64_t kLargestSetting = std::int64_t{1} << 40;

template <auto member>
ArchitectureField::Choice choice_of(std::vector<const char*> words) {
  return {std::move(words),
          [](Architecture& architecture, std::size_t word) {
            auto& setting = architecture.*member;
            setting = static_cast<std::remove_reference_t<decltype(setting)>>(word);
          },
          [](const Architecture& architecture) { return static_cast<std::size_t>(architecture.*member); }};
}

Rows sizes() {
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
       {"num_key_value_heads", "n_kv_heads", "num_kv_heads", "n_head_kv", "kv_heads", "attn_config.kv_n_heads"},
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
  };
}

Rows scores() {
  const ArchitectureField::Count alibi_most = {
      [](A& architecture, std::int64_t most) { architecture.alibi_size = alibi_size_of_most(most); },
      [](const A& architecture) -> std::optional<std::int64_t> {
        if (architecture.alibi_size <= 0) return std::nullopt;
        return architecture.alibi_size;
      }};
  return {
      {"causal", &A::causal, true, {"is_decoder", "causal"}, "whether a token sees only itself and what is before it"},
      {"sliding_window", &A::sliding_window, false, {"sliding_window"}, "only the last so many keys are seen"},
      {"score_scale",
       &A::score_scale,
       false,
       {"attention_multiplier", "softmax_scale", "attn_config.softmax_scale"},
       "multiplies scores; else 1 / sqrt(head_dim)"},
      {"scale_by_layer",
       &A::scale_by_layer,
       false,
       {"scale_attn_by_inverse_layer_idx"},
       "the scale of layer n is divided by n + 1"},
      {"score_softcap",
       &A::score_softcap,
       false,
       {"attn_logit_softcapping", "attn_config.attn_logit_softcapping"},
       "C of C tanh(scores / C)"},
      {"alibi", &A::alibi, false, {"alibi", "use_alibi", "attn_config.alibi"}, "scores have ALiBi's biases"},
      {"alibi_bias_max", alibi_most, false, {"alibi_bias_max", "attn_config.alibi_bias_max"}, "of ALiBi; else 8"},
      {"fused_rows",
       choice_of<&A::fused_rows>({"blocked", "per_head", "grouped"}),
       false,
       {},
       "rows of qkv: [Q K V]; [q k v] of every head; [q .. k v] of every group of heads that share a key"},
      {"qkv_clip",
       &A::qkv_clip,
       false,
       {"clip_qkv", "attn_config.clip_qkv"},
       "queries, keys and values are held within [-qkv_clip, qkv_clip]"},
  };
}

Rows norms() {
  return {
      {"norm", choice_of<&A::norm>({"layer", "rms"}), true, {}, "LayerNorm or RMS norm"},
      {"norm_eps",
       &A::norm_eps,
       true,
       {"rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_eps", "norm_epsilon", "layernorm_epsilon"},
       "the norms' epsilon"},
      {"norm_plus_one", &A::norm_plus_one, false, {}, "norms multiply by 1 + weight"},
      {"norm_place",
       choice_of<&A::norm_place>({"before", "after_sum", "after", "around"}),
       false,
       {},
       "x + f(norm(x)); norm(x + f(x)); x + norm(f(x)); x + norm(f(norm(x)))"},
      {"norm_first",
       ArchitectureField::Truth{[](A& architecture, bool first) {
         architecture.norm_place = first ? A::NormPlace::before : A::NormPlace::after_sum;
       }},
       false,
       {},
       "true: norm_place before; false: after_sum"},
      {"parallel",
       &A::parallel,
       false,
       {"use_parallel_residual", "parallel_attn", "parallel_residual"},
       "attention and MLP read the same stream; without mlp_norm the same norm, too"},
      {"head_norm_eps", &A::head_norm_eps, false, {}, "epsilon of query_norm and key_norm; else norm_eps"},
      {"head_norm", choice_of<&A::head_norm_kind>({"layer", "rms"}), false, {}, "of query_norm and key_norm; else rms"},
  };
}

Rows ends() {
  const std::vector<const char*> activations = {"gelu", "gelu_tanh", "silu", "relu", "quick_gelu"};
  const std::vector<const char*> activation_keys = {"hidden_activation", "hidden_act", "activation_function",
                                                    "activation",        "act",        "ffn_activation"};
  return {
      {"position_offset", &A::position_offset, false, {}, "token i reads row i + position_offset of the positions"},
      {"embedding_scale",
       &A::embedding_scale,
       false,
       {"embedding_multiplier", "embedding_scale"},
       "multiplies word embeddings"},
      {"logit_scale", &A::logit_scale, false, {"logit_scale"}, "multiplies logits"},
      {"logit_softcap",
       &A::logit_softcap,
       false,
       {"final_logit_softcapping"},
       "C of C tanh(logits / C), after logit_scale"},
      {"activation", choice_of<&A::activation>(activations), false, activation_keys, "of the MLP"},
      {"head_activation", choice_of<&A::head_activation>(activations), false, {}, "of transform; else activation"},
  };
}

}  // namespace

std::span<const ArchitectureField> architecture_fields() {
  static const Rows fields = [] {
    Rows all;
    for (const Rows& rows : {sizes(), scores(), norms(), ends()}) all.insert(all.end(), rows.begin(), rows.end());
    return all;
  }();
  return fields;
}

std::string map_word(const std::string& config_word) {
  static constexpr std::array<std::array<std::string_view, 2>, 7> other = {{{"gelu_new", "gelu_tanh"},
                                                                            {"gelu_pytorch_tanh", "gelu_tanh"},
                                                                            {"gelu_python_tanh", "gelu_tanh"},
                                                                            {"gelu_fast", "gelu_tanh"},
                                                                            {"gelu_accurate", "gelu_tanh"},
                                                                            {"gelu_python", "gelu"},
                                                                            {"swish", "silu"}}};
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
  void operator()(const ArchitectureField::Count& count) const {
    count.set(architecture, reader.whole(field.key, 1, 1 << 20));
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

struct FieldWriter {
  const Architecture& architecture;
  const Architecture silent = {};

  template <typename Value>
  std::string operator()(Value Architecture::*member) const {
    const auto& value = architecture.*member;
    if (value == silent.*member) return "";
    if constexpr (std::is_same_v<Value, std::optional<std::int64_t>> || std::is_same_v<Value, std::optional<double>>) {
      return value ? fmt::format("{}", *value) : "";
    } else {
      return fmt::format("{}", value);
    }
  }
  std::string operator()(const ArchitectureField::Truth&) const { return ""; }
  std::string operator()(const ArchitectureField::Count& count) const {
    const std::optional<std::int64_t> value = count.get(architecture);
    return value ? fmt::format("{}", *value) : "";
  }
  std::string operator()(const ArchitectureField::Choice& choice) const {
    const std::size_t word = choice.get(architecture);
    return word == choice.get(silent) ? "" : fmt::format("\"{}\"", choice.words[word]);
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

std::string field_json(const ArchitectureField& field, const Architecture& architecture) {
  return std::visit(FieldWriter{architecture}, field.place);
}

}  // namespace headscope
