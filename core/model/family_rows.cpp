#include "core/model/family_rows.h"

#include <array>

namespace headscope {

std::span<const Family> families() {
  static const std::array all = {gpt2(),        nanogpt(),      bert(),
                                 distilbert(),  roberta(),      llama(),
                                 mistral(),     qwen2(),        qwen3(),
                                 gemma(),       gemma2(),       gemma3(),
                                 olmo2(),       olmo3(),        phi(),
                                 phi3(),        gptj(),         gpt_neox(),
                                 opt(),         bloom(),        stablelm(),
                                 starcoder2(),  cohere(),       mixtral(),
                                 qwen3_moe(),   gpt_oss(),      falcon_two_norms(),
                                 falcon(),      mpt(),          electra(),
                                 albert(),      modernbert(),   deepseek_v2(),
                                 deepseek_v3(), llama2c(),      attention_only(),
                                 vit(),         dinov2_gated(), dinov2(),
                                 clip_vision(), clip_text(),    siglip_vision(),
                                 siglip_text(), t5_gated(),     t5(),
                                 bart(),        mbart(),        marian_two_vocabularies(),
                                 marian(),      whisper(),      deberta_v2()};
  return all;
}

}  // namespace headscope
