// Rotary positions as a GGUF file describes them: keys rope.*, and tensors that divide frequencies.
#pragma once

#include "core/io/json_cursor.h"
#include "core/model/architecture.h"
#include "core/model/family.h"
#include "core/model/gguf_metadata.h"

namespace headscope {

// Puts what config.json would say into `config`: rope_theta, rope.dimension_count (the key that gguf_family() names for
// the features that are turned; null: all of a head) and rope_scaling. Phi-3's divisors of LongRoPE are the tensor
// rope_factors_short.weight, its factor of cos and sin the key rope.scaling.attn_factor (1 without it). Throws Error
// for such tensors in another architecture.
void take_gguf_rotary(const GgufMetadata& metadata, const Family& family, JsonValue& config);

// rope_freqs.weight [features / 2] holds a divisor of every frequency: how Llama 3's scaling is stored. Throws Error
// where it does not fit.
void divide_gguf_frequencies(const GgufMetadata& metadata, Architecture& architecture);

}  // namespace headscope
