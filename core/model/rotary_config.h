// Rotary positions as config.json describes them.
#pragma once

#include "core/model/architecture.h"
#include "core/model/config_reader.h"

namespace headscope {

// From rope_theta, partial_rotary_factor and rope_scaling (or rope_parameters, as newer versions write them) of a model
// whose heads have `head_dim` features. Scalings: none, "default", "linear" (frequencies / factor), "llama3"
// (Llama 3.1: wavelengths above original_max_position_embeddings / low_freq_factor are stretched by factor, those below
// original / high_freq_factor kept, those between mixed). Others are a problem of `reader`.
// Equals Hugging Face Transformers' modeling_rope_utils, in float32 as there.
RotaryRule rotary_rule_of(ConfigReader& reader, std::int64_t head_dim, RotaryRule::Pairs pairs);

}  // namespace headscope
