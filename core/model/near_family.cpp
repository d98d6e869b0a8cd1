#include "core/model/near_family.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace headscope {
namespace {

constexpr NearFamily kNear[] = {
    {"apertus", "llama", "MLPs have no gate and the function xIELU, and queries and keys are normalised"},
    {"arcee", "llama", "MLPs have no gate and square their ReLU"},
    {"aria", "mixtral", "it reads pictures, whose tokens stand in the text"},
    {"baichuan", "llama",
     "queries, keys and values are one matrix, and the larger models add biases of distances to the scores"},
    {"bamba", "llama", "most layers are state spaces (Mamba 2)"},
    {"beit", "vit", "biases of relative positions are added to the scores"},
    {"big_bird", "bert", "attention is sparse: blocks of a window, of the ends and of random places"},
    {"bigbird_pegasus", "bart", "attention of its encoder is sparse"},
    {"biogpt", "opt", "embeddings are scaled"},
    {"bitnet", "llama",
     "weights have three values, and what enters the output and the last matrix of MLPs is normalised"},
    {"blenderbot", "mbart", "embeddings pass no norm, and positions are counted from 0"},
    {"blenderbot-small", "bart", "its decoder adds positions after the norm of the embeddings"},
    {"blip-2", "opt", "pictures are read by learned queries, whose answers stand in the text"},
    {"chameleon", "llama", "pictures are tokens of its vocabulary, and queries and keys are normalised"},
    {"chatglm", "llama",
     "rotary positions turn neighbours of a half of a head, and queries, keys and values are one matrix"},
    {"chinese_clip", "clip", "texts are read by a BERT"},
    {"codegen", "gptj", "queries, values and keys are one matrix in blocks"},
    {"cohere2", "llama", "attention and MLP share one norm, and only layers with a window have rotary positions"},
    {"convbert", "bert", "half of the heads are convolutions"},
    {"convnext", "", "it has no attention"},
    {"ctrl", "gpt2", "positions are sinusoids, embeddings are scaled, and MLPs have ReLU"},
    {"data2vec-audio", "whisper", "it reads the samples of a sound, by convolutions of its own"},
    {"data2vec-text", "roberta", "names of its tensors begin otherwise"},
    {"data2vec-vision", "vit", "biases of relative positions are added to the scores"},
    {"dbrx", "mixtral", "norms are LayerNorms, and queries, keys and values are one matrix whose results are clipped"},
    {"deberta", "deberta-v2", "one matrix makes queries, keys and values, and keys have no biases"},
    {"deci", "llama", "every layer has key heads of its own number"},
    {"deepseek_v32", "deepseek_v3", "an indexer chooses the keys that a query sees"},
    {"deepseek_v4", "deepseek_v3", "an indexer chooses the keys that a query sees"},
    {"deit", "vit", "a distillation token stands beside the class token"},
    {"diffllama", "llama", "attention is the difference of two softmaxes"},
    {"dinov3_vit", "dinov2", "patches have rotary positions of two axes"},
    {"dots1", "qwen3_moe", "experts are chosen as DeepSeek-V3's are, beside shared ones"},
    {"ernie", "bert", "tokens have task types, too"},
    {"ernie4_5", "llama", "rotary positions turn neighbours"},
    {"ernie4_5_moe", "mixtral",
     "rotary positions turn neighbours, and experts are chosen with a correction, beside shared ones"},
    {"esm", "bert", "norms stand before attention and MLP, and positions are rotary"},
    {"eurobert", "llama", "tokens attend in both directions"},
    {"exaone4", "qwen3", "norms stand behind attention and MLP, and only layers with a window have rotary positions"},
    {"falcon_h1", "llama", "a state space (Mamba) stands beside the attention of every layer"},
    {"falcon_mamba", "", "it has no attention"},
    {"fnet", "", "it has no attention"},
    {"funnel", "bert", "the text gets shorter from block to block"},
    {"fuyu", "gpt_neox", "it reads pictures, whose patches stand in the text"},
    {"gemma3n", "gemma3", "it has embeddings of every layer and several streams"},
    {"glm", "llama", "rotary positions turn neighbours of a half of a head"},
    {"glm4", "llama",
     "rotary positions turn neighbours of a half of a head, and results are normalised before they are added"},
    {"glm4_moe", "qwen3_moe",
     "experts are chosen as DeepSeek-V3's are, beside a shared one, and a part of each head is turned"},
    {"glm4v", "llama", "it reads pictures, with rotary positions of three axes"},
    {"gpt_bigcode", "gpt2", "all heads share one key and value"},
    {"gpt_neo", "gpt2", "every other layer has a window, and scores are not scaled"},
    {"granite", "llama", "embeddings, residual sums and logits have factors"},
    {"granitemoe", "mixtral", "embeddings, residual sums and logits have factors"},
    {"granitemoehybrid", "mixtral",
     "most layers are state spaces (Mamba 2), and embeddings, residual sums and logits have factors"},
    {"helium", "llama", "rotary positions turn neighbours"},
    {"hubert", "whisper", "it reads the samples of a sound, by convolutions of its own"},
    {"hunyuan_v1_dense", "qwen3", "queries and keys are normalised behind their rotary positions"},
    {"hunyuan_v1_moe", "qwen3_moe",
     "queries and keys are normalised behind their rotary positions, and a shared expert reads every token"},
    {"idefics3", "llama", "it reads pictures, whose tokens stand in the text"},
    {"internlm", "llama", "projections have biases"},
    {"internlm2", "llama", "queries, keys and values are one matrix, group by group"},
    {"internvl", "qwen2", "it reads pictures, whose tokens stand in the text"},
    {"jamba", "mixtral", "most layers are state spaces (Mamba), and attention has no positions"},
    {"jetmoe", "mixtral", "heads of attention are experts, too"},
    {"kimi_k2", "deepseek_v3", "its weights are FP8, which are not read: made BF16, they open with that model_type"},
    {"kimi_linear", "deepseek_v3", "three of four layers are a linear attention with a state (KDA)"},
    {"layoutlm", "bert", "it reads the places of words on a page"},
    {"led", "bart", "tokens of its encoder attend to a window, and some, which a mask names, to everything"},
    {"lfm2", "qwen3", "most layers are gated convolutions"},
    {"lfm2_moe", "qwen3_moe", "most layers are gated convolutions"},
    {"llama4", "llama",
     "experts are chosen beside a shared one, most layers see chunks of the text, and every fourth has no positions"},
    {"llava", "llama", "it reads pictures, whose tokens stand in the text"},
    {"llava_next", "llama", "it reads pictures, whose tokens stand in the text"},
    {"llava_onevision", "qwen2", "it reads pictures, whose tokens stand in the text"},
    {"longformer", "roberta", "tokens attend to a window, and some, which a mask names, to everything"},
    {"longt5", "t5",
     "tokens of its encoder attend to a neighbourhood, in some models to summaries of the rest as well"},
    {"luke", "roberta", "entities stand beside words, with queries of their own"},
    {"m2m_100", "mbart", "positions are sinusoids, and embeddings pass no norm"},
    {"mamba", "", "it has no attention"},
    {"mamba2", "", "it has no attention"},
    {"minicpm", "llama", "embeddings, residual sums and logits have factors"},
    {"minimax", "mixtral", "seven of eight layers are a linear attention with a state (lightning)"},
    {"minimax_m2", "qwen3_moe",
     "queries and keys are normalised over all heads, and experts are chosen by sigmoids with a correction"},
    {"minimax_text_01", "mixtral", "seven of eight layers are a linear attention with a state (lightning)"},
    {"ministral3", "mistral", "queries are scaled by their position"},
    {"mistral3", "mistral", "it reads pictures, whose tokens stand in the text"},
    {"mllama", "llama", "layers of cross-attention read pictures"},
    {"mobilebert", "bert", "layers have bottlenecks, and their norms have no mean"},
    {"moonshine", "whisper", "it reads the samples of a sound, and positions are rotary"},
    {"mpnet", "roberta", "biases of relative positions are added to the scores"},
    {"nanochat", "llama", "norms have no weights, and MLPs have no gate and square their ReLU"},
    {"nemotron", "llama", "norms are LayerNorms that multiply by 1 + w, and MLPs have no gate and square their ReLU"},
    {"nemotron_h", "llama", "most layers are state spaces (Mamba 2), and some are attention, without positions"},
    {"nomic_bert", "bert", "rotary positions stand in place of a table, and MLPs are gated"},
    {"nystromformer", "bert", "attention is approximated by landmarks"},
    {"olmo", "llama", "norms have no weights, and projections may be clipped"},
    {"olmoe", "qwen3_moe", "queries and keys are normalised over all heads, and projections may be clipped"},
    {"openai-gpt", "gpt2", "norms stand after the sums, and none at the end"},
    {"openelm", "llama", "every layer has heads and an MLP of its own size"},
    {"orion", "llama", "norms are LayerNorms"},
    {"paligemma", "gemma", "it reads pictures, whose tokens stand in the text"},
    {"pegasus", "mbart", "positions are sinusoids, and embeddings pass no norm"},
    {"persimmon", "gpt_neox", "queries and keys are normalised, and MLPs square their ReLU"},
    {"phi3_v", "phi3", "it reads pictures, whose tokens stand in the text"},
    {"phi4_multimodal", "phi3", "it reads pictures and sounds, whose tokens stand in the text"},
    {"phimoe", "mixtral", "norms are LayerNorms, and experts are chosen by another rule"},
    {"pixtral", "llama", "it reads pictures, with rotary positions of two axes"},
    {"prophetnet", "bart", "its decoder predicts several tokens at once, by streams of their own"},
    {"qwen", "llama", "queries, keys and values are one matrix with biases"},
    {"qwen2_5_omni", "qwen2", "it reads pictures and sounds, with rotary positions of three axes"},
    {"qwen2_5_vl", "qwen2", "it reads pictures, with rotary positions of three axes"},
    {"qwen2_audio", "qwen2", "it reads sounds, whose tokens stand in the text"},
    {"qwen2_moe", "qwen3_moe", "a shared expert reads every token beside those that are chosen"},
    {"qwen2_vl", "qwen2", "it reads pictures, with rotary positions of three axes"},
    {"qwen3_5", "qwen3",
     "three of four layers are a gated linear attention with a state, as in qwen3_next, and the others have a gate"},
    {"qwen3_5_moe", "qwen3_moe",
     "three of four layers are a gated linear attention with a state, as in qwen3_next, and the others have a gate"},
    {"qwen3_5_moe_text", "qwen3_moe",
     "three of four layers are a gated linear attention with a state, as in qwen3_next, and the others have a gate"},
    {"qwen3_5_text", "qwen3",
     "three of four layers are a gated linear attention with a state, as in qwen3_next, and the others have a gate"},
    {"qwen3_next", "qwen3_moe", "most layers are a linear attention with a state, and the others have a gate"},
    {"qwen3_vl", "qwen3", "it reads pictures, with rotary positions of three axes"},
    {"qwen3_vl_moe", "qwen3_moe", "it reads pictures, with rotary positions of three axes"},
    {"recurrent_gemma", "gemma", "two of three layers are gated linear recurrences, and the others have a window"},
    {"reformer", "", "keys are chosen by hashing"},
    {"rembert", "bert", "embeddings of words and of the decoder have widths of their own"},
    {"roformer", "bert", "rotary positions of neighbours stand in place of a table"},
    {"rwkv", "", "it has no attention"},
    {"rwkv5", "", "it has no attention"},
    {"rwkv6", "", "it has no attention"},
    {"rwkv7", "", "it has no attention"},
    {"sam", "vit", "relative positions of two axes are added to the scores"},
    {"seed_oss", "qwen2", "which of its projections have biases is said by keys of its own"},
    {"segformer", "vit", "keys and values are shortened by convolutions, from stage to stage"},
    {"siglip2", "siglip", "images keep their proportions, and patches come with a mask"},
    {"smollm3", "llama", "every fourth layer has no positions"},
    {"smolvlm", "llama", "it reads pictures, whose tokens stand in the text"},
    {"squeezebert", "bert", "projections are convolutions in groups"},
    {"swin", "vit", "attention stays in windows that shift, and patches are joined between stages"},
    {"swinv2", "vit", "attention stays in windows that shift, and patches are joined between stages"},
    {"switch_transformers", "t5", "every other MLP is a mixture that chooses one expert, up to its capacity"},
    {"t5gemma", "gemma2", "it has an encoder and a decoder"},
    {"timesformer", "vit", "it reads films, in time and in space by turns"},
    {"umt5", "t5", "every layer has biases of relative positions of its own"},
    {"videomae", "vit", "it reads films, whose patches reach over frames"},
    {"vit_mae", "vit", "most patches are left out, and a decoder draws them"},
    {"vivit", "vit", "it reads films, whose patches reach over frames"},
    {"wav2vec2", "whisper", "it reads the samples of a sound, by convolutions of its own"},
    {"wavlm", "whisper", "it reads the samples of a sound, by convolutions of its own"},
    {"xglm", "opt", "positions are sinusoids, and embeddings are scaled"},
    {"xlm-roberta-xl", "roberta", "norms stand before attention and MLP"},
    {"xlnet", "", "it has relative positions and two streams"},
    {"xlstm", "", "it has no attention"},
    {"yoso", "bert", "attention is sampled by hashing"},
    {"zamba", "llama", "most layers are state spaces (Mamba), and the others share one attention"},
    {"zamba2", "llama", "most layers are state spaces (Mamba 2), and the others share one attention"},
};

// What only models of a kind have, the more telling keys first.
constexpr FamilyGuess kGuesses[] = {
    {"whisper", {"num_mel_bins", "encoder_layers"}},
    {"bart", {"encoder_layers", "decoder_layers"}},
    {"t5", {"relative_attention_num_buckets", "d_kv"}},
    {"vit", {"image_size", "patch_size"}},
    {"deepseek_v3", {"kv_lora_rank", "qk_rope_head_dim"}},
    {"deepseek_v3", {"index_topk", "q_lora_rank"}},
    {"mixtral", {"num_local_experts", "num_experts_per_tok"}},
    {"qwen3_moe", {"num_experts", "num_experts_per_tok"}},
    {"bert", {"type_vocab_size", "attention_probs_dropout_prob"}},
    {"llama", {"num_key_value_heads", "rms_norm_eps"}},
    {"llama", {"hidden_size", "rms_norm_eps"}},
    {"gpt_neox", {"rotary_pct", "hidden_size"}},
    {"gpt2", {"n_embd", "n_head"}},
    // Of a GGUF file's metadata, without the architecture in front.
    {"mixtral", {"expert_count", "attention.layer_norm_rms_epsilon"}},
    {"llama", {"attention.head_count_kv", "attention.layer_norm_rms_epsilon"}},
    {"gpt2", {"attention.head_count", "attention.layer_norm_epsilon"}},
};

// Keys that only models with another arithmetic have, and what that is.
constexpr FamilyTrait kTraits[] = {
    {"index_topk", "an indexer chooses the keys that a query sees"},
    {"linear_key_head_dim", "some layers are a linear attention with a state"},
    {"linear_attn_config", "some layers are a linear attention with a state"},
    {"mamba_num_heads", "some layers are state spaces (Mamba)"},
    {"mamba_d_state", "some layers are state spaces (Mamba)"},
    {"mamba_expand", "some layers are state spaces (Mamba)"},
    {"ssm_state_size", "some layers are state spaces (Mamba)"},
    {"ssm_cfg", "layers are state spaces (Mamba)"},
    {"conv_L_cache", "some layers are convolutions"},
    {"no_rope_layers", "some layers have no positions"},
    {"no_rope_layer_interval", "some layers have no positions"},
    {"residual_multiplier", "residual sums have factors"},
    {"audio_config", "it reads sounds"},
    {"vision_config", "it reads pictures"},
};

}  // namespace

