#include "core/model/harmless_keys.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace headscope {
namespace {

constexpr std::string_view kKeys[] = {
    // what the files are
    "_name_or_path", "name_or_path", "architectures", "auto_map", "dtype", "finetuning_task", "language", "languages",
    "license", "model_type", "name", "problem_type", "task_specific_params", "tokenizer_class", "torch_dtype",
    "torchscript", "transformers_version", "use_bfloat16", "version",
    // labels and tokens; what ends with _token_id is below
    "id2label", "label2id", "num_labels", "prefix", "suffix",
    // how it was trained
    "fused_bias_residual", "gradient_checkpointing", "init_config", "init_device", "init_method", "init_std",
    "initializer_factor", "initializer_range", "layerdrop", "pretraining_tp", "summary_activation",
    "summary_first_dropout", "summary_proj_to_labels", "summary_type", "summary_use_proj", "tie_weights_", "verbose",
    // how it is run
    "_attn_implementation", "attn_impl", "attn_implementation", "attn_config.attn_impl", "cache_implementation",
    "output_attentions", "output_hidden_states", "output_router_logits", "return_dict", "use_cache",
    "use_flash_attention", "use_flash_attn",
    // how it generates
    "bad_words_ids", "begin_suppress_tokens", "diversity_penalty", "do_sample", "early_stopping",
    "exponential_decay_length_penalty", "length_penalty", "max_length", "min_length", "no_repeat_ngram_size",
    "num_beam_groups", "num_beams", "num_return_sequences", "output_scores", "remove_invalid_values",
    "repetition_penalty", "return_dict_in_generate", "suppress_tokens", "temperature", "top_k", "top_p", "typical_p",
    // sizes and biases that tensors have
    "attention_bias", "bias", "d_ff", "d_inner", "d_model", "dim", "embed_dim", "expansion_ratio", "ffn_dim",
    "ffn_dim_multiplier", "ffn_hidden_size", "hidden_dim", "hidden_size", "intermediate_size", "mlp_bias",
    "multiple_of", "n_embd", "n_embed", "n_inner", "no_bias", "type_vocab_size", "use_bias", "use_qkv_bias",
    "vocab_size"};

constexpr std::string_view kEndings[] = {"_token_id",     "_token_index", "_token",     "dropout",
                                         "_dropout_prob", "_drop_rate",   "_loss_coef", "_pdrop"};

// Switches, and the value with which they change nothing, as JSON has it.
struct Plain {
  std::string_view key, value;
};

constexpr Plain kPlain[] = {{"add_cross_attention", "false"},
                            {"apply_residual_connection_post_layernorm", "false"},
                            {"attn_config.attn_type", "multihead_attention"},
                            {"attn_config.attn_uses_sequence_id", "false"},
                            {"attn_config.prefix_lm", "false"},
                            {"attn_config.rope", "false"},
                            {"attn_config.sliding_window_size", "-1"},
                            {"chunk_size_feed_forward", "0"},
                            {"is_decoder", "false"},
                            {"is_encoder_decoder", "false"},
                            {"is_training", "false"},
                            {"mlp_type", "default"},
                            {"norm_type", "layer_norm"},
                            {"norm_type", "layernorm"},
                            {"norm_type", "low_precision_layernorm"},
                            {"num_hidden_groups", "1"},
                            {"position_embedding_type", "absolute"},
                            {"qk_layernorm", "false"},
                            {"reorder_and_upcast_attn", "false"},
                            {"scale_attn_weights", "true"},
                            {"scale_embedding", "false"},
                            {"use_bidirectional_attention", "false"},
                            {"use_mrope", "false"},
                            {"use_qk_norm", "false"},
                            {"use_sliding_window", "false"}};

std::string plain_text(const JsonValue& value) {
  return value.kind == JsonValue::Kind::boolean ? value.truth ? "true" : "false" : value.text;
}

}  // namespace

bool is_harmless_key(const std::string& key, const JsonValue& value) {
  const bool list = value.kind == JsonValue::Kind::array || value.kind == JsonValue::Kind::object;
  if (value.kind == JsonValue::Kind::null || (list && value.items.empty())) return true;
  if (std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys)) return true;
  const auto ends = [&](std::string_view ending) { return std::string_view(key).ends_with(ending); };
  if (std::any_of(std::begin(kEndings), std::end(kEndings), ends)) return true;
  return std::any_of(std::begin(kPlain), std::end(kPlain),
                     [&](const Plain& plain) { return key == plain.key && !list && plain_text(value) == plain.value; });
}

}  // namespace headscope
