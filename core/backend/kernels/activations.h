// Activation functions of an MLP, in place, value by value: the bits of a result depend on its own input alone.
#pragma once

#include <cstdint>

namespace headscope {

// x Phi(x), Phi the normal distribution function. Within 1e-6 relative of torch.nn.functional.gelu where that is a
// normal number; NaN for NaN and -inf.
void gelu_values(float* values, std::int64_t count);

// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), torch's gelu with approximate="tanh".
void gelu_tanh_values(float* values, std::int64_t count);

// x / (1 + exp(-x)), torch.nn.functional.silu.
void silu_values(float* values, std::int64_t count);

}  // namespace headscope