std::span<const FamilyTrait> family_traits() {
  return kTraits;
}

std::span<const NearFamily> near_families() {
  return kNear;
}

const NearFamily* near_family(std::string_view model_type) {
  const auto* found = std::find_if(std::begin(kNear), std::end(kNear),
                                   [&](const NearFamily& row) { return row.model_type == model_type; });
  return found == std::end(kNear) ? nullptr : found;
}

std::span<const FamilyGuess> family_guesses() {
  return kGuesses;
}

std::string nearest_sentence(std::string_view model_type, const std::function<bool(std::string_view)>& has) {
  if (const NearFamily* near = near_family(model_type)) {
    const std::string nearest =
        near->nearest.empty() ? "" : fmt::format("the nearest family is {}, but ", near->nearest);
    return fmt::format(", which is not implemented: {}{}", nearest, near->differs);
  }
  std::string sentence;
  for (const FamilyGuess& row : kGuesses) {
    if (!std::all_of(row.keys.begin(), row.keys.end(), has)) continue;
    sentence = fmt::format("{}; by its keys {} the nearest family may be {}, which is a guess",
                           model_type.empty() ? "" : ", which is not known", fmt::join(row.keys, " and "), row.family);
    break;
  }
  for (const FamilyTrait& trait : kTraits) {
    if (has(trait.key)) return sentence + fmt::format("; as its key {} says, {}", trait.key, trait.differs);
  }
  return sentence;
}

}  // namespace headscope
