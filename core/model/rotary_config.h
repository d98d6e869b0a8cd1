// Rotary positions as config.json describes them.
#pragma once

#include "core/model/architecture.h"
#include "core/model/config_reader.h"
#include "core/model/family.h"

namespace headscope {

// What a family's rotary positions depend on beside config.json.
struct RotaryAsked {
  std::int64_t head_dim = 0;
  RotaryRule::Pairs pairs = RotaryRule::Pairs::halves;
  RotaryKeys keys;
  bool of_window = false;          // of the layers with a window: keys.window_theta, not scaled
  std::int64_t max_positions = 0;  // of the model, which yarn takes where it names no original number; 0: it must
};

// From the keys' base and share and rope_scaling (or rope_parameters, as newer versions write them, where they may lie
// below "full_attention" and "sliding_attention"). Scalings: none, "default", "linear" (frequencies / factor), "llama3"
// (Llama 3.1: wavelengths above original_max_position_embeddings / low_freq_factor are stretched by factor, those below
// original / high_freq_factor kept, those between mixed), "yarn" (Peng et al. 2023: the same by how often a feature
// turns, and cos and sin are multiplied by a factor), "longrope" or "su" (Phi-3: every frequency has a divisor, and
// cos and sin a factor; the divisors are those of texts of at most rotary_positions()), "dynamic" (no scaling up to
// max_positions, the longest text that is opened). Others are a problem of `reader`.
// Equals Hugging Face Transformers' modeling_rope_utils, in float32 as there.
RotaryRule rotary_rule_of(ConfigReader& reader, const RotaryAsked& asked);

// How many positions of max_positions the rule is of: fewer where longer texts have other frequencies ("longrope").
std::int64_t rotary_positions(ConfigReader& reader, std::int64_t max_positions);

}  // namespace headscope
