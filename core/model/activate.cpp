#include "core/model/activate.h"

#include <string>

#include "core/backend/kernels/activations.h"
#include "core/base/assert.h"

namespace headscope {
namespace {

constexpr float kQuickGelu = 1.702F;  // x sigmoid(s x) = silu(s x) / s

}  // namespace

void activate(Architecture::Activation activation, std::span<float> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  switch (activation) {
    case Architecture::Activation::gelu:
      return gelu_values(values.data(), count);
    case Architecture::Activation::gelu_tanh:
      return gelu_tanh_values(values.data(), count);
    case Architecture::Activation::silu:
      return silu_values(values.data(), count);
    case Architecture::Activation::relu:
      for (float& value : values) value = value < 0 ? 0.0F : value;
      return;
    case Architecture::Activation::quick_gelu:
      for (float& value : values) value *= kQuickGelu;
      silu_values(values.data(), count);
      for (float& value : values) value /= kQuickGelu;
      return;
  }
  HEADSCOPE_ASSERT(false, "activation " + std::to_string(static_cast<int>(activation)));
}

}  // namespace headscope
