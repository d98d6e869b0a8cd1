// The rows of families() (family.h), each in the file of its relatives. A row begins with the one it is most like.
#pragma once

#include "core/model/family.h"

namespace headscope {

// family_gpt.cpp
Family gpt2();
Family nanogpt();
Family attention_only();
Family gpt_neox();
Family gptj();
Family phi();
Family opt();
Family bloom();

// family_lens.cpp
Family transformer_lens();
Family transformer_lens_folded();
Family transformer_lens_bare();

// family_litgpt.cpp
Family litgpt_gated();
Family litgpt();

// family_bert.cpp
Family bert();
Family roberta();
Family distilbert();

// family_deberta.cpp
Family deberta_v2();

// family_falcon.cpp
Family falcon();
Family falcon_two_norms();
Family mpt();

// family_encoders.cpp
Family electra();
Family albert();
Family modernbert();

// family_encoder_decoder.cpp
Family t5();
Family t5_gated();
Family bart();
Family mbart();
Family marian();
Family marian_two_vocabularies();

// family_whisper.cpp
Family whisper();

// family_deepseek.cpp
Family deepseek_v2();
Family deepseek_v3();

// family_llama.cpp
Family llama();
Family mistral();
Family qwen2();
Family qwen3();
Family olmo2();
Family olmo3();
Family phi3();
Family stablelm();
Family starcoder2();
Family cohere();
Family llama2c();

// family_mixture.cpp
Family mixtral();
Family qwen3_moe();
Family gpt_oss();

// family_vision.cpp
Family vit();
Family dinov2_gated();
Family dinov2();
Family clip_vision();
Family clip_text();
Family siglip_vision();
Family siglip_text();

// family_gemma.cpp
Family gemma();
Family gemma2();
Family gemma3();

}  // namespace headscope
