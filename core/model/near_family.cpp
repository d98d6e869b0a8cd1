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
    {"baichuan", "llama",
     "queries, keys and values are one matrix, and the larger models add biases of distances to the scores"},
    {"beit", "vit", "biases of relative positions are added to the scores"},
    {"big_bird", "bert", "attention is sparse: blocks of a window, of the ends and of random places"},
    {"blenderbot", "mbart", "embeddings pass no norm, and positions are counted from 0"},
    {"blenderbot-small", "bart", "its decoder adds positions after the norm of the embeddings"},
    {"chatglm", "llama",
     "rotary positions turn neighbours of a half of a head, and queries, keys and values are one matrix"},
    {"codegen", "gptj", "queries, values and keys are one matrix in blocks"},
    {"cohere2", "llama", "attention and MLP share one norm, and only layers with a window have rotary positions"},
    {"ctrl", "gpt2", "positions are sinusoids, embeddings are scaled, and MLPs have ReLU"},
    {"dbrx", "mixtral", "norms are LayerNorms, and queries, keys and values are one matrix whose results are clipped"},
    {"deberta", "deberta-v2", "one matrix makes queries, keys and values, and keys have no biases"},
    {"deepseek_v32", "deepseek_v3", "an indexer chooses the keys that a query sees"},
    {"deit", "vit", "a distillation token stands beside the class token"},
    {"dinov3_vit", "dinov2", "patches have rotary positions of two axes"},
    {"dots1", "qwen3_moe", "experts are chosen as DeepSeek-V3's are, beside shared ones"},
    {"ernie4_5", "llama", "rotary positions turn neighbours"},
    {"falcon_h1", "llama", "a state space (Mamba) stands beside the attention of every layer"},
    {"fnet", "", "it has no attention"},
    {"gemma3n", "gemma3", "it has embeddings of every layer and several streams"},
    {"glm", "llama", "rotary positions turn neighbours of a half of a head"},
    {"glm4", "llama",
     "rotary positions turn neighbours of a half of a head, and results are normalised before they are added"},
    {"glm4_moe", "qwen3_moe",
     "experts are chosen as DeepSeek-V3's are, beside a shared one, and a part of each head is turned"},
    {"gpt_bigcode", "gpt2", "all heads share one key and value"},
    {"gpt_neo", "gpt2", "every other layer has a window, and scores are not scaled"},
    {"granite", "llama", "embeddings, residual sums and logits have factors"},
    {"granitemoe", "mixtral", "embeddings, residual sums and logits have factors"},
    {"hubert", "whisper", "it reads the samples of a sound, by convolutions of its own"},
    {"internlm2", "llama", "queries, keys and values are one matrix, group by group"},
    {"jamba", "mixtral", "most layers are state spaces (Mamba), and attention has no positions"},
    {"kimi_k2", "deepseek_v3", "its weights are FP8, which are not read: made BF16, they open with that model_type"},
    {"layoutlm", "bert", "it reads the places of words on a page"},
    {"led", "bart", "tokens of its encoder attend to a window, and some, which a mask names, to everything"},
    {"lfm2", "qwen3", "most layers are gated convolutions"},
    {"llama4", "llama",
     "experts are chosen beside a shared one, most layers see chunks of the text, and every fourth has no positions"},
    {"llava", "llama", "it reads pictures, whose tokens stand in the text"},
    {"longformer", "roberta", "tokens attend to a window, and some, which a mask names, to everything"},
    {"longt5", "t5",
     "tokens of its encoder attend to a neighbourhood, in some models to summaries of the rest as well"},
    {"m2m_100", "mbart", "positions are sinusoids, and embeddings pass no norm"},
    {"mamba", "", "it has no attention"},
    {"mamba2", "", "it has no attention"},
    {"minicpm", "llama", "embeddings, residual sums and logits have factors"},
    {"mllama", "llama", "layers of cross-attention read pictures"},
    {"mpnet", "roberta", "biases of relative positions are added to the scores"},
    {"nemotron", "llama", "norms are LayerNorms that multiply by 1 + w, and MLPs have no gate and square their ReLU"},
    {"nomic_bert", "bert", "rotary positions stand in place of a table, and MLPs are gated"},
    {"olmo", "llama", "norms have no weights, and projections may be clipped"},
    {"olmoe", "qwen3_moe", "queries and keys are normalised over all heads, and projections may be clipped"},
    {"openai-gpt", "gpt2", "norms stand after the sums, and none at the end"},
    {"paligemma", "gemma", "it reads pictures, whose tokens stand in the text"},
    {"pegasus", "mbart", "positions are sinusoids, and embeddings pass no norm"},
    {"persimmon", "gpt_neox", "queries and keys are normalised, and MLPs square their ReLU"},
    {"phimoe", "mixtral", "norms are LayerNorms, and experts are chosen by another rule"},
    {"qwen2_5_vl", "qwen2", "it reads pictures, with rotary positions of three axes"},
    {"qwen2_moe", "qwen3_moe", "a shared expert reads every token beside those that are chosen"},
    {"qwen2_vl", "qwen2", "it reads pictures, with rotary positions of three axes"},
    {"qwen3_next", "qwen3_moe", "most layers are a linear attention with a state, and the others have a gate"},
    {"qwen3_vl", "qwen3", "it reads pictures, with rotary positions of three axes"},
    {"qwen3_vl_moe", "qwen3_moe", "it reads pictures, with rotary positions of three axes"},
    {"roformer", "bert", "rotary positions of neighbours stand in place of a table"},
    {"rwkv", "", "it has no attention"},
    {"siglip2", "siglip", "images keep their proportions, and patches come with a mask"},
    {"smollm3", "llama", "every fourth layer has no positions"},
    {"swin", "vit", "attention stays in windows that shift, and patches are joined between stages"},
    {"switch_transformers", "t5", "every other MLP is a mixture that chooses one expert, up to its capacity"},
    {"umt5", "t5", "every layer has biases of relative positions of its own"},
    {"vit_mae", "vit", "most patches are left out, and a decoder draws them"},
    {"wav2vec2", "whisper", "it reads the samples of a sound, by convolutions of its own"},
    {"xlnet", "", "it has relative positions and two streams"},
};

// What only models of a kind have, the more telling keys first.
constexpr FamilyGuess kGuesses[] = {
    {"whisper", {"num_mel_bins", "encoder_layers"}},
    {"bart", {"encoder_layers", "decoder_layers"}},
    {"t5", {"relative_attention_num_buckets", "d_kv"}},
    {"vit", {"image_size", "patch_size"}},
    {"deepseek_v3", {"kv_lora_rank", "qk_rope_head_dim"}},
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

}  // namespace

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
  for (const FamilyGuess& row : kGuesses) {
    if (!std::all_of(row.keys.begin(), row.keys.end(), has)) continue;
    return fmt::format("{}; by its keys {} the nearest family may be {}, which is a guess",
                       model_type.empty() ? "" : ", which is not known", fmt::join(row.keys, " and "), row.family);
  }
  return "";
}

}  // namespace headscope
