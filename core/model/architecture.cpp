#include "core/model/architecture.h"

#include <cmath>

namespace headscope {

const char* activation_name(Architecture::Activation activation) {
  switch (activation) {
    case Architecture::Activation::gelu:
      return "gelu";
    case Architecture::Activation::gelu_tanh:
      return "gelu_tanh";
    case Architecture::Activation::silu:
      return "silu";
    case Architecture::Activation::relu:
      return "relu";
    case Architecture::Activation::quick_gelu:
      return "quick_gelu";
  }
  return "";
}

std::int64_t Architecture::stored_layer(std::int64_t layer) const {
  return layer_groups > 0 ? layer / (num_layers / layer_groups) : layer;
}

bool Architecture::has_window(std::int64_t layer) const {
  return sliding_window && (windowed.empty() || windowed.at(static_cast<std::size_t>(layer)));
}

bool Architecture::has_experts(std::int64_t layer) const {
  return mixture && (mixture->layers.empty() || mixture->layers.at(static_cast<std::size_t>(layer)));
}

std::optional<double> Architecture::score_scale_of(std::int64_t layer) const {
  if (!scale_by_layer) return score_scale;
  const double scale = score_scale.value_or(1.0 / std::sqrt(static_cast<double>(head_dim)));
  return scale / static_cast<double>(layer + 1);
}

const RotaryRule* Architecture::rotary_of(std::int64_t layer) const {
  if (window_rotary && has_window(layer)) return &*window_rotary;
  return rotary ? &*rotary : nullptr;
}

}  // namespace headscope
