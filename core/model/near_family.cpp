#include "core/model/near_family.h"

#include <algorithm>
#include <iterator>

namespace headscope {
namespace {

constexpr NearFamily kNear[] = {
    {"cohere2", "llama", "attention and MLP share one norm, and only layers with a window have rotary positions"},
    {"deberta", "deberta-v2", "one matrix makes queries, keys and values, and keys have no biases"},
    {"deit", "vit", "a distillation token stands beside the class token"},
    {"dinov3_vit", "dinov2", "patches have rotary positions of two axes"},
    {"gemma3n", "gemma3", "it has embeddings of every layer and several streams"},
    {"glm", "llama", "rotary positions turn neighbours of a half of a head"},
    {"gpt_bigcode", "gpt2", "all heads share one key and value"},
    {"gpt_neo", "gpt2", "every other layer has a window, and scores are not scaled"},
    {"granite", "llama", "embeddings, residual sums and logits have factors"},
    {"mamba", "", "it has no attention"},
    {"olmo", "llama", "norms have no weights, and projections may be clipped"},
    {"olmoe", "qwen3_moe", "queries and keys are normalised over all heads, and projections may be clipped"},
    {"qwen2_moe", "qwen3_moe", "a shared expert reads every token beside those that are chosen"},
    {"qwen2_vl", "qwen2", "it reads pictures, with rotary positions of three axes"},
    {"rwkv", "", "it has no attention"},
    {"siglip2", "siglip", "images keep their proportions, and patches come with a mask"},
    {"smollm3", "llama", "every fourth layer has no positions"},
    {"umt5", "t5", "every layer has biases of relative positions of its own"},
    {"vit_mae", "vit", "most patches are left out, and a decoder draws them"},
    {"wav2vec2", "whisper", "it reads the samples of a sound, by convolutions of its own"},
    {"xlnet", "", "it has relative positions and two streams"},
};

}  // namespace

const NearFamily* near_family(std::string_view model_type) {
  const auto* found = std::find_if(std::begin(kNear), std::end(kNear),
                                   [&](const NearFamily& row) { return row.model_type == model_type; });
  return found == std::end(kNear) ? nullptr : found;
}

}  // namespace headscope
