#include "app/gl/device_check.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/backend/score_rule.h"
#include "core/base/error.h"
#include "core/request/mask.h"

namespace headscope {
namespace {

constexpr std::int64_t kFeatures = 64;
constexpr double kRelative = 2e-4, kOfAWeight = 1e-8, kOfAValue = 2e-5;

Tensor made_numbers(std::int64_t heads, std::int64_t tokens, std::uint32_t state) {
  Tensor made = Tensor::zeros({1, heads, tokens, kFeatures}, {Axis::batch, Axis::head, Axis::position, Axis::feature});
  float* const numbers = made.mutable_data();
  for (std::int64_t i = 0; i < made.size(); ++i) {
    state = state * 1664525U + 1013904223U;
    numbers[i] = static_cast<float>(state >> 8) / 8388608.0F - 1;
  }
  return made;
}

void compare(const Tensor& device, const Tensor& processor, double least, const char* what) {
  const std::vector<float> a = device.values(), b = processor.values();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double expected = b[i];
    if (std::abs(a[i] - expected) <= least + kRelative * std::abs(expected)) continue;
    throw BackendError(
        fmt::format("The graphics driver is wrong: {} of {:.6g} is {:.6g} there.", what, expected, a[i]));
  }
}

}  // namespace

void check_attention(const Backend& backend, std::int64_t heads, std::int64_t tokens) {
  const Tensor query = made_numbers(heads, tokens, 1), key = made_numbers(heads, tokens, 2),
               value = made_numbers(heads, tokens, 3);
  MaskRule causal;
  causal.open = 0;
  ScoreRule rule;
  rule.scale = 0.5;
  rule.mask = std::make_shared<const Mask>(Mask{HiddenCells(1, 1, tokens, tokens, causal), {}});
  const auto computed_by = [&](const Backend& by) {
    AttentionResults to;
    to.weights = Tensor::zeros({1, heads, tokens, tokens}, {Axis::batch, Axis::head, Axis::query, Axis::key});
    to.context = Tensor::zeros(value.shape(), value.axes());
    by.attention({.query = query, .key = key, .rule = rule}, value, {{0, 1}, {0, heads}, {0, tokens}}, to,
                 CancelToken());
    return to;
  };
  const AttentionResults device = computed_by(backend), processor = computed_by(*make_cpu_backend(0));
  compare(device.weights, processor.weights, kOfAWeight, "a weight");
  compare(device.context, processor.context, kOfAValue, "a number of the context");
}

}  // namespace headscope
