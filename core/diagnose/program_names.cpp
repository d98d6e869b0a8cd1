#include "core/diagnose/program_names.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

namespace headscope {
namespace {

using P = DumpPart;
using S = StageId;
using F = NameFor;

constexpr std::string_view kHf = "Transformers", kLlama = "llama.cpp", kOwn = "Headscope", kLens = "TransformerLens";

constexpr ProgramName kNames[] = {
    // What a model of Transformers gives with output_hidden_states and output_attentions, and its cache.
    {kHf, "hidden_states.{N}", P::hidden, {}, "bid"},
    {kHf, "hidden_states_{N}", P::hidden, {}, "bid"},
    {kHf, "hidden_states", P::hidden, {}, "lbid"},
    {kHf, "attentions.{N}", P::stage, S::weights, "bhij"},
    {kHf, "attentions_{N}", P::stage, S::weights, "bhij"},
    {kHf, "attentions", P::stage, S::weights, "lbhij"},
    {kHf, "(past_key_values.|present.){N}.key", P::stage, S::key, "bhid"},
    {kHf, "(past_key_values.|present.){N}.value", P::stage, S::value, "bhid"},
    {kHf, "key_cache.{N}", P::stage, S::key, "bhid"},
    {kHf, "value_cache.{N}", P::stage, S::value, "bhid"},
    {kHf, "last_hidden_state", P::final_norm, {}, "bid"},
    {kHf, "(lm_head|embed_out|logits)", P::logits, {}, "bid"},
    // Modules of Llama and its relatives: Mistral, Qwen, Gemma, Phi, OLMo, GPT-NeoX.
    {kHf, "(model.|model.language_model.|language_model.model.|model.decoder.|decoder.|)layers.{N}.self_attn.q_proj",
     P::stage, S::query_proj, "bid"},
    {kHf, "(model.|model.language_model.|language_model.model.|model.decoder.|decoder.|)layers.{N}.self_attn.k_proj",
     P::stage, S::key_proj, "bid"},
    {kHf, "(model.|model.language_model.|language_model.model.|model.decoder.|decoder.|)layers.{N}.self_attn.v_proj",
     P::stage, S::value_proj, "bid"},
    {kHf, "(model.|)layers.{N}.self_attn.qkv_proj", P::stage, S::qkv, "bid"},
    {kHf, "(model.|model.language_model.|language_model.model.|)layers.{N}.self_attn.o_proj", P::stage, S::output,
     "bid"},
    {kHf, "(model.decoder.|decoder.)layers.{N}.self_attn.out_proj", P::stage, S::output, "bid"},
    {kHf, "(model.|model.language_model.|language_model.model.|model.decoder.|decoder.|)layers.{N}.self_attn", P::stage,
     S::output, "bid"},
    {kHf, "(model.|model.language_model.|language_model.model.|gpt_neox.|)layers.{N}.input_layernorm", P::stage,
     S::input, "bid"},
    {kHf,
     "(model.|model.language_model.|language_model.model.|gpt_neox.|)layers.{N}.post_attention_layernorm",
     P::mlp_in,
     {},
     "bid",
     F::plain_result},
    {kHf, "(model.|model.language_model.|language_model.model.|)layers.{N}.post_attention_layernorm", P::stage,
     S::attention_norm_out, "bid", F::norms_result},
    {kHf,
     "(model.|model.language_model.|language_model.model.|)layers.{N}.pre_feedforward_layernorm",
     P::mlp_in,
     {},
     "bid",
     F::norms_result},
    {kHf,
     "(model.|model.language_model.|language_model.model.|)layers.{N}.post_feedforward_layernorm",
     P::mlp_out,
     {},
     "bid",
     F::norms_result},
    {kHf,
     "(model.|model.language_model.|language_model.model.|gpt_neox.|)layers.{N}.(mlp|block_sparse_moe)",
     P::mlp_out,
     {},
     "bid",
     F::plain_result},
    {kHf,
     "(model.|model.language_model.|language_model.model.|model.decoder.|decoder.|gpt_neox.|)layers.{N}",
     P::leaving,
     {},
     "bid"},
    {kHf,
     "(model.|model.language_model.|language_model.model.|)embed_tokens",
     P::entering,
     {},
     "bid",
     F::bare_embedding},
    {kHf, "(model.|model.language_model.|language_model.model.|)norm", P::final_norm, {}, "bid"},
    {kHf, "(gpt_neox.|)layers.{N}.attention.query_key_value", P::stage, S::qkv, "bid"},
    {kHf, "(gpt_neox.|)layers.{N}.attention.dense", P::stage, S::output, "bid"},
    {kHf, "(gpt_neox.|)layers.{N}.attention", P::stage, S::output, "bid"},
    {kHf, "(gpt_neox.|model.)(final_layer_norm|final_layernorm)", P::final_norm, {}, "bid"},
    // GPT-2, GPT-J; Falcon and BLOOM, whose modules for attention and MLP add the stream and so are not here.
    {kHf, "(transformer.|)h.{N}.attn.c_attn", P::stage, S::qkv, "bid"},
    {kHf, "(transformer.|)h.{N}.attn.q_proj", P::stage, S::query_proj, "bid"},
    {kHf, "(transformer.|)h.{N}.attn.k_proj", P::stage, S::key_proj, "bid"},
    {kHf, "(transformer.|)h.{N}.attn.v_proj", P::stage, S::value_proj, "bid"},
    {kHf, "(transformer.|)h.{N}.attn.(c_proj|out_proj)", P::stage, S::output, "bid"},
    {kHf, "(transformer.|)h.{N}.attn", P::stage, S::output, "bid"},
    {kHf, "(transformer.|)h.{N}.ln_1", P::stage, S::input, "bid"},
    {kHf, "(transformer.|)h.{N}.ln_2", P::mlp_in, {}, "bid"},
    {kHf, "(transformer.|)h.{N}.mlp", P::mlp_out, {}, "bid"},
    {kHf, "(transformer.|)h.{N}.mlp.(c_proj|fc_out|dense_4h_to_h)", P::mlp_out, {}, "bid"},
    {kHf, "(transformer.|)h.{N}.self_attention.query_key_value", P::stage, S::qkv, "bid"},
    {kHf, "(transformer.|)h.{N}.self_attention.dense", P::stage, S::output, "bid"},
    {kHf, "(transformer.|)h.{N}.input_layernorm", P::stage, S::input, "bid"},
    {kHf, "(transformer.|)h.{N}.post_attention_layernorm", P::mlp_in, {}, "bid"},
    {kHf, "(transformer.|)h.{N}", P::leaving, {}, "bid"},
    {kHf, "transformer.drop", P::entering, {}, "bid"},
    {kHf, "(transformer.|)ln_f", P::final_norm, {}, "bid"},
    // BERT, RoBERTa, ELECTRA; DistilBERT.
    {kHf, "(bert.|roberta.|electra.|)encoder.layer.{N}.attention.self.query", P::stage, S::query_proj, "bid"},
    {kHf, "(bert.|roberta.|electra.|)encoder.layer.{N}.attention.self.key", P::stage, S::key_proj, "bid"},
    {kHf, "(bert.|roberta.|electra.|)encoder.layer.{N}.attention.self.value", P::stage, S::value_proj, "bid"},
    {kHf, "(bert.|roberta.|electra.|)encoder.layer.{N}.attention.self", P::stage, S::concat, "bid"},
    {kHf, "(bert.|roberta.|electra.|)encoder.layer.{N}.attention.output.dense", P::stage, S::output, "bid"},
    {kHf,
     "(bert.|roberta.|electra.|)encoder.layer.{N}.(attention.output|attention)",
     P::attended,
     {},
     "bid",
     F::after_sum},
    {kHf, "(bert.|roberta.|electra.|)encoder.layer.{N}.output.dense", P::mlp_out, {}, "bid", F::after_sum},
    {kHf, "(bert.|roberta.|electra.|)encoder.layer.{N}.output", P::leaving, {}, "bid", F::after_sum},
    {kHf, "(bert.|roberta.|electra.|)encoder.layer.{N}", P::leaving, {}, "bid"},
    {kHf, "(bert.|roberta.|distilbert.|)embeddings", P::entering, {}, "bid"},
    {kHf, "(distilbert.|)transformer.layer.{N}.attention.q_lin", P::stage, S::query_proj, "bid"},
    {kHf, "(distilbert.|)transformer.layer.{N}.attention.k_lin", P::stage, S::key_proj, "bid"},
    {kHf, "(distilbert.|)transformer.layer.{N}.attention.v_lin", P::stage, S::value_proj, "bid"},
    {kHf, "(distilbert.|)transformer.layer.{N}.(attention.out_lin|attention)", P::stage, S::output, "bid"},
    {kHf, "(distilbert.|)transformer.layer.{N}.sa_layer_norm", P::attended, {}, "bid"},
    {kHf, "(distilbert.|)transformer.layer.{N}.ffn", P::mlp_out, {}, "bid"},
    {kHf, "(distilbert.|)transformer.layer.{N}", P::leaving, {}, "bid"},
    // The evaluation callback. Qcur, Kcur and Vcur are called so before and behind their rotary positions: two axes
    // before, three behind. kqv_out was what the output's projection gives, and is now what it reads.
    {kLlama, "inp_embd", P::entering, {}, "id", F::bare_embedding, true},
    {kLlama, "inp_scaled", P::entering, {}, "id", F::any, true},
    {kLlama, "attn_norm-{N}", P::stage, S::input, "id", F::any, true},
    {kLlama, "Qcur-{N}", P::stage, S::query_proj, "id", F::any, true},
    {kLlama, "Kcur-{N}", P::stage, S::key_proj, "id", F::any, true},
    {kLlama, "Vcur-{N}", P::stage, S::value_proj, "id", F::any, true},
    {kLlama, "Qcur-{N}", P::stage, S::query, "ihd", F::any, true},
    {kLlama, "Kcur-{N}", P::stage, S::key, "ihd", F::any, true},
    {kLlama, "Vcur-{N}", P::stage, S::value, "ihd", F::any, true},
    {kLlama, "kq-{N}", P::stage, S::raw_scores, "hij", F::any, true},
    {kLlama, "(kq_soft_max|kq_soft_max_ext)-{N}", P::stage, S::weights, "hij", F::any, true},
    {kLlama, "kqv-{N}", P::stage, S::context, "hid", F::any, true},
    {kLlama, "(kqv_merged_cont|kqv_out)-{N}", P::stage, S::concat, "id", F::any, true},
    {kLlama, "(kqv_out|kqv_wo|attn_out)-{N}", P::stage, S::output, "id", F::any, true},
    {kLlama, "attn_post_norm-{N}", P::stage, S::attention_norm_out, "id", F::norms_result, true},
    {kLlama, "ffn_inp-{N}", P::attended, {}, "id", F::any, true},
    {kLlama, "ffn_norm-{N}", P::mlp_in, {}, "id", F::any, true},
    {kLlama, "ffn_out-{N}", P::mlp_out, {}, "id", F::plain_result, true},
    {kLlama, "ffn_post_norm-{N}", P::mlp_out, {}, "id", F::norms_result, true},
    {kLlama, "l_out-{N}", P::leaving, {}, "id", F::any, true},
    {kLlama, "result_norm", P::final_norm, {}, "id", F::any, true},
    {kLlama, "result_output", P::logits, {}, "id", F::any, true},
    // Headscope's own exports.
    {kOwn, "{S}.l{N}", P::stage, {}, ""},
    {kOwn, "stream.l{N}", P::entering, {}, "bid"},
    {kOwn, "stream", P::entering, {}, "lbid"},
    {kOwn, "attention_out", P::stage, S::output, "lbid", F::plain_result},
    {kOwn, "attention_out", P::stage, S::attention_norm_out, "lbid", F::norms_result},
    {kOwn, "mlp_in", P::mlp_in, {}, "lbid"},
    {kOwn, "mlp_out", P::mlp_out, {}, "lbid"},
    {kOwn, "final_norm", P::final_norm, {}, "bid"},
    // Hooks. hook_q and hook_k stand before rotary positions.
    {kLens, "blocks.{N}.hook_resid_pre", P::entering, {}, "bid"},
    {kLens, "blocks.{N}.attn.hook_q", P::stage, S::query_proj, "bihd"},
    {kLens, "blocks.{N}.attn.hook_k", P::stage, S::key_proj, "bihd"},
    {kLens, "blocks.{N}.attn.hook_v", P::stage, S::value, "bihd"},
    {kLens, "blocks.{N}.attn.hook_rot_q", P::stage, S::query, "bihd"},
    {kLens, "blocks.{N}.attn.hook_rot_k", P::stage, S::key, "bihd"},
    {kLens, "blocks.{N}.attn.hook_attn_scores", P::stage, S::masked_scores, "bhij"},
    {kLens, "blocks.{N}.attn.hook_pattern", P::stage, S::weights, "bhij"},
    {kLens, "blocks.{N}.attn.hook_z", P::stage, S::context, "bihd"},
    {kLens, "blocks.{N}.hook_attn_out", P::stage, S::output, "bid", F::plain_result},
    {kLens, "blocks.{N}.hook_resid_mid", P::attended, {}, "bid"},
    {kLens, "blocks.{N}.hook_mlp_out", P::mlp_out, {}, "bid"},
    {kLens, "blocks.{N}.hook_resid_post", P::leaving, {}, "bid"},
};

bool fits(NameFor model, const Architecture& a) {
  switch (model) {
    case NameFor::any:
      return true;
    case NameFor::norms_result:
      return a.norms_result();
    case NameFor::plain_result:
      return !a.norms_result();
    case NameFor::after_sum:
      return a.norm_place == Architecture::NormPlace::after_sum;
    case NameFor::bare_embedding:
      return a.position != Architecture::Position::learned && !a.embedding_norm && a.embedding_scale == 1 &&
             a.token_types == 0 && a.embedding_width == 0;
  }
  return false;
}

// The digits at the front as a number, cut off; no leading zeros, at most six digits.
std::optional<std::int64_t> number_at_front(std::string_view& text) {
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  if (digits == 0 || digits > 6 || (digits > 1 && text[0] == '0')) return std::nullopt;
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + digits, number);
  text.remove_prefix(digits);
  return number;
}

bool matches(std::string_view pattern, std::string_view name, NameMeaning& meaning);

// One of "a|b|" and then the rest of the pattern.
bool matches_one_of(std::string_view pattern, std::string_view name, NameMeaning& meaning) {
  const std::size_t end = pattern.find(')');
  std::string_view list = pattern.substr(1, end - 1);
  const std::string_view rest = pattern.substr(end + 1);
  for (;;) {
    const std::size_t bar = list.find('|');
    const std::string_view one = list.substr(0, bar);
    if (name.starts_with(one) && matches(rest, name.substr(one.size()), meaning)) return true;
    if (bar == std::string_view::npos) return false;
    list.remove_prefix(bar + 1);
  }
}

bool matches(std::string_view pattern, std::string_view name, NameMeaning& meaning) {
  while (!pattern.empty()) {
    if (pattern.front() == '(') return matches_one_of(pattern, name, meaning);
    if (pattern.starts_with("{N}")) {
      const std::optional<std::int64_t> layer = number_at_front(name);
      if (!layer) return false;
      meaning.layer = *layer;
      pattern.remove_prefix(3);
    } else if (pattern.starts_with("{S}")) {
      const std::string_view word = name.substr(0, name.find('.'));
      const std::optional<StageId> stage = stage_named(word);
      if (!stage) return false;
      meaning.stage = *stage;
      name.remove_prefix(word.size());
      pattern.remove_prefix(3);
    } else {
      if (name.empty() || name.front() != pattern.front()) return false;
      name.remove_prefix(1);
      pattern.remove_prefix(1);
    }
  }
  return name.empty();
}

}  // namespace

std::span<const ProgramName> program_names() {
  return kNames;
}

bool names_a_layer(std::string_view name) {
  return std::any_of(std::begin(kNames), std::end(kNames), [=](const ProgramName& row) {
    NameMeaning meaning{&row, -1, row.stage};
    const bool of_layers = row.axes.find('l') != std::string_view::npos;
    return matches(row.pattern, name, meaning) && (meaning.layer >= 0 || of_layers);
  });
}

std::vector<NameMeaning> meanings_of(std::string_view name, const Architecture& architecture) {
  std::vector<NameMeaning> found;
  for (const ProgramName& row : kNames) {
    NameMeaning meaning{&row, -1, row.stage};
    if (fits(row.model, architecture) && matches(row.pattern, name, meaning)) found.push_back(meaning);
  }
  return found;
}

}  // namespace headscope
