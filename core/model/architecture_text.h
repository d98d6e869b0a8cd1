// The settings of an Architecture as text: what tells two models with the same weights apart.
#pragma once

#include <string>

#include "core/model/architecture.h"

namespace headscope {

// "NAME=VALUE" of every setting that differs from an Architecture that was not filled in, in the order of its members
// and with a space between two: "vocab_size=64 d_model=32 causal=yes rotary=yes rotary.features=16". Equal for models
// that do the same with the same weights, whatever files say so and in whatever order; a member that a later version
// adds changes no text of models that do not use it. Numbers stand as float32 in the fewest digits that read back to
// the same one (a GGUF file holds no others), lists of numbers as their length and the first 16 digits of the SHA-256
// of these texts. Left out is what changes no number: the family's name, and how many tokens a text may have.
std::string architecture_text(const Architecture& architecture);

// What differs between two such texts, also between such that no program wrote: "norm_eps is 1e-05, there 1e-06"; at
// most three settings by name. "" where they are equal.
std::string architecture_difference(const std::string& a, const std::string& b);

}  // namespace headscope
