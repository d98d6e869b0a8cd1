#include "core/model/rotary_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/message_text.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostPositions = std::int64_t{1} << 40;

// 1 / theta^(2 p / features); every step is rounded as torch rounds it.
std::vector<float> plain_frequencies(double theta, std::int64_t features) {
  std::vector<float> inverse;
  for (std::int64_t p = 0; p < features / 2; ++p) {
    const float exponent = static_cast<float>(2 * p) / static_cast<float>(features);
    inverse.push_back(1.0f / static_cast<float>(std::pow(theta, static_cast<double>(exponent))));
  }
  return inverse;
}

void scale_as_llama3(ConfigReader& scaling, std::vector<float>& inverse) {
  const auto factor = static_cast<float>(scaling.positive("factor"));
  const auto low_factor = static_cast<float>(scaling.positive("low_freq_factor"));
  const auto high_factor = static_cast<float>(scaling.positive("high_freq_factor"));
  const auto original = static_cast<float>(scaling.whole("original_max_position_embeddings", 1, kMostPositions));
  if (scaling.problems().empty() && !(high_factor > low_factor)) {
    scaling.add_problem(
        fmt::format("high_freq_factor is {}, expected more than low_freq_factor, {}", high_factor, low_factor));
  }
  for (float& frequency : inverse) {
    const float wavelength = static_cast<float>(2 * std::numbers::pi) / frequency;
    if (wavelength < original / high_factor) continue;
    if (wavelength > original / low_factor) {
      frequency /= factor;
    } else {
      const float smooth = (original / wavelength - low_factor) / (high_factor - low_factor);
      frequency = (1 - smooth) * frequency / factor + smooth * frequency;
    }
  }
}

}  // namespace

RotaryRule rotary_rule_of(ConfigReader& reader, std::int64_t head_dim, RotaryRule::Pairs pairs) {
  RotaryRule rule;
  rule.pairs = pairs;
  const JsonValue* parameters = reader.find("rope_parameters");
  const char* scaling_key = parameters != nullptr ? "rope_parameters" : "rope_scaling";
  const JsonValue* found = reader.find(scaling_key);
  const JsonValue nothing;
  if (found != nullptr && found->kind != JsonValue::Kind::object) {
    reader.add_problem(fmt::format("{} is {}, expected an object", scaling_key, shown_value(*found)));
    found = nullptr;
  }
  ConfigReader scaling(found != nullptr ? *found : nothing);

  const double theta = scaling.positive("rope_theta", reader.positive("rope_theta", 10000.0));
  const double share = scaling.positive("partial_rotary_factor", reader.positive("partial_rotary_factor", 1.0));
  if (share > 1) reader.add_problem(fmt::format("partial_rotary_factor is {}, expected at most 1", share));
  rule.features = static_cast<std::int64_t>(static_cast<double>(head_dim) * std::min(share, 1.0));
  if (rule.features < 2 || rule.features % 2 != 0) {
    reader.add_problem(fmt::format("heads have {} features, of which {} get rotary positions; expected an even number",
                                   head_dim, rule.features));
    rule.features = 0;
  }
  std::vector<float> inverse = plain_frequencies(theta, rule.features);

  const std::string type = scaling.text("rope_type", scaling.text("type", "default"));
  if (type == "linear") {
    const auto factor = static_cast<float>(scaling.positive("factor"));
    for (float& frequency : inverse) frequency /= factor;
  } else if (type == "llama3") {
    scale_as_llama3(scaling, inverse);
  } else if (type != "default") {
    scaling.add_problem(
        fmt::format("rope_type is {}, which is not implemented; expected default, linear or llama3", in_quotes(type)));
  }
  for (const std::string& problem : scaling.problems()) reader.add_problem(fmt::format("{}: {}", scaling_key, problem));
  rule.inverse_frequencies.assign(inverse.begin(), inverse.end());
  return rule;
}

}  // namespace headscope
