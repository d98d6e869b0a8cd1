// The function between the matrices of an MLP.
#pragma once

#include <span>

#include "core/model/architecture.h"

namespace headscope {

// Applies f of an MLP or of a head's transform, in place.
void activate(Architecture::Activation activation, std::span<float> values);

}  // namespace headscope
